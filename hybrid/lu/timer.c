/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/timer.h"

#include <math.h>
#include <stdio.h>
#include "base/clock.h"
#include "base/trace.h"

static const char *const names[HYB_ACTIVITIES] = {
    [HYB_PANEL] = "panel",
    [HYB_SWAP] = "swap",
    [HYB_SOLVE] = "solve",
    [HYB_MULTIPLY] = "update",
    [HYB_HELP] = "update",
    [HYB_BROADCAST] = "broadcast",
    [HYB_EXCHANGE] = "exchange",
    [HYB_WAIT_PANEL] = "wait for panel",
    [HYB_WAIT_ROWS] = "wait for rows",
    [HYB_WAIT_COLUMNS] = "wait for columns",
};

static const char *const phases[HYB_ACTIVITIES] = {
    [HYB_PANEL] = "in the panel: its factorization",
    [HYB_SWAP] = "in the update: swapping rows",
    [HYB_SOLVE] = "in the update: solving",
    [HYB_MULTIPLY] = "in the update: multiplying",
    [HYB_HELP] = "in the update: helping the devices",
    [HYB_BROADCAST] = "in the broadcast",
    [HYB_EXCHANGE] = "in the exchange of rows",
    [HYB_WAIT_PANEL] = "in the broadcast: waiting for a panel",
    [HYB_WAIT_ROWS] = "in the exchange: waiting for rows of other processes",
    [HYB_WAIT_COLUMNS] =
        "in the update: waiting for another thread or a device",
};

static void add(_Atomic double *sum, double more)
{
    double now = atomic_load_explicit(sum, memory_order_relaxed);

    atomic_store_explicit(sum, now + more, memory_order_relaxed);
}

static void set_doing(hyb_timer_t *spent, int doing)
{
    atomic_store_explicit(&spent->doing, doing, memory_order_relaxed);
}

static int at(hyb_activity_t activity, int iteration)
{
    return iteration * HYB_ACTIVITIES + (int)activity;
}

void hyb_timer_begin(hyb_timer_t *spent, int member, hyb_activity_t activity,
                     int iteration)
{
    set_doing(&spent[member], at(activity, iteration));
    spent[member].inside = 0.0;
}

static void step(hyb_timer_t *spent)
{
    unsigned steps = atomic_load_explicit(&spent->steps, memory_order_relaxed);

    atomic_store_explicit(&spent->steps, steps + 1, memory_order_relaxed);
}

double hyb_timer_end(hyb_timer_t *spent, int member, hyb_activity_t activity,
                     int iteration, double started)
{
    double now = xh_clock_now();

    add(&spent[member].seconds[activity],
        fmax(0.0, now - started - spent[member].inside));
    spent[member].inside = 0.0;
    step(&spent[member]);
    if (xh_trace_on())
        xh_trace_span(member, names[activity], iteration, started, now);
    return now;
}

hyb_timer_mark_t hyb_timer_enter(hyb_timer_t *spent, int member,
                                 hyb_activity_t activity, int iteration)
{
    hyb_timer_t *mine = &spent[member];
    hyb_timer_mark_t mark = {
        .activity = activity,
        .iteration = iteration,
        .started = xh_clock_now(),
        .inside = mine->inside,
        .outer = atomic_load_explicit(&mine->doing, memory_order_relaxed)};

    set_doing(mine, at(activity, iteration));
    return mark;
}

void hyb_timer_leave(hyb_timer_t *spent, int member, hyb_timer_mark_t mark)
{
    static const double least = 1e-4; /* of a span: there are many polls */
    hyb_timer_t *mine = &spent[member];
    double now = xh_clock_now(), all = now - mark.started;

    add(&mine->seconds[mark.activity], all - (mine->inside - mark.inside));
    mine->inside = mark.inside + all;
    set_doing(mine, mark.outer);
    if (mark.activity == HYB_HELP) /* polls may find nothing to do */
        step(mine);
    if (all >= least && xh_trace_on())
        xh_trace_span(member, names[mark.activity], mark.iteration,
                      mark.started, now);
}

void hyb_timer_flop(hyb_timer_t *spent, int member, double flop)
{
    add(&spent[member].flop, flop);
}

uint64_t hyb_timer_steps(const hyb_timer_t *spent, int members)
{
    uint64_t steps = 0;
    int i;

    for (i = 0; i < members; i++)
        steps += atomic_load(&spent[i].steps);
    return steps;
}

void hyb_timer_where(const hyb_timer_t *spent, int iterations, char *text,
                     size_t size)
{
    int doing = atomic_load(&spent[0].doing);

    snprintf(text, size, "iteration %d of %d, %s", doing / HYB_ACTIVITIES,
             iterations, phases[doing % HYB_ACTIVITIES]);
}

hyb_timer_sum_t hyb_timer_sum(const hyb_timer_t *spent, int members)
{
    hyb_timer_sum_t sum = {.flop = 0.0};
    int i, a;

    for (i = 0; i < members; i++) {
        sum.flop += atomic_load(&spent[i].flop);
        for (a = 0; a < HYB_ACTIVITIES; a++)
            sum.seconds[a] += atomic_load(&spent[i].seconds[a]);
    }
    return sum;
}
