/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/node/team.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "base/arithmetic.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/pin.h"
#include "hybrid/node/wait.h"

/* Seconds of spinning for the next job; and for the other members, who, if it
 * takes longer, do something else than meet. */
static const double idle_spin = 100e-6;
static const double meeting_spin = 1e-3;

/* ---- the team ------------------------------------------------------------ */

typedef struct {
    hyb_team_t *team;
    int member;
    pthread_t thread;
    double spent; /* processor seconds in jobs */
} member_t;

struct hyb_team {
    hyb_gate_t job;  /* how many jobs were given out */
    hyb_gate_t done; /* how many of them are finished */
    _Alignas(64) atomic_int running;
    hyb_core_budget_t budget;
    hyb_team_fn_t fn; /* the job; NULL: go home */
    void *argument;
    unsigned jobs;
    int size;
    int started;      /* helpers, size - 1 once created */
    member_t *member; /* the first is the caller */
    bool pinned;
    xh_affinity_t before; /* the caller's */
};

static void do_job(member_t *member)
{
    hyb_team_t *team = member->team;
    double begun = xh_clock_read(CLOCK_THREAD_CPUTIME_ID);

    team->fn(team->argument, member->member);
    member->spent += xh_clock_read(CLOCK_THREAD_CPUTIME_ID) - begun;
}

static void *help(void *argument)
{
    member_t *helper = argument;
    hyb_team_t *team = helper->team;

    for (unsigned seen = 0;; seen++) {
        hyb_gate_wait(&team->job, seen, &team->budget, idle_spin);
        if (team->fn == NULL)
            return NULL;
        do_job(helper);
        if (atomic_fetch_sub(&team->running, 1) == 1)
            hyb_gate_set(&team->done, seen + 1);
    }
}

/* The job that is set. */
static void give_out(hyb_team_t *team)
{
    team->jobs++;
    atomic_store(&team->running, team->started);
    hyb_gate_set(&team->job, team->jobs);
}

/* error: what pinning a thread to cpu came to. */
static xh_status_t pinning_status(int error, int cpu)
{
    if (error == EINVAL) {
        xh_log_error("this process may not use processor %d", cpu);
        return XH_ERR_ARG;
    }
    if (error != 0)
        xh_log_warning("threads run unpinned: %s", strerror(error));
    return XH_OK;
}

/* A pinned thread starts where it stays: its stack is then near it. */
static xh_status_t start_helper(hyb_team_t *team, int member, int cpu)
{
    member_t *helper = &team->member[member];
    pthread_attr_t attributes;
    int error = 0;

    *helper = (member_t){.team = team, .member = member};
    pthread_attr_init(&attributes);
    if (team->pinned)
        error = xh_pin_attributes(&attributes, &cpu, 1);
    if (error == 0)
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

static xh_status_t start_all(hyb_team_t *team, const int *cpus, int cpu_count)
{
    xh_status_t status = XH_OK;

    if (team->size > 1) {
        int error = xh_pin_save(&team->before);

        error = error == 0 ? xh_pin_thread(cpus, 1) : error;
        team->pinned = error == 0;
        status = pinning_status(error, cpus[0]);
    }
    for (int member = 1; member < team->size && status == XH_OK; member++)
        status = start_helper(team, member, cpus[member % cpu_count]);
    return status;
}

xh_status_t hyb_team_create(const int *cpus, int cpu_count, int size,
                            hyb_team_t **team_p)
{
    hyb_team_t *team;
    member_t *members;
    xh_status_t status;

    if (cpu_count < 1 || size < 1) {
        xh_log_error("a team of %d threads on %d cores", size, cpu_count);
        return XH_ERR_ARG;
    }
    xh_arithmetic_keep_subnormals(); /* helpers inherit the mode */
    team = aligned_alloc(_Alignof(hyb_team_t), sizeof(*team));
    members = calloc((size_t)size, sizeof(*members));
    if (team == NULL || members == NULL) {
        xh_log_error("cannot allocate a team of %d threads", size);
        free(team);
        free(members);
        return XH_ERR_MEMORY;
    }
    *team = (hyb_team_t){.budget = {.threads = size, .cores = cpu_count},
                         .size = size,
                         .member = members};
    members[0].team = team;
    status = start_all(team, cpus, cpu_count);
    if (status == XH_OK)
        *team_p = team;
    else
        hyb_team_destroy(team);
    return status;
}

void hyb_team_destroy(hyb_team_t *team)
{
    if (team == NULL)
        return;
    team->fn = NULL;
    if (team->started > 0)
        give_out(team);
    for (int i = 1; i <= team->started; i++)
        pthread_join(team->member[i].thread, NULL);
    if (team->pinned)
        xh_pin_restore(&team->before);
    free(team->member);
    free(team);
}

int hyb_team_size(const hyb_team_t *team)
{
    return team->size;
}

double hyb_team_seconds(const hyb_team_t *team, int members)
{
    double sum = 0.0;

    for (int i = 0; i < members; i++)
        sum += team->member[i].spent;
    return sum / members;
}

void hyb_team_add_helpers(hyb_team_t *team, int count)
{
    atomic_fetch_add(&team->budget.threads, count);
}

/* A team of one gives nothing out, and has nothing to wait for. */
void hyb_team_run(hyb_team_t *team, hyb_team_fn_t fn, void *argument)
{
    team->fn = fn;
    team->argument = argument;
    if (team->size > 1)
        give_out(team);
    do_job(&team->member[0]);
    hyb_gate_wait(&team->done, team->jobs - 1, &team->budget, meeting_spin);
}

/* ---- barriers ------------------------------------------------------------ */

struct hyb_barrier {
    hyb_gate_t passed; /* how often all have met */
    _Alignas(64) atomic_int missing;
    int members;
    const hyb_core_budget_t *budget;
};

xh_status_t hyb_barrier_create(hyb_team_t *team, int members,
                               hyb_barrier_t **barrier_p)
{
    hyb_barrier_t *barrier;

    if (members < 1 || members > team->size) {
        xh_log_error("a barrier of %d in a team of %d", members, team->size);
        return XH_ERR_ARG;
    }
    barrier = aligned_alloc(_Alignof(hyb_barrier_t), sizeof(*barrier));
    if (barrier == NULL) {
        xh_log_error("cannot allocate a barrier");
        return XH_ERR_MEMORY;
    }
    *barrier = (hyb_barrier_t){
        .missing = members, .members = members, .budget = &team->budget};
    *barrier_p = barrier;
    return XH_OK;
}

void hyb_barrier_destroy(hyb_barrier_t *barrier)
{
    free(barrier);
}

void hyb_barrier_wait(hyb_barrier_t *barrier)
{
    /* Stays as it is until this member has arrived too. */
    unsigned round =
        atomic_load_explicit(&barrier->passed.value, memory_order_relaxed);

    if (atomic_fetch_sub_explicit(&barrier->missing, 1, memory_order_acq_rel) >
        1) {
        hyb_gate_wait(&barrier->passed, round, barrier->budget, meeting_spin);
        return;
    }
    atomic_store_explicit(&barrier->missing, barrier->members,
                          memory_order_relaxed);
    hyb_gate_set(&barrier->passed, round + 1);
}
