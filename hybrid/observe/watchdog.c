/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/watchdog.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include "base/settings.h"

enum { MOST_NESTED = 4 };

static struct {
    pthread_mutex_t lock; /* protects the members below */
    const hyb_watchdog_t *watched[MOST_NESTED];
    int depth;
    uint64_t changes;  /* how often `depth` changed */
    uint64_t progress; /* changes, waits and steps at the last call */
    double stall;      /* s since `progress` changed */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void change_depth(const hyb_watchdog_t *watchdog, int by)
{
    pthread_mutex_lock(&all.lock);
    if (by > 0 && all.depth < MOST_NESTED)
        all.watched[all.depth] = watchdog;
    all.depth += by;
    all.changes++;
    pthread_mutex_unlock(&all.lock);
}

/* The innermost watchdog; NULL: nothing is watched. The caller holds the lock.
 */
static const hyb_watchdog_t *innermost(void)
{
    return all.depth > 0 && all.depth <= MOST_NESTED
               ? all.watched[all.depth - 1]
               : NULL;
}

static void add_waits(const hyb_watchdog_t *watchdog, hyb_state_t *state)
{
    hpl_wait_t wait, notes[HPL_WAITS_MOST];
    int count = hpl_waits_notes(notes), panel = -1;
    bool in_loop = false;

    if (hpl_waits_read(&wait)) {
        hyb_state_add_wait(state, &wait);
        return;
    }
    if (watchdog != NULL && watchdog->is_waiting != NULL)
        in_loop = watchdog->is_waiting(watchdog->context, &panel);
    hyb_state_add_notes(state, notes, count, in_loop, panel);
}

/* Fill in *state. The caller holds the lock. */
static void get_state(const hyb_watchdog_t *watchdog, hyb_state_t *state)
{
    *state = (hyb_state_t){.stall = all.stall, .kind = HYB_STATE_WORKING};
    add_waits(watchdog, state);
    if (watchdog != NULL)
        watchdog->describe(watchdog->context, state->position,
                           sizeof(state->position));
    else
        snprintf(state->position, sizeof(state->position),
                 "between two phases");
    if (watchdog == NULL && state->wait_count == 0)
        state->kind = HYB_STATE_BETWEEN;
}

void hyb_watchdog_state(double gap, hyb_state_t *state_p)
{
    const hyb_watchdog_t *watchdog;
    uint64_t progress;

    pthread_mutex_lock(&all.lock);
    watchdog = innermost();
    progress = all.changes + hpl_waits_count() +
               (watchdog != NULL ? watchdog->steps(watchdog->context) : 0);
    all.stall = progress == all.progress ? all.stall + gap : 0.0;
    all.progress = progress;
    get_state(watchdog, state_p);
    pthread_mutex_unlock(&all.lock);
}

/* ---- begin and end ------------------------------------------------------- */

void hyb_watchdog_begin(const hyb_watchdog_t *watchdog)
{
    change_depth(watchdog, 1);
}

void hyb_watchdog_end(const hyb_watchdog_t *watchdog)
{
    if (watchdog->steps != NULL)
        change_depth(watchdog, -1);
}

double hyb_watchdog_patience(void)
{
    int provided;

    MPI_Query_thread(&provided);
    return provided < MPI_THREAD_FUNNELED ? 0.0 : xh_settings_real("watchdog");
}

/* ---- phases -------------------------------------------------------------- */

static uint64_t phase_steps(const void *phase)
{
    return atomic_load(&((const hyb_phase_t *)phase)->steps);
}

static void phase_describe(const void *phase, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const hyb_phase_t *)phase)->name);
}

void hyb_phase_begin(hyb_phase_t *phase, const char *name)
{
    phase->name = name;
    atomic_init(&phase->steps, 0);
    phase->watchdog = (hyb_watchdog_t){
        .steps = phase_steps, .describe = phase_describe, .context = phase};
    hyb_watchdog_begin(&phase->watchdog);
}

void hyb_phase_step(hyb_phase_t *phase)
{
    atomic_fetch_add(&phase->steps, 1);
}

void hyb_phase_end(hyb_phase_t *phase)
{
    hyb_watchdog_end(&phase->watchdog);
}
