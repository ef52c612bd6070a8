/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_clocks.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include "hpl_solver.h"
#include "testing/json/json.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/record_parts.h"

struct xhpl_clocks {
    bool is_first;         /* process of its host */
    bool is_watched;       /* the thread runs */
    double first, between; /* s */
    xhpl_energy_t *energy;
    pthread_t thread;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t change;
    bool running, closed;
    int64_t phase;                                    /* how many have begun */
    hpl_clocks_t (*read)(const int *cpus, int count); /* NULL: unknown */
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

/* Sleep for `seconds` or until the phase ends; true if it goes on. */
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
        double joules[XHPL_ENERGY_KINDS];

        sample(c);
        if (c->energy != NULL)
            xhpl_energy_read(c->energy, joules);
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
                             xhpl_energy_t *energy, xhpl_clocks_t **clocks_p)
{
    xhpl_clocks_t *c = calloc(1, sizeof(*c));

    if (c == NULL)
        return XH_ERR_MEMORY;
    c->is_first = local_rank == 0;
    c->first = first;
    c->between = between;
    c->energy = energy;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->change, NULL);
    c->is_watched =
        c->is_first && pthread_create(&c->thread, NULL, watch, c) == 0;
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
    if (c->is_watched)
        pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->change);
    pthread_mutex_destroy(&c->lock);
    free(c);
}

/* The processors that solvers use on this host. */
static xhpl_cpus_t used_here(void)
{
    xhpl_cpus_t all, mine = xhpl_record_cpus(hpl_solver()->workers != NULL
                                                 ? hpl_solver()->workers().cpus
                                                 : NULL);
    MPI_Comm node = xhpl_node_comm();

    MPI_Allreduce(mine.has, all.has, XHPL_CPUS, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
    return all;
}

void xhpl_clocks_begin(xhpl_clocks_t *c)
{
    xhpl_cpus_t used = used_here();

    pthread_mutex_lock(&c->lock);
    c->read = c->is_first ? hpl_solver()->clocks : NULL;
    c->cpus = 0;
    for (int cpu = 0; cpu < XHPL_CPUS; cpu++)
        if (used.has[cpu])
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

/* what a process knows of its host; no pointers, so that it can be gathered */
typedef struct {
    char host[MPI_MAX_PROCESSOR_NAME];
    bool known;
    int samples; /* within the timed phase */
    hpl_clocks_t clocks;
} reading_t;

static reading_t mine(const xhpl_clocks_t *c)
{
    reading_t mine = {
        .known = c->samples > 0, .samples = c->within, .clocks = c->seen};
    int length;

    MPI_Get_processor_name(mine.host, &length);
    if (mine.known)
        mine.clocks.mean /= c->samples;
    return mine;
}

static json_t *host_at(const reading_t *of)
{
    return XH_JSON_OBJECT(
        {"host", xh_json_text(of->host)},
        {"samples", json_integer(of->samples)},
        {"mhz_least", xh_json_number(of->clocks.least)},
        {"mhz_mean", xh_json_number(of->clocks.mean)},
        {"mhz_most", xh_json_number(of->clocks.most)},
        {"temperature_celsius", xh_json_number(of->clocks.celsius)});
}

/* Null if no process knows. */
json_t *xhpl_clocks_gather(const xhpl_clocks_t *c, MPI_Comm comm)
{
    reading_t here = mine(c);
    reading_t *all = xhpl_gather(comm, &here, sizeof(here));
    json_t *list = all != NULL ? json_null() : NULL;

    for (int i = 0; all != NULL && i < xhpl_size(comm); i++) {
        if (all[i].known && json_is_null(list))
            list = json_array();
        if (all[i].known)
            json_array_append_new(list, host_at(&all[i]));
    }
    free(all);
    return list;
}
