/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/state/timer.h"

#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/trace.h"
#include "base/run_delay.h"
#include "hybrid/lu/state/worker.h"

/* The names of activities in traces and in messages. */
static const struct {
    const char *name, *phase;
} activities[HYB_ACTIVITIES] = {
    [HYB_PANEL] = {"panel", "in the panel: its factorization"},
    [HYB_SWAP] = {"swap", "in the update: swapping rows"},
    [HYB_SOLVE] = {"solve", "in the update: solving"},
    [HYB_MULTIPLY] = {"update", "in the update: multiplying"},
    [HYB_BROADCAST] = {"broadcast", "in the broadcast"},
    [HYB_EXCHANGE] = {"exchange", "in the exchange of rows"},
    [HYB_WAIT_PANEL] = {"wait for panel",
                        "in the broadcast: waiting for a panel"},
    [HYB_WAIT_ROWS] = {"wait for rows", "in the exchange: waiting for rows of "
                                        "other processes"},
    [HYB_WAIT_COLUMNS] = {"wait for columns",
                          "in the update: waiting for another thread or a "
                          "device"},
};

/* Only the worker itself writes its sums. */
static void add(_Atomic double *sum, double more)
{
    double now = atomic_load_explicit(sum, memory_order_relaxed);

    atomic_store_explicit(sum, now + more, memory_order_relaxed);
}

static void set_doing(hyb_worker_t *me, int doing)
{
    atomic_store_explicit(&me->doing, doing, memory_order_relaxed);
}

/* ---- activities ---------------------------------------------------------- */

void hyb_timer_begin(hyb_worker_t *me, hyb_activity_t activity, int iteration)
{
    int outer = atomic_load_explicit(&me->doing, memory_order_relaxed);

    me->nested[me->depth].outer = outer;
    me->nested[me->depth].inside = 0.0;
    me->nested[me->depth++].began = xh_clock_now();
    /* Before the first iteration opens (-1), time counts for iteration 0. */
    set_doing(me,
              (iteration > 0 ? iteration : 0) * HYB_ACTIVITIES + (int)activity);
}

/* Polls are not steps: there are many, and they may find nothing to do. */
void hyb_timer_step(hyb_worker_t *me)
{
    unsigned steps = atomic_load_explicit(&me->steps, memory_order_relaxed);

    atomic_store_explicit(&me->steps, steps + 1, memory_order_relaxed);
}

double hyb_timer_end(hyb_worker_t *me)
{
    static const double least = 1e-4; /* shortest span of a poll in the trace */
    int depth = --me->depth, doing = atomic_load(&me->doing);
    int activity = doing % HYB_ACTIVITIES;
    bool is_poll = activity == HYB_BROADCAST || activity == HYB_EXCHANGE;
    double began = me->nested[depth].began, now = xh_clock_now();

    add(&me->seconds[activity],
        fmax(0.0, now - began - me->nested[depth].inside));
    if (depth > 0) {
        me->nested[depth - 1].inside += now - began;
        set_doing(me, me->nested[depth].outer);
    }
    if (!is_poll)
        hyb_timer_step(me);
    if ((!is_poll || now - began >= least) && xh_trace_on())
        xh_trace_span(me->member, activities[activity].name,
                      doing / HYB_ACTIVITIES, began, now);
    return now - began;
}

/* ---- products ------------------------------------------------------------ */

static const double least_flop = 1e7; /* of a paced product */

static double turns_of_others(hyb_worker_t *me)
{
    xh_run_delay_t run_delay;

    xh_run_delay_read(&me->schedstat, &run_delay);
    return run_delay.waited;
}

void hyb_timer_begin_product(hyb_worker_t *me, int iteration, double flop)
{
    if (flop >= least_flop) {
        me->cpu_before = xh_clock_read(CLOCK_THREAD_CPUTIME_ID);
        me->run_delay_before = turns_of_others(me);
    }
    hyb_timer_begin(me, HYB_MULTIPLY, iteration);
}

void hyb_timer_end_product(hyb_worker_t *me, double flop)
{
    double seconds = hyb_timer_end(me), cpu, run_delay;

    add(&me->flop, flop);
    if (flop < least_flop)
        return;
    cpu = xh_clock_read(CLOCK_THREAD_CPUTIME_ID) - me->cpu_before;
    run_delay = turns_of_others(me) - me->run_delay_before;
    add(&me->paced_flop, flop);
    add(&me->paced_seconds, me->schedstat > 0 ? seconds - run_delay : cpu);
    add(&me->paced_cpu, cpu);
    add(&me->run_delay, run_delay);
}

void hyb_timer_close(hyb_worker_t *me)
{
    if (me->schedstat > 0)
        close(me->schedstat);
}

/* ---- what was done ------------------------------------------------------- */

uint64_t hyb_timer_steps(const hyb_worker_t *worker, int members)
{
    uint64_t steps = 0;

    for (int i = 0; i < members; i++)
        steps += atomic_load(&worker[i].steps);
    return steps;
}

bool hyb_timer_waits(const hyb_worker_t *worker, int *panel_p)
{
    int awaits = atomic_load(&worker[0].awaits) - 1;

    *panel_p = awaits >= 0 && awaits % HYB_ACTIVITIES == HYB_WAIT_PANEL
                   ? awaits / HYB_ACTIVITIES
                   : -1;
    return awaits >= 0;
}

void hyb_timer_where(const hyb_worker_t *worker, int iterations, char *text,
                     size_t size)
{
    int awaits = atomic_load(&worker[0].awaits);
    int doing = awaits > 0 ? awaits - 1 : atomic_load(&worker[0].doing);

    snprintf(text, size, "iteration %d of %d, %s", doing / HYB_ACTIVITIES,
             iterations, activities[doing % HYB_ACTIVITIES].phase);
}

hyb_lap_t hyb_timer_lap(const hyb_worker_t *worker, int members)
{
    hyb_lap_t lap = {.time = xh_clock_now()};

    for (int i = members - 1; i >= 0; i--) { /* ends with the leader */
        const hyb_worker_t *w = &worker[i];

        lap.flop += atomic_load(&w->flop);
        lap.paced_flop += atomic_load(&w->paced_flop);
        lap.paced_seconds += atomic_load(&w->paced_seconds);
        lap.paced_cpu += atomic_load(&w->paced_cpu);
        lap.run_delay += atomic_load(&w->run_delay);
        for (int a = 0; a < HYB_ACTIVITIES; a++) {
            lap.leader[a] = atomic_load(&w->seconds[a]);
            lap.team[a] += lap.leader[a] / members;
        }
    }
    return lap;
}

hyb_lap_t hyb_lap_between(const hyb_lap_t *from, const hyb_lap_t *to)
{
    hyb_lap_t lap = *to;

    lap.time -= from->time;
    lap.flop -= from->flop;
    lap.paced_flop -= from->paced_flop;
    lap.paced_seconds -= from->paced_seconds;
    lap.paced_cpu -= from->paced_cpu;
    lap.run_delay -= from->run_delay;
    for (int a = 0; a < HYB_ACTIVITIES; a++) {
        lap.team[a] -= from->team[a];
        lap.leader[a] -= from->leader[a];
    }
    return lap;
}
