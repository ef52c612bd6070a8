/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_clocks.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include "hpl_solver.h"
#include "testing/ptest/record_cpus.h"
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

struct xhpl_clocks {
    bool is_first;         /* process of its host */
    bool watched;          /* a thread looks */
    double first, between; /* s */
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t change;
    bool running, closed;
    int64_t phase;                                    /* how many have begun */
    hpl_clocks_t (*read)(const int *cpus, int count); /* NULL: nobody can */
    int cpu[XHPL_CPUS], cpus;
    int samples, within; /* so far; of the last test, in its timed phase */
    hpl_clocks_t seen;   /* of all samples: the sum of means */
};

/* ---- reading: under the lock --------------------------------------------- */

static void sample(xhpl_clocks_t *c)
{
    hpl_clocks_t now;

    if (c->read == NULL)
        return;
    now = c->read(c->cpu, c->cpus);
    if (c->samples++ == 0) {
        c->seen = now;
        return;
    }
    c->seen.least = fmin(c->seen.least, now.least);
    c->seen.most = fmax(c->seen.most, now.most);
    c->seen.mean += now.mean;
    c->seen.celsius = fmax(c->seen.celsius, now.celsius);
}

static struct timespec moment_in(double seconds)
{
    const long second = 1000000000;
    struct timespec moment;
    long fraction;

    clock_gettime(CLOCK_REALTIME, &moment);
    fraction = moment.tv_nsec + (long)(1e9 * (seconds - floor(seconds)));
    moment.tv_sec += (time_t)floor(seconds) + fraction / second;
    moment.tv_nsec = fraction % second;
    return moment;
}

static bool goes_on(const xhpl_clocks_t *c, int64_t phase)
{
    return c->running && !c->closed && c->phase == phase;
}

/* Sleep while that phase goes on, at most so long; does it still? */
static bool sleep_within(xhpl_clocks_t *c, int64_t phase, double seconds)
{
    struct timespec until = moment_in(seconds);
    int timed_out = 0;

    while (goes_on(c, phase) && timed_out == 0)
        timed_out = pthread_cond_timedwait(&c->change, &c->lock, &until);
    return goes_on(c, phase);
}

static void watch_phase(xhpl_clocks_t *c)
{
    int64_t phase = c->phase;
    bool late = sleep_within(c, phase, c->first);

    while (late) {
        sample(c);
        late = sleep_within(c, phase, c->between);
    }
}

static void *watch(void *argument)
{
    xhpl_clocks_t *c = argument;

    pthread_mutex_lock(&c->lock);
    while (!c->closed)
        if (c->running)
            watch_phase(c);
        else
            pthread_cond_wait(&c->change, &c->lock);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* ---- on each process ----------------------------------------------------- */

xh_status_t xhpl_clocks_open(int local_rank, double first, double between,
                             xhpl_clocks_t **clocks_p)
{
    xhpl_clocks_t *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return XH_ERR_MEMORY;
    c->is_first = local_rank == 0;
    c->first = first;
    c->between = between;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->change, NULL);
    c->watched = c->is_first && pthread_create(&c->thread, NULL, watch, c) == 0;
    *clocks_p = c;
    return XH_OK;
}

void xhpl_clocks_close(xhpl_clocks_t *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->lock);
    c->closed = true;
    pthread_cond_signal(&c->change);
    pthread_mutex_unlock(&c->lock);
    if (c->watched)
        pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* All that processes of this host took. */
static xhpl_cpus_t taken_here(void)
{
    xhpl_cpus_t mine, all;
    MPI_Comm node;

    mine = xhpl_cpus_of(
        hpl_solver()->workers != NULL ? hpl_solver()->workers().cpus : NULL);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    MPI_Allreduce(mine.bits, all.bits, sizeof(all.bits), MPI_BYTE, MPI_BOR,
                  node);
    MPI_Comm_free(&node);
    return all;
}

void xhpl_clocks_begin(xhpl_clocks_t *c)
{
    xhpl_cpus_t taken = taken_here();

    pthread_mutex_lock(&c->lock);
    c->read = c->is_first ? hpl_solver()->clocks : NULL;
    c->cpus = 0;
    for (int cpu = 0; cpu < XHPL_CPUS; cpu++)
        if (xhpl_cpus_have(&taken, cpu))
            c->cpu[c->cpus++] = cpu;
    pthread_mutex_unlock(&c->lock);
}

void xhpl_clocks_start(xhpl_clocks_t *c)
{
    pthread_mutex_lock(&c->lock);
    c->phase++;
    c->samples = 0;
    c->running = true;
    pthread_cond_signal(&c->change);
    pthread_mutex_unlock(&c->lock);
}

void xhpl_clocks_stop(xhpl_clocks_t *c)
{
    pthread_mutex_lock(&c->lock);
    c->within = c->samples;
    if (c->samples == 0)
        sample(c);
    c->running = false;
    pthread_cond_signal(&c->change);
    pthread_mutex_unlock(&c->lock);
}

/* ---- all together -------------------------------------------------------- */

/* what a process has of its host; flat, so that a gather carries it */
typedef struct {
    char host[MPI_MAX_PROCESSOR_NAME];
    bool known;
    int samples; /* within the timed phase */
    hpl_clocks_t clocks;
} told_t;

static told_t mine(const xhpl_clocks_t *c)
{
    told_t told = {
        .known = c->samples > 0, .samples = c->within, .clocks = c->seen};
    int length;

    MPI_Get_processor_name(told.host, &length);
    if (told.known)
        told.clocks.mean /= c->samples;
    return told;
}

static json_t *host_at(const told_t *told)
{
    json_t *object = json_object();

    xhpl_json_set_text(object, "host", told->host);
    xhpl_json_set_count(object, "samples", told->samples);
    xhpl_json_set_number(object, "mhz_least", told->clocks.least);
    xhpl_json_set_number(object, "mhz_mean", told->clocks.mean);
    xhpl_json_set_number(object, "mhz_most", told->clocks.most);
    xhpl_json_set_number(object, "temperature_celsius", told->clocks.celsius);
    return object;
}

/* Null: nobody can read them. */
static json_t *list_of(void *tellings, int count)
{
    const told_t *all = tellings;
    json_t *list = json_null();

    for (int i = 0; i < count; i++) {
        if (all[i].known && json_is_null(list))
            list = json_array();
        if (all[i].known)
            json_array_append_new(list, host_at(&all[i]));
    }
    return list;
}

json_t *xhpl_clocks_gather(const xhpl_clocks_t *c, MPI_Comm comm)
{
    told_t told = mine(c);

    return xhpl_record_gathered(comm, &told, sizeof(told), list_of);
}
