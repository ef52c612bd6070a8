/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/sequence.h"
#include "testing/xdgemm/tune.h"

enum {
    SAMPLES = 8, /* random cuts, of which the best is improved */
    MISSES =
        1000 /* random cuts in a row that were tried before: then all were */
};

typedef struct {
    const hyb_knob_t *knobs;
    int count;
    uint64_t random;
    xdg_rate_of_t *rate_of;
    void *context;
    xdg_search_t found;
    hyb_cut_t *tried_cuts; /* all tried cuts */
    int64_t capacity;      /* of tried_cuts */
    bool is_over;          /* no time is left */
    xh_status_t status;
} search_t;

typedef struct {
    hyb_cut_t cut;
    double rate;
} point_t;

static bool is_tried(const search_t *s, const hyb_cut_t *cut)
{
    for (int64_t i = 0; i < s->found.trials; i++)
        if (memcmp(&s->tried_cuts[i], cut, sizeof(*cut)) == 0)
            return true;
    return false;
}

static void remember(search_t *s, const hyb_cut_t *cut)
{
    if (s->found.trials == s->capacity) {
        int64_t capacity = 2 * s->capacity + 64;
        hyb_cut_t *more =
            realloc(s->tried_cuts, (size_t)capacity * sizeof(*more));

        if (more == NULL) {
            s->status = XH_ERR_MEMORY;
            s->is_over = true;
            return;
        }
        s->tried_cuts = more;
        s->capacity = capacity;
    }
    s->tried_cuts[s->found.trials++] = *cut;
}

/* Measure cut unless it was tried before; best becomes the faster one. */
static bool try_cut(search_t *s, const hyb_cut_t *cut, point_t *best)
{
    double rate;

    if (s->is_over || is_tried(s, cut))
        return false;
    rate = s->rate_of(s->context, cut);
    if (rate < 0) {
        s->is_over = true;
        return false;
    }
    remember(s, cut);
    if (rate > s->found.rate) {
        s->found.best = *cut;
        s->found.rate = rate;
    }
    if (rate > best->rate)
        *best = (point_t){*cut, rate};
    return true;
}

/* Set one knob after the other to each of its values, and keep the best value.
 */
static void improve(search_t *s, point_t best)
{
    int unchanged = 0;

    for (int i = 0; unchanged < s->count && !s->is_over; i++) {
        const hyb_knob_t *knob = &s->knobs[i % s->count];
        const point_t before = best;

        for (int v = 0; v < knob->count; v++) {
            hyb_cut_t cut = before.cut;

            cut.values[i % s->count] = knob->values[v];
            try_cut(s, &cut, &best);
        }
        unchanged = best.rate > before.rate ? 0 : unchanged + 1;
    }
}

static hyb_cut_t random_cut(search_t *s)
{
    hyb_cut_t cut = {{0}};

    for (int i = 0; i < s->count; i++) {
        const hyb_knob_t *knob = &s->knobs[i];

        s->random = xh_jump_apply(xh_jump_step, s->random);
        cut.values[i] = knob->values[(s->random >> 33) % (uint64_t)knob->count];
    }
    return cut;
}

/* The best of several random cuts that were not tried; rate 0: there are none,
 * or none is possible. */
static point_t best_random(search_t *s, int *misses)
{
    point_t best = {.rate = 0};

    for (int i = 0; i < SAMPLES && *misses < MISSES && !s->is_over;) {
        const hyb_cut_t cut = random_cut(s);

        if (try_cut(s, &cut, &best)) {
            *misses = 0;
            i++;
        } else {
            ++*misses;
        }
    }
    return best;
}

xh_status_t xdg_search(const hyb_knob_t *knobs, int count,
                       const hyb_cut_t *start, uint64_t random,
                       xdg_rate_of_t *rate_of, void *context,
                       xdg_search_t *search_p)
{
    search_t s = {.knobs = knobs,
                  .count = count,
                  .random = random,
                  .rate_of = rate_of,
                  .context = context};
    point_t from = {.rate = 0};
    int misses = 0;

    try_cut(&s, start, &from);
    while (!s.is_over && misses < MISSES) {
        if (from.rate > 0)
            improve(&s, from);
        from = best_random(&s, &misses);
    }
    free(s.tried_cuts);
    if (s.status == XH_OK)
        *search_p = s.found;
    return s.status;
}
