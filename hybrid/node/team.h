/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"

/*
 * This process's host threads: the caller and size - 1 pinned helpers that run
 * a function together. Sub-teams form by giving different members different
 * functions in one run; each sub-team has a barrier of its own.
 *
 * A barrier spins only while the threads that want to run (members, and
 * helpers such as device feeders announced by hyb_team_add_helpers) do not
 * outnumber the cores; otherwise it sleeps at once. Members without work spin
 * a little under the same condition, then sleep. A team of one starts no thread
 * and pins nothing.
 */
typedef struct hyb_team hyb_team_t;
typedef struct hyb_barrier hyb_barrier_t;

typedef void (*hyb_team_fn_t)(void *argument, int member);

/*
 * Start a team on cpus (numbers of the system, each once), member i on
 * cpus[i % cpu_count]; member 0 is the calling thread, pinned too if size > 1.
 * Where the system forbids pinning, a warning says so and the team runs
 * unpinned.
 * Errors: XH_ERR_ARG     no cpu, or one that this process may not use
 *         XH_ERR_MEMORY  threads could not be started
 */
xh_status_t hyb_team_create(const int *cpus, int cpu_count, int size,
                            hyb_team_t **team_p);

/*
 * Stop and join; the caller's own affinity is restored. Accepts NULL.
 * Order: from the thread that created the team.
 */
void hyb_team_destroy(hyb_team_t *team);

int hyb_team_size(const hyb_team_t *team);

/*
 * Processor seconds that the first members have spent in jobs, their mean.
 * Neither the time that other programs had their cores counts, nor waiting for
 * a job's beginning and for other members' end.
 * Order: the thread that created the team, between jobs
 */
double hyb_team_seconds(const hyb_team_t *team, int members);

/* Threads beside the team that want cores of cpus; negative takes back. */
void hyb_team_add_helpers(hyb_team_t *team, int count);

/* Run fn(argument, member) on every member; returns when all are done. */
void hyb_team_run(hyb_team_t *team, hyb_team_fn_t fn, void *argument);

/*
 * A barrier for members threads of team, destroyed before team when no member
 * is inside; destroy accepts NULL.
 * Errors: XH_ERR_ARG  members < 1 or more than team has
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_barrier_create(hyb_team_t *team, int members,
                               hyb_barrier_t **barrier_p);
void hyb_barrier_destroy(hyb_barrier_t *barrier);

/* Wait for all. What each wrote before is seen by all after. */
void hyb_barrier_wait(hyb_barrier_t *barrier);
