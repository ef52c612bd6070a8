/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "base/clock.h"
#include "base/trace.h"
#include "hybrid/lu/places/cover.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

/* Record what a device's queues did, and when: events are timed against an
 * event that passed at a known time. */

/* Lanes of queues that compute come first, then lanes of queues that copy. */
enum { WORK_LANES = 3, LANES = 6, SPANS = 64 };

typedef struct {
    const char *name;
    int iteration;
    hyb_span_t kind;
    double amount;
    hyb_event_t *begin, *end;
    bool has_passed;
    bool follows_lost;   /* earlier spans were lost */
    double since, until; /* when it began and ended */
} span_t;

typedef struct { /* the spans of one queue */
    const hyb_queue_t *queue;
    int actor;
    span_t span[SPANS]; /* ring buffer */
    int first, count;   /* spans that have not been counted yet */
    bool open;          /* the span after them has begun */
    bool lost;          /* the last span queued did not fit */
    double until;       /* end of the last span that was counted */
} lane_t;

struct hyb_place_spans {
    double zero; /* xh_clock_now() when `epoch` passed */
    hyb_event_t *epoch;
    hyb_cover_t cover; /* when some queue was busy */
    lane_t lane[LANES];
};

/* ---- create and destroy -------------------------------------------------- */

static xh_status_t open_lane(hyb_place_device_t *d, int at,
                             const hyb_queue_t *queue, const char *name)
{
    lane_t *lane = &d->spans->lane[at];
    int before = (d->number - 1) * LANES;
    char text[32];

    if (queue == NULL)
        return XH_OK;
    lane->queue = queue;
    lane->actor = hyb_team_size(d->base.lu->resources.team) + before + at;
    snprintf(text, sizeof(text), "device %d%s", d->number - 1, name);
    xh_trace_name_actor(lane->actor, text);
    for (int i = 0; i < SPANS; i++) {
        XH_TRY(hyb_event_create(d->device, &lane->span[i].begin));
        XH_TRY(hyb_event_create(d->device, &lane->span[i].end));
    }
    return XH_OK;
}

xh_status_t hyb_place_spans_create(hyb_place_device_t *d)
{
    struct hyb_place_spans *s;

    d->spans = s = calloc(1, sizeof(*s));
    if (s == NULL)
        return XH_ERR_MEMORY;
    XH_TRY(hyb_event_create(d->device, &s->epoch));
    XH_TRY(open_lane(d, 0, d->queue.compute, ""));
    XH_TRY(open_lane(d, 1, d->queue.guests, " guests"));
    XH_TRY(open_lane(d, 2, d->queue.factor, " panels"));
    XH_TRY(open_lane(d, 3, d->queue.link, " up"));
    XH_TRY(open_lane(d, 4, d->queue.arrive, " visits up"));
    return open_lane(d, 5, d->queue.leave, " down");
}

xh_status_t hyb_place_spans_begin(hyb_place_device_t *d)
{
    if (d->spans == NULL)
        return XH_OK;
    XH_TRY(hyb_event_record(d->queue.compute, d->spans->epoch));
    XH_TRY(hyb_event_await(d->spans->epoch, d->stall_seconds));
    d->spans->zero = xh_clock_now();
    return XH_OK;
}

void hyb_place_spans_destroy(hyb_place_device_t *d)
{
    struct hyb_place_spans *s = d->spans;

    if (s == NULL)
        return;
    for (int i = 0; i < LANES; i++)
        for (int j = 0; j < SPANS; j++) {
            hyb_event_destroy(s->lane[i].span[j].begin);
            hyb_event_destroy(s->lane[i].span[j].end);
        }
    hyb_event_destroy(s->epoch);
    free(s);
}

/* ---- spans --------------------------------------------------------------- */

static lane_t *lane_of(const hyb_place_device_t *d, const hyb_queue_t *queue)
{
    int i = 0;

    while (d->spans->lane[i].queue != queue)
        i++;
    return &d->spans->lane[i];
}

/* The span after all spans that wait to be counted. */
static span_t *next(lane_t *lane)
{
    return &lane->span[(lane->first + lane->count) % SPANS];
}

void hyb_place_span(hyb_place_device_t *d, hyb_queue_t *queue, const char *name)
{
    lane_t *lane = lane_of(d, queue);

    if (lane->count == SPANS) {
        lane->lost = true;
        return;
    }
    lane->open = true;
    next(lane)->has_passed = false;
    next(lane)->follows_lost = lane->lost;
    lane->lost = false;
    next(lane)->name = name;
    next(lane)->iteration = hyb_lu_opened(d->base.lu) - 1;
    hyb_place_require_ok(d, hyb_event_record(queue, next(lane)->begin));
}

void hyb_place_span_end(hyb_place_device_t *d, hyb_queue_t *queue,
                        hyb_span_t kind, double amount)
{
    lane_t *lane = lane_of(d, queue);

    if (!lane->open)
        return;
    lane->open = false;
    next(lane)->kind = kind;
    next(lane)->amount = amount;
    hyb_place_require_ok(d, hyb_event_record(queue, next(lane)->end));
    lane->count++;
}

xh_status_t hyb_place_in_span(hyb_place_device_t *d, const char *name,
                              hyb_place_update_fn_t operation,
                              const hyb_place_panel_t *panel,
                              const hyb_place_part_t *part)
{
    bool multiplies = operation == hyb_place_update;
    xh_status_t status;

    hyb_place_span(d, part->queue, name);
    status = operation(panel, part);
    hyb_place_span_end(d, part->queue, multiplies ? HYB_SPAN_PRODUCT : HYB_SPAN,
                       hyb_place_flop(panel, part));
    return status;
}

/* The time at which `event` passed. */
static double time_of(const hyb_place_device_t *d, hyb_event_t *event)
{
    double seconds = 0.0;

    hyb_place_require_ok(d,
                         hyb_event_elapsed(d->spans->epoch, event, &seconds));
    return d->spans->zero + seconds;
}

static bool has_passed(hyb_place_device_t *d, span_t *span)
{
    if (span->has_passed)
        return true;
    hyb_place_require_ok(d, hyb_event_wait(span->end, 0.0, &span->has_passed));
    if (!span->has_passed)
        return false;
    span->since = time_of(d, span->begin);
    span->until = time_of(d, span->end);
    return true;
}

/* Has all work up to `time` been counted? */
static bool knows_work(const hyb_place_device_t *d, double time)
{
    for (int i = 0; i < WORK_LANES; i++) {
        const lane_t *lane = &d->spans->lane[i];

        bool has_more = lane->open || lane->count > 0;

        if (lane->lost || (has_more && lane->until < time))
            return false;
    }
    return true;
}

static void count(const span_t *span, hpl_device_work_t *did)
{
    double seconds = span->until - span->since;

    if (span->kind == HYB_SPAN_PRODUCT) {
        did->flop += span->amount;
        did->seconds += seconds;
    } else if (span->kind == HYB_SPAN_UP) {
        did->up += span->amount;
        did->up_seconds += seconds;
    } else if (span->kind == HYB_SPAN_DOWN) {
        did->down += span->amount;
        did->down_seconds += seconds;
    }
}

/* Count the first span of `lane`, if it has passed. A copy also waits until all
 * work that ran at the same time has been counted. */
static bool take(hyb_place_device_t *d, lane_t *lane)
{
    hpl_device_work_t *did = &d->base.lu->homes.devices.did[d->number - 1];
    bool is_work = lane < d->spans->lane + WORK_LANES;
    span_t *span = &lane->span[lane->first];
    double alone;

    if (lane->count == 0 || !has_passed(d, span) ||
        (!is_work && !knows_work(d, span->until)))
        return false;
    count(span, did);
    alone = hyb_cover_add(
        &d->spans->cover,
        is_work && span->follows_lost ? lane->until : span->since, span->until);
    if (!is_work)
        did->link_wait += alone;
    if (xh_trace_on())
        xh_trace_span(lane->actor, span->name, span->iteration, span->since,
                      span->until);
    lane->until = span->until;
    lane->first = (lane->first + 1) % SPANS;
    lane->count--;
    return true;
}

void hyb_place_spans_poll(hyb_place_device_t *d)
{
    for (int i = 0; d->spans != NULL && i < LANES; i++)
        while (take(d, &d->spans->lane[i]))
            ;
}
