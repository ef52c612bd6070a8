/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/health.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/log.h"
#include "base/median.h"
#include "base/text.h"
#include "base/run_delay.h"

enum {
    HISTORY = 12, /* newest reports kept per process */
    REPEATS = 3   /* how often in a row a verdict must repeat */
};

static const double least_window = 1.0;  /* s covered by a verdict, at least */
static const double log_interval = 10.0; /* s between two logged verdicts */
static const double least_work = 0.05;   /* products' share of a window */
static const double least_cpu = 0.2; /* s of processor time that give a rate */

/* Limits of the verdict: */
static const double slow_below = 0.7;     /* fraction of the possible rate */
static const double all_above = 0.75;     /* fraction of slow processes */
static const double messages_above = 0.3; /* fraction of the time */

typedef struct {
    hyb_health_report_t history[HISTORY];
    int count; /* number of reports so far */
    double best_mhz;
    double best_rate; /* flop per s of processor time */
} peer_t;

struct hyb_peers {
    int count, columns;
    hyb_verdict_t verdict, logged;
    int repeats;            /* how often `verdict` has repeated */
    double log_time;        /* when `logged` was logged */
    bool is_crowded_logged; /* logged once, as programs come and go */
    hyb_sample_t *samples;  /* stored after `peer` */
    peer_t peer[];
};

hyb_peers_t *hyb_peers_create(int count, int columns)
{
    hyb_peers_t *peers =
        calloc(1, sizeof(*peers) +
                      (size_t)count * (sizeof(peer_t) + sizeof(hyb_sample_t)));

    if (peers == NULL)
        return NULL;
    peers->count = count;
    peers->columns = columns;
    peers->logged.condition = HYB_HEALTHY;
    peers->log_time = -INFINITY;
    peers->samples = (hyb_sample_t *)(peers->peer + count);
    return peers;
}

void hyb_peers_destroy(hyb_peers_t *peers)
{
    free(peers);
}

void hyb_peers_add(hyb_peers_t *peers, int process,
                   const hyb_health_report_t *report)
{
    peer_t *peer = &peers->peer[process];

    peer->history[peer->count++ % HISTORY] = *report;
    peer->best_mhz = fmax(peer->best_mhz, report->mhz);
    if (report->cpu > least_cpu)
        peer->best_rate = fmax(peer->best_rate, report->flop / report->cpu);
}

/* ---- samples ------------------------------------------------------------- */

static const hyb_health_report_t *newest(const peer_t *peer)
{
    return &peer->history[(peer->count + HISTORY - 1) % HISTORY];
}

static const hyb_health_report_t *oldest(const peer_t *peer)
{
    return &peer->history[peer->count < HISTORY ? 0 : peer->count % HISTORY];
}

/* Share of messages. Sending counts, too, because MPI may wait in it; and if
 * MPI yields the core, a poll takes as long as other threads run. */
static double message_share(const double share[HYB_ACTIVITIES])
{
    return share[HYB_WAIT_PANEL] + share[HYB_WAIT_ROWS] + share[HYB_BROADCAST] +
           share[HYB_EXCHANGE];
}

static hyb_sample_t sample_of(const peer_t *peer)
{
    const hyb_health_report_t *to = newest(peer), *from = oldest(peer);
    double time, seconds, cpu, run_delay, share[HYB_ACTIVITIES];

    if (peer->count < 2 || to->time - from->time < least_window)
        return (hyb_sample_t){.rate = 0.0};
    time = to->time - from->time;
    cpu = to->cpu - from->cpu;
    seconds = fmax(to->seconds - from->seconds, cpu);
    run_delay = to->run_delay - from->run_delay;
    for (int a = 0; a < HYB_ACTIVITIES; a++)
        share[a] = (to->leader[a] - from->leader[a]) / time;
    return (hyb_sample_t){
        .rate = seconds > least_work * time ? (to->flop - from->flop) / seconds
                                            : 0.0,
        .best = peer->best_rate,
        .planned = to->planned,
        .run_delay = run_delay > 0.0 ? run_delay / (run_delay + seconds) : 0.0,
        .work = share[HYB_SWAP] + share[HYB_SOLVE] + share[HYB_MULTIPLY],
        .panel = share[HYB_PANEL],
        .messages = message_share(share),
        .column = (int)to->column};
}

static bool is_same(const hyb_verdict_t *a, const hyb_verdict_t *b)
{
    return a->condition == b->condition &&
           (a->condition != HYB_SLOW_PROCESS || a->process == b->process);
}

/* ---- the verdict -------------------------------------------------------- */

/* Judge each process by its own possible rate: if more than half are slow, so
 * is their median. */
static hyb_verdict_t judge_all(const hyb_sample_t *samples, int count,
                               double *x)
{
    int slow = 0, slowest = 0;

    for (int i = 0; i < count; i++) {
        x[i] = samples[i].rate / fmax(samples[i].best, samples[i].planned);
        slow += x[i] < slow_below;
        if (x[i] < x[slowest])
            slowest = i;
    }
    if (2 * slow <= count)
        return (hyb_verdict_t){.condition = HYB_HEALTHY};
    if (slow <= all_above * count)
        return (hyb_verdict_t){HYB_MOST_SLOW, slowest, slow - 1,
                               xh_median(x, count)};
    return (hyb_verdict_t){.condition = HYB_ALL_SLOW,
                           .share = xh_median(x, count)};
}

static hyb_verdict_t judge_each(const hyb_sample_t *samples, int count,
                                double *x)
{
    hyb_verdict_t v = {.condition = HYB_HEALTHY, .others = -1, .share = 1.0};

    for (int i = 0; i < count; i++)
        x[i] = samples[i].rate;
    xh_sort(x, count);
    for (int i = 0; i < count; i++) {
        double share =
            samples[i].rate / xh_median_without(x, count, samples[i].rate);

        if (share >= slow_below)
            continue;
        v.condition = HYB_SLOW_PROCESS;
        v.others++;
        if (share < v.share) {
            v.share = share;
            v.process = i;
        }
    }
    return v;
}

/*
 * Judge messages by the time that processes wait. A process waits for panels of
 * other process columns, and for processes with more work; any further wait is
 * for messages in flight. On crowded cores, waits tell nothing about messages.
 *
 * x      out  count numbers
 * panel  in   zeros, one per process column; overwritten
 */
static hyb_verdict_t judge_messages(const hyb_sample_t *samples, int count,
                                    int columns, double *x, double *panel)
{
    double work = 0.0, panels = 0.0, most = -1.0;
    hyb_verdict_t v = {.condition = HYB_HEALTHY};

    for (int i = 0; i < count; i++) {
        double *longest = &panel[samples[i].column];

        if (samples[i].run_delay > XH_RUN_DELAY_CROWDED &&
            samples[i].run_delay > v.share)
            v = (hyb_verdict_t){HYB_CROWDED, i, 0, samples[i].run_delay};
        work = fmax(work, samples[i].work);
        *longest = fmax(*longest, samples[i].panel);
    }
    if (v.condition == HYB_CROWDED || count == 1)
        return v;
    for (int i = 0; i < columns; i++)
        panels += panel[i];
    for (int i = 0; i < count; i++) {
        const hyb_sample_t *p = &samples[i];

        x[i] = p->messages - (work - p->work) - (panels - panel[p->column]);
        if (x[i] > most) {
            most = x[i];
            v.process = i;
        }
    }
    v.share = xh_median(x, count);
    if (v.share > messages_above)
        v.condition = HYB_SLOW_MESSAGES;
    return v;
}

hyb_verdict_t hyb_verdict(const hyb_sample_t *samples, int count, int columns)
{
    hyb_verdict_t v = {.condition = HYB_TOO_EARLY};
    double *x;

    for (int i = 0; i < count; i++)
        if (samples[i].rate <= 0.0 || samples[i].best <= 0.0)
            return v;
    x = calloc((size_t)(count + columns), sizeof(*x));
    if (x == NULL)
        return v;
    v = judge_all(samples, count, x);
    if (v.condition == HYB_HEALTHY && count > 1)
        v = judge_each(samples, count, x);
    if (v.condition == HYB_HEALTHY)
        v = judge_messages(samples, count, columns, x, x + count);
    free(x);
    return v;
}

/* ---- log lines ----------------------------------------------------------- */

/* "; its clock is 1400 MHz, at best it was 2900; it has 95 C"; unknown values
 * are left out. */
static void describe(const peer_t *peer, char *text, size_t size)
{
    const hyb_health_report_t *t = newest(peer);

    text[0] = '\0';
    if (t->mhz > 0.0)
        xh_text_append(text, size,
                       "; its clock is %.0f MHz, at best it was %.0f", t->mhz,
                       peer->best_mhz);
    if (t->celsius > 0.0)
        xh_text_append(text, size, "; it has %.0f C", t->celsius);
}

static void log_slow(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const peer_t *peer = &p->peer[v->process];
    const hyb_sample_t *sample = &p->samples[v->process];
    char more[96], others[64] = "";

    describe(peer, more, sizeof(more));
    if (v->others > 0)
        snprintf(others, sizeof(others), "; %d more %s slow", v->others,
                 v->others == 1 ? "is" : "are");
    xh_log_warning_of((int)newest(peer)->rank, newest(peer)->host,
                      "slow: it updates at %.0f%% of the rate of the others, "
                      "%.3g Gflops per thread%s%s",
                      100.0 * v->share, 1e-9 * sample->rate, more, others);
}

/* Log that most or all processes are slow; if not all, also name the slowest.
 */
static void log_most_slow(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const hyb_sample_t *sample = &p->samples[v->process];
    const hyb_health_report_t *t = newest(&p->peer[v->process]);
    bool predicted = sample->planned > sample->best;
    char which[64] = "all", slowest[48] = "", more[96];

    if (v->condition == HYB_MOST_SLOW) {
        snprintf(which, sizeof(which), "%d of %d", v->others + 1, p->count);
        snprintf(slowest, sizeof(slowest), "the slowest is rank %.0f ",
                 t->rank);
    }
    describe(&p->peer[v->process], more, sizeof(more));
    xh_log_warning_of(-1, "",
                      "%s: %s processes update at %.0f%% of what %s; "
                      "%son %s%s",
                      predicted ? "slow" : "throttling", which,
                      100.0 * v->share,
                      predicted ? "was predicted" : "they usually do", slowest,
                      t->host, more);
}

static void log_verdict(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const hyb_health_report_t *t = newest(&p->peer[v->process]);

    switch (v->condition) {
    case HYB_SLOW_PROCESS:
        log_slow(p, v);
        break;
    case HYB_ALL_SLOW:
    case HYB_MOST_SLOW:
        log_most_slow(p, v);
        break;
    case HYB_SLOW_MESSAGES:
        xh_log_warning_of(-1, "",
                          "communication is slow: processes wait %.0f%% of the "
                          "time for messages that are on their way, most of "
                          "all rank %.0f on %s",
                          100.0 * v->share, t->rank, t->host);
        break;
    case HYB_CROWDED:
        xh_log_warning_of(
            (int)t->rank, t->host,
            "crowded: threads wait for cores %.0f%% of the time. Other "
            "programs use the cores, there are more threads than cores, or a "
            "control group limits their time",
            100.0 * v->share);
        break;
    default:
        xh_log_info(p->logged.condition == HYB_ALL_SLOW ||
                            p->logged.condition == HYB_MOST_SLOW
                        ? "all processes update as fast as usual again"
                        : "all processes keep up with each other again");
        break;
    }
}

void hyb_peers_judge(hyb_peers_t *p, double now)
{
    hyb_verdict_t v;

    for (int i = 0; i < p->count; i++)
        p->samples[i] = sample_of(&p->peer[i]);
    v = hyb_verdict(p->samples, p->count, p->columns);
    if (v.condition == HYB_CROWDED && p->is_crowded_logged)
        v = (hyb_verdict_t){.condition = HYB_HEALTHY};
    p->repeats = is_same(&v, &p->verdict) ? p->repeats + 1 : 1;
    p->verdict = v;
    if (v.condition == HYB_TOO_EARLY || p->repeats < REPEATS ||
        is_same(&v, &p->logged) || now < p->log_time + log_interval)
        return;
    log_verdict(p, &v);
    p->is_crowded_logged = p->is_crowded_logged || v.condition == HYB_CROWDED;
    if (v.condition != HYB_CROWDED)
        p->logged = v;
    p->log_time = now;
}
