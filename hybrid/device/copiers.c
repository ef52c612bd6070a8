/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/copiers.h"

hyb_team_t *hyb_copiers_open(const int *cpus, int cpu_count)
{
    hyb_team_t *copiers = NULL;

    if (cpu_count > 1 &&
        hyb_team_create(cpus, cpu_count, cpu_count, &copiers) == XH_OK)
        hyb_team_add_helpers(copiers, cpu_count); /* nobody spins */
    return copiers;
}

typedef struct {
    hyb_team_t *copiers;
    const hyb_flight_t *flight;
    const hyb_job_t *job;
    const hyb_slot_t *slot;
} commit_t;

static void commit_part(void *argument, int member)
{
    const commit_t *c = argument;

    hyb_flight_commit(c->flight, c->job, c->slot, member,
                      hyb_team_size(c->copiers));
}

void hyb_copiers_commit(hyb_team_t *copiers, const hyb_flight_t *flight,
                        const hyb_job_t *job, const hyb_slot_t *slot)
{
    commit_t all = {copiers, flight, job, slot};

    if (copiers != NULL)
        hyb_team_run(copiers, commit_part, &all);
    else
        hyb_flight_commit(flight, job, slot, 0, 1);
}
