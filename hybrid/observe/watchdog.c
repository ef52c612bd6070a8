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
    double until = xh_clock_wall() + dog->patience / LOOKS;
    struct timespec t = {.tv_sec = (time_t)until};

    t.tv_nsec = (long)((until - (double)t.tv_sec) * 1e9);
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

void hyb_watchdog_begin(hyb_watchdog_t *dog, double patience)
{
    pthread_condattr_t monotonic;

    *dog = (hyb_watchdog_t){.steps = dog->steps,
                            .where = dog->where,
                            .context = dog->context,
                            .patience = patience};
    if (patience <= 0.0)
        return;
    pthread_mutex_init(&dog->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&dog->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (pthread_create(&dog->thread, NULL, watch, dog) == 0)
        return;
    pthread_cond_destroy(&dog->wake);
    pthread_mutex_destroy(&dog->mutex);
    dog->patience = 0.0;
}

void hyb_watchdog_end(hyb_watchdog_t *dog)
{
    if (dog->patience <= 0.0)
        return;
    pthread_mutex_lock(&dog->mutex);
    dog->over = true;
    pthread_cond_signal(&dog->wake);
    pthread_mutex_unlock(&dog->mutex);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->wake);
    pthread_mutex_destroy(&dog->mutex);
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
    phase->dog.steps = steps;
    phase->dog.where = where;
    phase->dog.context = phase;
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
