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
    KEPT = 12,    /* reports of each process */
    CONFIRMED = 3 /* times in a row that a verdict must be the same */
};

static const double window = 1.0;  /* s that are judged, at least */
static const double apart = 10.0;  /* s between two verdicts that are said */
static const double least = 0.05;  /* share of it that products take */
static const double settled = 0.2; /* s at work that show a rate */

/* of the verdict */
static const double clearly = 0.7; /* of what it could be is slow */
static const double all = 0.75;    /* of the processes, more than that, are */
static const double much = 0.3;    /* of the time is much waiting */

typedef struct {
    hyb_report_t kept[KEPT];
    int heard; /* in all */
    double best_mhz;
    double usual; /* flop/s of its processor at work, the best of the run */
} peer_t;

struct hyb_peers {
    int count, columns;
    hyb_verdict_t verdict, said;
    int confirmed;
    double said_at;
    bool crowded;       /* said once: programs come and go */
    hyb_pulse_t *pulse; /* behind the peers */
    peer_t peer[];
};

hyb_peers_t *hyb_peers_create(int count, int columns)
{
    hyb_peers_t *peers =
        calloc(1, sizeof(*peers) +
                      (size_t)count * (sizeof(peer_t) + sizeof(hyb_pulse_t)));

    if (peers == NULL)
        return NULL;
    peers->count = count;
    peers->columns = columns;
    peers->said.condition = HYB_HEALTHY;
    peers->said_at = -INFINITY;
    peers->pulse = (hyb_pulse_t *)(peers->peer + count);
    return peers;
}

void hyb_peers_destroy(hyb_peers_t *peers)
{
    free(peers);
}

void hyb_peers_hear(hyb_peers_t *peers, int process, const hyb_report_t *report)
{
    peer_t *peer = &peers->peer[process];

    peer->kept[peer->heard++ % KEPT] = *report;
    peer->best_mhz = fmax(peer->best_mhz, report->mhz);
    if (report->cpu > settled)
        peer->usual = fmax(peer->usual, report->flop / report->cpu);
}

/* ---- what was heard ----------------------------------------------------- */

static const hyb_report_t *newest(const peer_t *peer)
{
    return &peer->kept[(peer->heard + KEPT - 1) % KEPT];
}

static const hyb_report_t *oldest(const peer_t *peer)
{
    return &peer->kept[peer->heard < KEPT ? 0 : peer->heard % KEPT];
}

/* MPI may wait within moving a message on: where it leaves the core to others,
 * a look at messages takes as long as their turn. */
static double on_messages(const double share[HYB_ACTIVITIES])
{
    return share[HYB_WAIT_PANEL] + share[HYB_WAIT_ROWS] + share[HYB_BROADCAST] +
           share[HYB_EXCHANGE];
}

static hyb_pulse_t pulse_of(const peer_t *peer)
{
    const hyb_report_t *to = newest(peer), *from = oldest(peer);
    double time, seconds, cpu, run_delay, share[HYB_ACTIVITIES];

    if (peer->heard < 2 || to->time - from->time < window)
        return (hyb_pulse_t){.rate = 0.0};
    time = to->time - from->time;
    cpu = to->cpu - from->cpu;
    seconds = fmax(to->seconds - from->seconds, cpu);
    run_delay = to->run_delay - from->run_delay;
    for (int a = 0; a < HYB_ACTIVITIES; a++)
        share[a] = (to->leader[a] - from->leader[a]) / time;
    return (hyb_pulse_t){
        .rate =
            seconds > least * time ? (to->flop - from->flop) / seconds : 0.0,
        .usual = peer->usual,
        .planned = to->planned,
        .run_delay = run_delay > 0.0 ? run_delay / (run_delay + seconds) : 0.0,
        .work = share[HYB_SWAP] + share[HYB_SOLVE] + share[HYB_MULTIPLY],
        .panel = share[HYB_PANEL],
        .wait = on_messages(share),
        .column = (int)to->column};
}

static bool same(const hyb_verdict_t *a, const hyb_verdict_t *b)
{
    return a->condition == b->condition &&
           (a->condition != HYB_SLOW_PROCESS || a->process == b->process);
}

/* ---- the verdict -------------------------------------------------------- */

/* Where half are slow their median is, too, and tells nothing about them: each
 * is compared with what it could be itself. */
static hyb_verdict_t judge_all(const hyb_pulse_t *pulse, int count, double *x)
{
    int slow = 0, slowest = 0;

    for (int i = 0; i < count; i++) {
        x[i] = pulse[i].rate / fmax(pulse[i].usual, pulse[i].planned);
        slow += x[i] < clearly;
        if (x[i] < x[slowest])
            slowest = i;
    }
    if (2 * slow <= count)
        return (hyb_verdict_t){.condition = HYB_HEALTHY};
    if (slow <= all * count)
        return (hyb_verdict_t){HYB_MOST_SLOW, slowest, slow - 1,
                               xh_median(x, count)};
    return (hyb_verdict_t){.condition = HYB_ALL_SLOW,
                           .share = xh_median(x, count)};
}

static hyb_verdict_t judge_each(const hyb_pulse_t *pulse, int count, double *x)
{
    hyb_verdict_t v = {.condition = HYB_HEALTHY, .others = -1, .share = 1.0};

    for (int i = 0; i < count; i++)
        x[i] = pulse[i].rate;
    xh_sort(x, count);
    for (int i = 0; i < count; i++) {
        double share =
            pulse[i].rate / xh_median_without(x, count, pulse[i].rate);

        if (share >= clearly)
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
 * A process waits for panels of other columns, and for those who have more to
 * do. What it waits beyond that is messages on their way; where others have
 * turns on its cores, waits tell nothing about messages. panel: zeros.
 */
static hyb_verdict_t judge_messages(const hyb_pulse_t *pulse, int count,
                                    int columns, double *x, double *panel)
{
    double work = 0.0, panels = 0.0, most = -1.0;
    hyb_verdict_t v = {.condition = HYB_HEALTHY};

    for (int i = 0; i < count; i++) {
        double *longest = &panel[pulse[i].column];

        if (pulse[i].run_delay > XH_TURNS_CROWDED &&
            pulse[i].run_delay > v.share)
            v = (hyb_verdict_t){HYB_CROWDED, i, 0, pulse[i].run_delay};
        work = fmax(work, pulse[i].work);
        *longest = fmax(*longest, pulse[i].panel);
    }
    if (v.condition == HYB_CROWDED || count == 1)
        return v;
    for (int i = 0; i < columns; i++)
        panels += panel[i];
    for (int i = 0; i < count; i++) {
        const hyb_pulse_t *p = &pulse[i];

        x[i] = p->wait - (work - p->work) - (panels - panel[p->column]);
        if (x[i] > most) {
            most = x[i];
            v.process = i;
        }
    }
    v.share = xh_median(x, count);
    if (v.share > much)
        v.condition = HYB_SLOW_MESSAGES;
    return v;
}

hyb_verdict_t hyb_verdict(const hyb_pulse_t *pulse, int count, int columns)
{
    hyb_verdict_t v = {.condition = HYB_TOO_EARLY};
    double *x;

    for (int i = 0; i < count; i++)
        if (pulse[i].rate <= 0.0 || pulse[i].usual <= 0.0)
            return v;
    x = calloc((size_t)(count + columns), sizeof(*x));
    if (x == NULL)
        return v;
    v = judge_all(pulse, count, x);
    if (v.condition == HYB_HEALTHY && count > 1)
        v = judge_each(pulse, count, x);
    if (v.condition == HYB_HEALTHY)
        v = judge_messages(pulse, count, columns, x, x + count);
    free(x);
    return v;
}

/* ---- saying ------------------------------------------------------------ */

/* "; its clock is 1400 MHz, was 2900 at best; it has 95 C", what is known */
static void describe(const peer_t *peer, char *text, size_t size)
{
    const hyb_report_t *t = newest(peer);

    text[0] = '\0';
    if (t->mhz > 0.0)
        xh_text_append(text, size,
                       "; its clock is %.0f MHz, at best it was %.0f", t->mhz,
                       peer->best_mhz);
    if (t->celsius > 0.0)
        xh_text_append(text, size, "; it has %.0f C", t->celsius);
}

static void say_slow(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const peer_t *peer = &p->peer[v->process];
    const hyb_pulse_t *pulse = &p->pulse[v->process];
    char more[96], others[64] = "";

    describe(peer, more, sizeof(more));
    if (v->others > 0)
        snprintf(others, sizeof(others), "; %d more %s slow", v->others,
                 v->others == 1 ? "is" : "are");
    xh_log_warning_of((int)newest(peer)->rank, newest(peer)->host,
                      "slow: it updates at %.0f%% of the rate of the others, "
                      "%.3g Gflops per thread%s%s",
                      100.0 * v->share, 1e-9 * pulse->rate, more, others);
}

/* All, or most, and then the slowest of them. */
static void say_all(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const hyb_pulse_t *pulse = &p->pulse[v->process];
    const hyb_report_t *t = newest(&p->peer[v->process]);
    bool predicted = pulse->planned > pulse->usual;
    char who[64] = "all", slowest[48] = "", more[96];

    if (v->condition == HYB_MOST_SLOW) {
        snprintf(who, sizeof(who), "%d of %d", v->others + 1, p->count);
        snprintf(slowest, sizeof(slowest), "the slowest is rank %.0f ",
                 t->rank);
    }
    describe(&p->peer[v->process], more, sizeof(more));
    xh_log_warning_of(-1, "",
                      "%s: %s processes update at %.0f%% of what %s; "
                      "%son %s%s",
                      predicted ? "slow" : "throttling", who, 100.0 * v->share,
                      predicted ? "was predicted" : "they usually do", slowest,
                      t->host, more);
}

static void say(const hyb_peers_t *p, const hyb_verdict_t *v)
{
    const hyb_report_t *t = newest(&p->peer[v->process]);

    switch (v->condition) {
    case HYB_SLOW_PROCESS:
        say_slow(p, v);
        break;
    case HYB_ALL_SLOW:
    case HYB_MOST_SLOW:
        say_all(p, v);
        break;
    case HYB_SLOW_MESSAGES:
        xh_log_warning_of(-1, "",
                          "communication is slow: processes wait %.0f%% of the "
                          "time for messages that are on their way, most of "
                          "all rank %.0f on %s",
                          100.0 * v->share, t->rank, t->host);
        break;
    case HYB_CROWDED:
        xh_log_warning_of((int)t->rank, t->host,
                          "crowded: threads wait for cores %.0f%% of the time: "
                          "other programs have them, there are more threads "
                          "than cores, or the control group allows less time",
                          100.0 * v->share);
        break;
    default:
        xh_log_info(p->said.condition == HYB_ALL_SLOW ||
                            p->said.condition == HYB_MOST_SLOW
                        ? "all processes update as fast as usual again"
                        : "all processes keep up with each other again");
        break;
    }
}

void hyb_peers_judge(hyb_peers_t *p, double now)
{
    hyb_verdict_t v;

    for (int i = 0; i < p->count; i++)
        p->pulse[i] = pulse_of(&p->peer[i]);
    v = hyb_verdict(p->pulse, p->count, p->columns);
    if (v.condition == HYB_CROWDED && p->crowded)
        v = (hyb_verdict_t){.condition = HYB_HEALTHY};
    p->confirmed = same(&v, &p->verdict) ? p->confirmed + 1 : 1;
    p->verdict = v;
    if (v.condition == HYB_TOO_EARLY || p->confirmed < CONFIRMED ||
        same(&v, &p->said) || now < p->said_at + apart)
        return;
    say(p, &v);
    p->crowded = p->crowded || v.condition == HYB_CROWDED;
    if (v.condition != HYB_CROWDED)
        p->said = v;
    p->said_at = now;
}
