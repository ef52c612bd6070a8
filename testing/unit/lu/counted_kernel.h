/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdatomic.h>
#include "hybrid/cpu/isa/kernel.h"
#include "testing/unit/lu/everywhere.h"

/* The portable kernel, counting its calls. */
static atomic_int generations, sweeps;

static inline void counted_generate(const xh_lanes_t *lanes, uint64_t x,
                                    int64_t count, double *a)
{
    generations++;
    hyb_kernel_find(XH_ISA_PORTABLE)->generate(lanes, x, count, a);
}

static inline void counted_subtract(const hyb_sweep_t *sweep, double *r)
{
    sweeps++;
    hyb_kernel_find(XH_ISA_PORTABLE)->subtract(sweep, r);
}

static inline void counted_subtract_and_sum(const hyb_sweep_t *sweep, double *r,
                                            const hyb_sums_t *sums)
{
    sweeps++;
    hyb_kernel_find(XH_ISA_PORTABLE)->subtract_and_sum(sweep, r, sums);
}

static inline hyb_kernel_t counted_kernel(void)
{
    hyb_kernel_t kernel = *hyb_kernel_find(XH_ISA_PORTABLE);

    generations = sweeps = 0;
    kernel.generate = counted_generate;
    kernel.subtract = counted_subtract;
    kernel.subtract_and_sum = counted_subtract_and_sum;
    return kernel;
}

typedef int run_by_t(const hyb_kernel_t *kernel, hyb_team_t *team,
                     HPL_T_grid *grid, int n, int nb);

/* What run returns for it, with a team of two on a row of all processes. */
static inline int with_counted_kernel(run_by_t *run, int n, int nb)
{
    hyb_kernel_t kernel = counted_kernel();
    hyb_team_t *team = small_team(2);
    int errors = 1;
    HPL_T_grid grid;

    if (small_grid_open(&grid, 1, unit_processes()))
        errors = run(&kernel, team, &grid, n, nb);
    small_grid_close(&grid);
    hyb_team_destroy(team);
    return errors;
}
