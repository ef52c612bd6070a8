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

/* what the watch knows */
typedef struct {
    uint64_t steps; /* that were done at the last look */
    double still;   /* s since another number was seen */
    bool said;
} watch_t;

/* gap: s since the last look */
static void look(const hyb_watchdog_t *dog, watch_t *watch, double gap)
{
    uint64_t steps = dog->watched.steps(dog->watched.context);
    char text[TEXT];

    if (steps != watch->steps) {
        if (watch->said)
            xh_log_warning("it goes on, after %.0f s", watch->still + gap);
        *watch = (watch_t){.steps = steps};
        return;
    }
    watch->still += fmin(gap, 2.0 * dog->patience / LOOKS);
    if (watch->said || watch->still < dog->patience)
        return;
    dog->watched.where(dog->watched.context, text, sizeof(text));
    xh_log_warning("no progress for %.0f s, %s", watch->still, text);
    watch->said = true;
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
    watch_t watch = {.steps = 0};
    double now, last = xh_clock_wall();

    pthread_mutex_lock(&dog->mutex);
    while (!dog->over) {
        doze(dog);
        now = xh_clock_wall();
        if (!dog->over)
            look(dog, &watch, now - last);
        last = now;
    }
    pthread_mutex_unlock(&dog->mutex);
    return NULL;
}

void hyb_watchdog_begin(hyb_watchdog_t *dog, const hyb_watched_t *watched,
                        double patience)
{
    pthread_condattr_t monotonic;

    dog->watched = *watched;
    dog->patience = patience;
    dog->over = false;
    if (dog->patience <= 0.0)
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
    hyb_watched_t watched = {.steps = steps, .where = where, .context = phase};

    phase->doing = doing;
    atomic_init(&phase->steps, 0);
    hyb_watchdog_begin(&phase->dog, &watched, patience);
}

void hyb_phase_step(hyb_phase_t *phase)
{
    atomic_fetch_add(&phase->steps, 1);
}

void hyb_phase_end(hyb_phase_t *phase)
{
    hyb_watchdog_end(&phase->dog);
}
