/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/observers.h"

#include <stdio.h>
#include "base/trace.h"
#include "hpl/pgesv/progress.h"
#include "hybrid/observe/health.h"
#include "hybrid/observe/watchdog.h"

static struct {
    hyb_observer_t run;
    hyb_iterations_t *record;
    hpl_progress_t progress;
    hyb_health_t health;
    hyb_watchdog_t watchdog;
} all;

/* ---- functions of the watchdog ------------------------------------------- */

static uint64_t steps(const void *context)
{
    const hyb_observer_t *run = context;

    return hyb_timer_steps(run->worker, run->members);
}

static void describe(const void *context, char *text, size_t size)
{
    const hyb_observer_t *run = context;

    hyb_timer_where(run->worker, run->iterations, text, size);
}

static bool is_waiting(const void *context, int *panel_p)
{
    const hyb_observer_t *run = context;

    return hyb_timer_waits(run->worker, panel_p);
}

/* ---- events -------------------------------------------------------------- */

/*
 * The flop/s that a thread should reach over the whole factorization, which is
 * less than its rate in updates, if all processes have equally many threads; 0
 * if there are devices.
 */
static double predicted_rate(const hyb_observer_t *run)
{
    double threads = (double)run->members * run->grid->nprocs;

    return run->devices > 0 ? 0.0
                            : hpl_progress_expected(&all.progress) / threads;
}

static void name_actors(const hyb_observer_t *run)
{
    char name[32];

    for (int i = 0; xh_trace_on() && i < run->members; i++) {
        snprintf(name, sizeof(name), "thread %d", i);
        xh_trace_name_actor(i, name);
    }
}

static void begin(const hyb_observer_t *run)
{
    all.run = *run;
    all.watchdog = (hyb_watchdog_t){.steps = steps,
                                    .describe = describe,
                                    .is_waiting = is_waiting,
                                    .context = &all.run};
    all.progress = hpl_progress_begin(run->grid, run->n);
    all.progress.devices = run->devices;
    hyb_health_begin(&all.health, &all.run, predicted_rate(run));
    hyb_iterations_begin(all.record, run);
    name_actors(run);
    hyb_watchdog_begin(&all.watchdog);
}

static void step(int64_t columns_left)
{
    all.progress.at_work = 0.0;
    for (int i = 0; i < all.run.devices; i++)
        all.progress.at_work += all.run.did[i].seconds;
    hpl_progress_say(&all.progress, columns_left);
    hyb_health_step(&all.health);
}

static void iteration(const hyb_iteration_t *row)
{
    hyb_iterations_add(all.record, row);
}

static void end(void)
{
    hyb_watchdog_end(&all.watchdog);
    hpl_progress_say(&all.progress, 0);
    hyb_health_end(&all.health);
}

hyb_observer_t hyb_observers(hyb_iterations_t *record)
{
    all.record = record;
    return (hyb_observer_t){
        .begin = begin, .step = step, .iteration = iteration, .end = end};
}
