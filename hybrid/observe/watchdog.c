/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/watchdog.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include "base/settings.h"

enum { NESTED = 4 };

static struct {
    pthread_mutex_t lock; /* of what follows */
    const hyb_watchdog_t *watch[NESTED];
    int depth;
    uint64_t changes; /* of these */
    uint64_t seen;    /* steps of all kinds, at the last look */
    double still;     /* s since another number was seen */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void change(const hyb_watchdog_t *dog, int more)
{
    pthread_mutex_lock(&all.lock);
    if (more > 0 && all.depth < NESTED)
        all.watch[all.depth] = dog;
    all.depth += more;
    all.changes++;
    pthread_mutex_unlock(&all.lock);
}

/* The innermost one, or NULL. Under the lock. */
static const hyb_watchdog_t *innermost(void)
{
    return all.depth > 0 && all.depth <= NESTED ? all.watch[all.depth - 1]
                                                : NULL;
}

static void describe_waits(const hyb_watchdog_t *dog, hyb_state_t *state)
{
    hpl_wait_t one, notes[HPL_WAITS_MOST];
    int count = hpl_waits_notes(notes), panel = -1;
    bool in_loop = false;

    if (hpl_waits_read(&one)) {
        hyb_state_await(state, &one);
        return;
    }
    if (dog != NULL && dog->waits != NULL)
        in_loop = dog->waits(dog->context, &panel);
    hyb_state_choose(state, notes, count, in_loop, panel);
}

/* Under the lock. */
static void describe(const hyb_watchdog_t *dog, hyb_state_t *state)
{
    *state = (hyb_state_t){.still = all.still, .doing = HYB_WORKS};
    describe_waits(dog, state);
    if (dog != NULL)
        dog->where(dog->context, state->where, sizeof(state->where));
    else
        snprintf(state->where, sizeof(state->where), "between two phases");
    if (dog == NULL && state->count == 0)
        state->doing = HYB_BETWEEN;
}

void hyb_watchdog_state(double gap, hyb_state_t *state_p)
{
    const hyb_watchdog_t *dog;
    uint64_t steps;

    pthread_mutex_lock(&all.lock);
    dog = innermost();
    steps = all.changes + hpl_waits_count() +
            (dog != NULL ? dog->steps(dog->context) : 0);
    all.still = steps == all.seen ? all.still + gap : 0.0;
    all.seen = steps;
    describe(dog, state_p);
    pthread_mutex_unlock(&all.lock);
}

/* ---- begin and end ------------------------------------------------------- */

void hyb_watchdog_begin(const hyb_watchdog_t *dog)
{
    change(dog, 1);
}

void hyb_watchdog_end(const hyb_watchdog_t *dog)
{
    if (dog->steps != NULL)
        change(dog, -1);
}

double hyb_watchdog_patience(void)
{
    int provided;

    MPI_Query_thread(&provided);
    return provided < MPI_THREAD_FUNNELED ? 0.0 : xh_settings_real("watchdog");
}

/* ---- phases -------------------------------------------------------------- */

static uint64_t steps(const void *phase)
{
    return atomic_load(&((const hyb_phase_t *)phase)->steps);
}

static void where(const void *phase, char *text, size_t size)
{
    snprintf(text, size, "%s", ((const hyb_phase_t *)phase)->doing);
}

void hyb_phase_begin(hyb_phase_t *phase, const char *doing)
{
    phase->doing = doing;
    atomic_init(&phase->steps, 0);
    phase->dog =
        (hyb_watchdog_t){.steps = steps, .where = where, .context = phase};
    hyb_watchdog_begin(&phase->dog);
}

void hyb_phase_step(hyb_phase_t *phase)
{
    atomic_fetch_add(&phase->steps, 1);
}

void hyb_phase_end(hyb_phase_t *phase)
{
    hyb_watchdog_end(&phase->dog);
}
