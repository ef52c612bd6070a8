/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/core_budget.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include "base/cgroup.h"
#include "base/cpu.h"
#include "base/text.h"
#include "hpl_solver.h"
#include "testing/ptest/processes.h"

xhpl_cpus_t xhpl_cpus(const char *list)
{
    xhpl_cpus_t cpus = {{0}};
    int number[XH_MOST_CPUS];
    int count = list != NULL ? xh_cpu_list(list, number, XH_MOST_CPUS)
                             : xh_cpu_core_ids("", number, XH_MOST_CPUS);

    for (int i = 0; i < count && i < XH_MOST_CPUS; i++)
        if (number[i] < XH_MOST_CPUS)
            cpus.has[number[i]] = 1;
    return cpus;
}

xhpl_core_budget_t xhpl_core_budget(void)
{
    hpl_workers_t mine = {.threads = 1};
    xhpl_cpus_t cpus;
    xhpl_core_budget_t budget = {.quota = xh_cgroup_cpu_quota("")};
    MPI_Comm node = xhpl_node_comm();

    if (hpl_solver()->workers != NULL)
        mine = hpl_solver()->workers();
    cpus = xhpl_cpus(mine.cpus);
    budget.threads = mine.threads;
    MPI_Allreduce(MPI_IN_PLACE, &budget.threads, 1, MPI_INT, MPI_SUM, node);
    MPI_Allreduce(MPI_IN_PLACE, cpus.has, XH_MOST_CPUS, MPI_BYTE, MPI_BOR,
                  node);
    MPI_Comm_free(&node);
    for (int cpu = 0; cpu < XH_MOST_CPUS; cpu++)
        budget.cores += cpus.has[cpu];
    return budget;
}

double xhpl_core_budget_share(const xhpl_core_budget_t *budget)
{
    return fmax(1.0, budget->threads /
                         fmax(0.01, fmin(budget->cores, budget->quota)));
}

double xhpl_core_budget_others(const xhpl_core_budget_t *budget, double part)
{
    return fmax(0.0, 1.0 - (1.0 - part) * xhpl_core_budget_share(budget));
}

void xhpl_core_budget_cause(const xhpl_core_budget_t *budget, double part,
                            char *text, size_t size)
{
    static const double many = 1.0 / 3.0;
    bool more = xhpl_core_budget_others(budget, part) > many;

    text[0] = '\0';
    if (budget->quota < fmin(budget->threads, budget->cores))
        xh_text_append(text, size, "the control group allows %.2g of %d cores",
                       budget->quota, budget->cores);
    else if (budget->threads > budget->cores)
        xh_text_append(text, size, "this run has %d threads on %d core%s",
                       budget->threads, budget->cores,
                       budget->cores > 1 ? "s" : "");
    if (text[0] == '\0')
        xh_text_append(text, size, "other programs have them");
    else if (more)
        xh_text_append(text, size, ", and other programs");
}
