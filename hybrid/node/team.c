/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "hybrid/node/core_budget.h"
#include "hybrid/node/gate.h"
#include "hybrid/node/pin.h"

/* Seconds of spinning: for the next job, and for the others to finish one. */
static const double idle_spin = 100e-6;
static const double join_spin = 1e-3;

typedef struct {
    hyb_team_t *team;
    int member;
    pthread_t thread;
} helper_t;

struct hyb_team {
    hyb_gate_t job;  /* how many jobs were given out */
    hyb_gate_t done; /* how many of them are finished */
    _Alignas(64) atomic_int running;
    hyb_core_budget_t crowd;
    hyb_team_fn_t fn; /* the job; NULL: go home */
    void *argument;
    int first; /* member that takes part */
    unsigned jobs;
    int size;
    int started; /* helpers, size - 1 once created */
    helper_t *helpers;
    bool pinned;
    hyb_affinity_t before; /* the caller's */
};

static void *help(void *argument)
{
    helper_t *helper = argument;
    hyb_team_t *team = helper->team;
    unsigned seen;

    for (seen = 0;; seen++) {
        hyb_gate_wait(&team->job, seen, &team->crowd, idle_spin);
        if (team->fn == NULL)
            return NULL;
        if (helper->member >= team->first)
            team->fn(team->argument, helper->member);
        if (atomic_fetch_sub(&team->running, 1) == 1)
            hyb_gate_set(&team->done, seen + 1);
    }
}

static void give_out(hyb_team_t *team, int first, hyb_team_fn_t fn,
                     void *argument)
{
    team->fn = fn;
    team->argument = argument;
    team->first = first;
    team->jobs++;
    atomic_store(&team->running, team->started);
    hyb_gate_set(&team->job, team->jobs);
}

static xh_status_t check(const int *cpus, int cpu_count, int size)
{
    int i;

    if (cpu_count < 1 || size < 1) {
        xh_log_error("a team of %d threads on %d cores", size, cpu_count);
        return XH_ERR_ARG;
    }
    for (i = 0; i < cpu_count; i++)
        if (cpus[i] < 0 || cpus[i] >= HYB_MOST_CPUS) {
            xh_log_error("no processor has the number %d", cpus[i]);
            return XH_ERR_ARG;
        }
    return XH_OK;
}

/* error: what pinning a thread to cpu came to. */
static xh_status_t pinning_status(int error, int cpu)
{
    if (error == EINVAL) {
        xh_log_error("processor %d is not there for this process", cpu);
        return XH_ERR_ARG;
    }
    if (error != 0)
        xh_log_warning("threads run unpinned: %s", strerror(error));
    return XH_OK;
}

static xh_status_t pin_caller(hyb_team_t *team, int cpu)
{
    int error = hyb_pin_save(&team->before);

    if (error == 0)
        error = hyb_pin_thread(&cpu, 1);
    team->pinned = error == 0;
    return pinning_status(error, cpu);
}

/* A pinned thread starts where it stays: its stack is then near it. */
static xh_status_t start_helper(hyb_team_t *team, int member, int cpu)
{
    helper_t *helper = &team->helpers[member - 1];
    pthread_attr_t attributes;
    int error;

    *helper = (helper_t){.team = team, .member = member};
    pthread_attr_init(&attributes);
    if (team->pinned)
        hyb_pin_attributes(&attributes, &cpu, 1);
    error = pthread_create(&helper->thread, &attributes, help, helper);
    pthread_attr_destroy(&attributes);
    if (error == 0) {
        team->started++;
        return XH_OK;
    }
    if (error == EINVAL)
        return pinning_status(error, cpu);
    xh_log_error("cannot start thread %d of %d: %s", member, team->size,
                 strerror(error));
    return XH_ERR_MEMORY;
}

static hyb_team_t *allocate(int size)
{
    hyb_team_t *team = aligned_alloc(_Alignof(hyb_team_t), sizeof(*team));

    if (team == NULL)
        return NULL;
    memset(team, 0, sizeof(*team));
    team->helpers = calloc((size_t)size, sizeof(*team->helpers));
    if (team->helpers == NULL) {
        free(team);
        return NULL;
    }
    hyb_gate_init(&team->job, 0);
    hyb_gate_init(&team->done, 0);
    atomic_init(&team->running, 0);
    atomic_init(&team->crowd.threads, size);
    team->size = size;
    return team;
}

static xh_status_t start_all(hyb_team_t *team, const int *cpus, int cpu_count)
{
    xh_status_t status = team->size > 1 ? pin_caller(team, cpus[0]) : XH_OK;
    int member;

    for (member = 1; member < team->size && status == XH_OK; member++)
        status = start_helper(team, member, cpus[member % cpu_count]);
    return status;
}

xh_status_t hyb_team_create(const int *cpus, int cpu_count, int size,
                            hyb_team_t **team_p)
{
    xh_status_t status = check(cpus, cpu_count, size);
    hyb_team_t *team;

    if (status != XH_OK)
        return status;
    team = allocate(size);
    if (team == NULL) {
        xh_log_error("cannot allocate a team of %d threads", size);
        return XH_ERR_MEMORY;
    }
    team->crowd.cores = hyb_pin_count(cpus, cpu_count);
    status = start_all(team, cpus, cpu_count);
    if (status == XH_OK)
        *team_p = team;
    else
        hyb_team_destroy(team);
    return status;
}

void hyb_team_destroy(hyb_team_t *team)
{
    int i;

    if (team == NULL)
        return;
    if (team->started > 0)
        give_out(team, 1, NULL, NULL);
    for (i = 0; i < team->started; i++)
        pthread_join(team->helpers[i].thread, NULL);
    if (team->pinned)
        hyb_pin_restore(&team->before);
    free(team->helpers);
    free(team);
}

int hyb_team_size(const hyb_team_t *team)
{
    return team->size;
}

const hyb_core_budget_t *hyb_team_core_budget(const hyb_team_t *team)
{
    return &team->crowd;
}

void hyb_team_add_helpers(hyb_team_t *team, int count)
{
    atomic_fetch_add(&team->crowd.threads, count);
}

void hyb_team_run(hyb_team_t *team, hyb_team_fn_t fn, void *argument)
{
    hyb_team_start(team, 1, fn, argument);
    fn(argument, 0);
    hyb_team_join(team);
}

void hyb_team_start(hyb_team_t *team, int first, hyb_team_fn_t fn,
                    void *argument)
{
    if (first < team->size)
        give_out(team, first, fn, argument);
}

/* Nothing to wait for if no job is open: done has the last one's number. */
void hyb_team_join(hyb_team_t *team)
{
    hyb_gate_wait(&team->done, team->jobs - 1, &team->crowd, join_spin);
}
