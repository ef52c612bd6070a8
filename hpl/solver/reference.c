/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "hpl/pfact/pivot.h"
#include "hpl/pgesv/exchange.h"
#include "hpl/pgesv/factor_matrix.h"
#include "hpl/solver/system.h"

/* The reference solver: the whole local matrix in host memory, one thread. */

/* Doubles of panel k of the matrix: what travels, and U with its buffers. */
static size_t panel_doubles(const hpl_shape_t *shape, const HPL_T_pmat *mat,
                            int64_t k)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    hpl_map_t columns = hpl_system_column_map(shape);
    int64_t first = k * shape->nb;
    int jb = (int)Mmin(shape->nb, shape->n - first);
    int64_t below = mat->mp - hpl_map_count(&rows, first + jb);
    int right = mat->nq - (int)hpl_map_count(&columns, first + jb);
    int width = Mmin(right, hpl_exchange_width(jb, shape->nb));
    bool factors = hpl_map_block_owner(&columns, (int)k) == shape->mycol;
    size_t pivots = factors ? hpl_pivot_scratch_doubles(jb) : 0;
    size_t u = shape->nprow == 1
                   ? (size_t)jb
                   : Mmax(hpl_exchange_doubles(jb, width), pivots);

    return hpl_panel_doubles(below, jb, shape->npcol) + u;
}

/* The panels in flight are largest at first; the solve follows them. */
static uint64_t bytes(const hpl_shape_t *shape)
{
    HPL_T_pmat mat = hpl_system_matrix(shape);
    int64_t panels = ((int64_t)shape->n + shape->nb - 1) / shape->nb;
    size_t factor = 0;
    size_t solve = (size_t)mat.mp + 1;

    for (int64_t k = 0; k < Mmin(panels, (int64_t)shape->depth + 1); k++)
        factor += panel_doubles(shape, &mat, k);
    return hpl_system_matrix_bytes(&mat, 0, shape->align) +
           Mmax(factor, solve) * sizeof(double);
}

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                          hpl_system_t **system_p)
{
    return hpl_system_create(grid, algo, n, nb, 0, xh_memory_allocate,
                             system_p);
}

static void generate(hpl_system_t *system, int seed)
{
    HPL_T_pmat *mat = &system->mat;

    HPL_pdmatgen(system->grid, mat->n, mat->n + 1, mat->nb, mat->A, mat->ld,
                 seed);
}

static void solve_array(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *array)
{
    hpl_factor_matrix(grid, algo, array);
    HPL_pdtrsv(grid, array);
}

static void solve(hpl_system_t *system, int *info_p)
{
    solve_array(system->grid, system->algo, &system->mat);
    *info_p = system->mat.info;
}

static void check(hpl_system_t *system, int seed, hpl_norms_t *norms_p)
{
    generate(system, seed);
    hpl_system_norms(system->grid, &system->mat, norms_p);
}

static hpl_workers_t workers(void)
{
    return (hpl_workers_t){.threads = 1, .kernel = "blas"};
}

const hpl_solver_t hpl_reference_solver = {.name = "reference",
                                           .bytes = bytes,
                                           .create = create,
                                           .generate = generate,
                                           .solve = solve,
                                           .check = check,
                                           .destroy = hpl_system_destroy,
                                           .solve_array = solve_array,
                                           .workers = workers};

/* ---- the solver in use --------------------------------------------------- */

static const hpl_solver_t *installed = &hpl_reference_solver;

const hpl_solver_t *hpl_solver(void)
{
    return installed;
}

void hpl_solver_install(const hpl_solver_t *solver)
{
    installed = solver != NULL ? solver : &hpl_reference_solver;
}

void HPL_pdgesv(HPL_T_grid *GRID, HPL_T_palg *ALGO, HPL_T_pmat *A)
{
    installed->solve_array(GRID, ALGO, A);
}

double hpl_scaled_residual(const hpl_norms_t *norms, int n)
{
    double eps = HPL_dlamch(HPL_MACH_EPS);

    if (n == 0)
        return 0.0;
    return norms->r_inf /
           (eps * (norms->a_inf * norms->x_inf + norms->b_inf) * (double)n);
}
