/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "hpl/pgesv/exchange.h"
#include "hpl/pgesv/factor_matrix.h"
#include "hpl/pgesv/update.h"
#include "hpl/solver/check.h"
#include "hpl_solver.h"

/* The reference solver: the whole local matrix in host memory, one thread. */

struct hpl_system {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat mat;
    void *memory;
    size_t bytes;
};

/*
 * Leading dimension for mp rows: a multiple of align and, where align allows
 * it, an odd number of cache lines, so that a row spreads over all cache sets.
 */
static int64_t leading_dimension(int64_t mp, int align)
{
    enum { LINE = 8 };
    int64_t step = Mmax(align, 1), ld = (Mmax(mp, 1) + step - 1) / step * step;

    if (step % (2 * LINE) != 0)
        while (ld / LINE % 2 == 0)
            ld += step;
    return ld;
}

static HPL_T_pmat local_matrix(const hpl_shape_t *shape)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    hpl_map_t columns = hpl_map(shape->nb, shape->npcol, shape->mycol);
    int mp = (int)hpl_map_count(&rows, shape->n);

    return (HPL_T_pmat){.n = shape->n,
                        .nb = shape->nb,
                        .mp = mp,
                        .nq =
                            (int)hpl_map_count(&columns, (int64_t)shape->n + 1),
                        .ld = (int)leading_dimension(mp, shape->align)};
}

/* The matrix, x, and slack to align the first column. */
static size_t matrix_bytes(const HPL_T_pmat *mat, int align)
{
    return ((size_t)mat->ld + 1) * (size_t)mat->nq * sizeof(double) +
           (size_t)Mmax(align, 1) * sizeof(double);
}

/* Doubles of panel k of the matrix: what travels, and U with its buffers. */
static size_t panel_doubles(const hpl_shape_t *shape, const HPL_T_pmat *mat,
                            int64_t k)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    hpl_map_t columns = hpl_map(shape->nb, shape->npcol, shape->mycol);
    int64_t first = k * shape->nb;
    int jb = (int)Mmin(shape->nb, shape->n - first);
    int64_t below = mat->mp - hpl_map_count(&rows, first + jb);
    int right = mat->nq - (int)hpl_map_count(&columns, first + jb);
    int width = Mmin(right, hpl_update_width(jb, shape->nb));
    size_t u = shape->nprow > 1 ? hpl_exchange_doubles(jb, width) : (size_t)jb;

    return hpl_panel_doubles(below, jb, shape->npcol) + u;
}

/* The panels in flight are largest at first; the solve follows them. */
static uint64_t bytes(const hpl_shape_t *shape)
{
    HPL_T_pmat mat = local_matrix(shape);
    int64_t panels = ((int64_t)shape->n + shape->nb - 1) / shape->nb, k;
    size_t factor = 0;
    size_t solve = (size_t)mat.mp + (size_t)Mmin(shape->nb, shape->n) + 1;

    for (k = 0; k < Mmin(panels, (int64_t)shape->depth + 1); k++)
        factor += panel_doubles(shape, &mat, k);
    return matrix_bytes(&mat, shape->align) +
           Mmax(factor, solve) * sizeof(double);
}

static xh_status_t agree(const HPL_T_grid *grid, xh_status_t mine)
{
    int worst = (int)mine;

    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_INT, MPI_MAX, grid->all_comm);
    return (xh_status_t)worst;
}

static void destroy(hpl_system_t *system)
{
    if (system == NULL)
        return;
    if (system->memory != NULL)
        xh_memory_free(system->memory, system->bytes);
    free(system);
}

static xh_status_t allocate(HPL_T_grid *grid, HPL_T_palg *algo,
                            const hpl_shape_t *shape, hpl_system_t **system_p)
{
    hpl_system_t *system = calloc(1, sizeof(*system));
    xh_status_t status;

    if (system == NULL)
        return XH_ERR_MEMORY;
    system->grid = grid;
    system->algo = algo;
    system->mat = local_matrix(shape);
    system->bytes = matrix_bytes(&system->mat, algo->align);
    status = xh_memory_allocate(system->bytes, &system->memory);
    if (status != XH_OK) {
        free(system);
        return status;
    }
    system->mat.A =
        HPL_PTR(system->memory, (size_t)Mmax(algo->align, 1) * sizeof(double));
    system->mat.X = Mptr(system->mat.A, 0, system->mat.nq, system->mat.ld);
    *system_p = system;
    return XH_OK;
}

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                          hpl_system_t **system_p)
{
    hpl_shape_t shape = {.n = n,
                         .nb = nb,
                         .nprow = grid->nprow,
                         .npcol = grid->npcol,
                         .myrow = grid->myrow,
                         .mycol = grid->mycol,
                         .depth = algo->depth,
                         .align = algo->align};
    hpl_system_t *system = NULL;
    xh_status_t status = agree(grid, allocate(grid, algo, &shape, &system));

    if (status != XH_OK)
        destroy(system);
    else
        *system_p = system;
    return status;
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
    hpl_check_solution(system->grid, &system->mat, norms_p);
}

static void solution(hpl_system_t *system, double *x)
{
    hpl_gather_solution(system->grid, &system->mat, x);
}

const hpl_solver_t hpl_reference_solver = {.name = "reference",
                                           .bytes = bytes,
                                           .create = create,
                                           .generate = generate,
                                           .solve = solve,
                                           .check = check,
                                           .solution = solution,
                                           .destroy = destroy,
                                           .solve_array = solve_array};
