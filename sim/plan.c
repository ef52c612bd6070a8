/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <math.h>
#include <stdlib.h>
#include "base/clock.h"
#include "hybrid/plan/measure.h"
#include "hybrid/plan/probes.h"
#include "sim/memory.h"
#include "sim/model.h"
#include "testing/ptest/core_budget.h"

/* Replacements for the planner's measurements: the same parts of the solver, on
 * shapes alone. */

/* Processor time of simulated threads equals the clock. */
double __wrap_hyb_team_seconds(const hyb_team_t *team, int members)
{
    return xh_clock_now();
}

/* Run once, because simulated times are always the same. */
hyb_seconds_t __wrap_hyb_time_together(hyb_crew_t crew,
                                       void (*prepare)(void *context),
                                       void (*run)(void *context),
                                       void *context, double seconds)
{
    MPI_Barrier(MPI_COMM_WORLD);
    return hyb_time_runs(crew, prepare, run, context, 1);
}

/* Each simulated thread has a core. */
xhpl_core_budget_t __wrap_xhpl_core_budget(void)
{
    return (xhpl_core_budget_t){.threads = 1, .cores = 1, .quota = INFINITY};
}

/* ---- cores and memory ---------------------------------------------------- */

double __wrap_hyb_probe_ceiling(hyb_team_t *team, xh_isa_t isa, double seconds)
{
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    return -hyb_slowest(-sim_model()->rate) * processes;
}

/* The ceiling in the record. */
double __wrap_xh_fma_ceiling(xh_isa_t isa, const int *cpus, int threads,
                             double seconds)
{
    return sim_model()->rate;
}

xh_status_t __wrap_hyb_probe_sweep(hyb_team_t *team, const hyb_kernel_t *kernel,
                                   double seconds, double *rate_p)
{
    *rate_p = sim_model()->move;
    return XH_OK;
}

/* ---- a panel ------------------------------------------------------------- */

xh_status_t __wrap_hyb_host_panel_open(hyb_host_panel_t *x,
                                       const hyb_kernel_t *kernel,
                                       hyb_team_t *team, int64_t m, int nb)
{
    double *memory = sim_nowhere();

    *x = (hyb_host_panel_t){.members = hyb_team_size(team),
                            .memory.team = team,
                            .columns = {memory, m, nb, m}};
    x->panel = (hyb_panel_t){.body = {memory, m - nb, nb, kernel->rows},
                             .top = {memory, nb, nb, nb},
                             .l1 = {memory, nb, nb, nb},
                             .pivot = calloc((size_t)nb, sizeof(int64_t)),
                             .zero_p = &x->zero};
    return x->panel.pivot != NULL ? XH_OK : XH_ERR_MEMORY;
}

void __wrap_hyb_host_panel_close(hyb_host_panel_t *x)
{
    free(x->panel.pivot);
}

/* Nothing to do: the time of the factorization includes packing. */
void __wrap_hyb_host_panel_load(void *panel)
{
}

/* ---- an update ----------------------------------------------------------- */

xh_status_t __wrap_hyb_host_update_open(hyb_host_update_t *x,
                                        const hyb_kernel_t *kernel,
                                        hyb_team_t *team)
{
    double *memory = sim_nowhere();
    int k = (int)x->k;

    x->memory.team = team;
    x->columns = (xh_view_t){memory, x->m + k, x->n, x->m + k};
    x->packed = memory;
    x->factors = (hyb_factors_t){kernel, .l1 = {memory, k, k, kernel->rows},
                                 .l2 = {memory, x->m, k, kernel->rows}};
    x->swap = (hyb_swap_t){.nb = k, .displaced = k};
    return XH_OK;
}

void __wrap_hyb_host_update_close(hyb_host_update_t *x)
{
}

void __real_hyb_host_update_run(void *update);

void __wrap_hyb_host_update_run(void *update)
{
    const hyb_host_update_t *x = update;

    if (x->parts == HYB_PART_PACK)
        sim_charge_move(16.0 * 2.0 * (double)(x->k * x->n));
    else
        __real_hyb_host_update_run(update);
}

/* ---- all ----------------------------------------------------------------- */

xh_status_t __real_hyb_measure(const hyb_resources_t *resources,
                               const hyb_measurement_t *what,
                               hyb_model_rates_t *rates_p);

/* Set `aside`: the one thread of a process stands for all of its threads, of
 * whose time messages would take a small part. */
xh_status_t __wrap_hyb_measure(const hyb_resources_t *resources,
                               const hyb_measurement_t *what,
                               hyb_model_rates_t *rates_p)
{
    XH_TRY(__real_hyb_measure(resources, what, rates_p));
    rates_p->aside = true;
    return XH_OK;
}
