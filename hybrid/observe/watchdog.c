/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/watchdog.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"

enum {
    LOOKS = 8, /* before patience is over */
    TEXT = 160 /* of where the process stands */
};

/* gap: s since the last look */
static void look(hyb_watchdog_t *dog, double gap)
{
    uint64_t steps = dog->steps(dog->context);
    char text[TEXT];

    if (steps != dog->seen) {
        if (dog->said)
            xh_log_warning("it goes on, after %.0f s", dog->still + gap);
        dog->seen = steps;
        dog->still = 0.0;
        dog->said = false;
        return;
    }
    dog->still += fmin(gap, 2.0 * dog->patience / LOOKS);
    if (dog->said || dog->still < dog->patience)
        return;
    dog->where(dog->context, text, sizeof(text));
    xh_log_warning("no progress for %.0f s, %s", dog->still, text);
    dog->said = true;
}

/* Until the next look, or the end. Called with the mutex. */
static void doze(hyb_watchdog_t *dog)
{
    struct timespec t =
        xh_clock_timespec(xh_clock_wall() + dog->patience / LOOKS);

    pthread_cond_timedwait(&dog->wake, &dog->mutex, &t);
}

static void *watch(void *argument)
{
    hyb_watchdog_t *dog = argument;
    double now, last = xh_clock_wall();

    pthread_mutex_lock(&dog->mutex);
    while (!dog->over) {
        doze(dog);
        now = xh_clock_wall();
        if (!dog->over)
            look(dog, now - last);
        last = now;
    }
    pthread_mutex_unlock(&dog->mutex);
    return NULL;
}

static void begin_thread(hyb_watchdog_t *dog)
{
    pthread_condattr_t monotonic;

    pthread_mutex_init(&dog->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    dog->alone = pthread_create(&dog->thread, NULL, watch, dog) == 0;
    if (dog->alone)
        return;
    pthread_cond_destroy(&dog->wake);
    pthread_mutex_destroy(&dog->mutex);
}

static void end_thread(hyb_watchdog_t *dog)
{
    pthread_mutex_lock(&dog->mutex);
    dog->over = true;
    pthread_cond_signal(&dog->wake);
    pthread_mutex_unlock(&dog->mutex);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->wake);
    pthread_mutex_destroy(&dog->mutex);
}

/* ---- watches that others make -------------------------------------------- */

enum { NESTED = 4 };

static struct {
    pthread_mutex_t lock; /* of what follows */
    const hyb_watchdog_t *watch[NESTED];
    int depth;
    uint64_t changes; /* of these */
    bool to_hang;
    uint64_t seen; /* steps of all kinds, at the last look */
    double still;  /* s since another number was seen */
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void hyb_watchdog_leave_to_hang(bool to_hang)
{
    all.to_hang = to_hang;
}

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

void hyb_watchdog_begin(hyb_watchdog_t *dog, double patience)
{
    dog->patience = patience;
    if (patience <= 0.0)
        return;
    change(dog, 1);
    if (!all.to_hang)
        begin_thread(dog);
}

void hyb_watchdog_end(hyb_watchdog_t *dog)
{
    if (dog->patience <= 0.0)
        return;
    change(dog, -1);
    if (dog->alone)
        end_thread(dog);
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

void hyb_phase_begin(hyb_phase_t *phase, const char *doing, double patience)
{
    phase->doing = doing;
    atomic_init(&phase->steps, 0);
    phase->dog =
        (hyb_watchdog_t){.steps = steps, .where = where, .context = phase};
    hyb_watchdog_begin(&phase->dog, patience);
}

void hyb_phase_step(hyb_phase_t *phase)
{
    atomic_fetch_add(&phase->steps, 1);
}

void hyb_phase_end(hyb_phase_t *phase)
{
    hyb_watchdog_end(&phase->dog);
}
