/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "hpl.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/check.h"
#include "hpl/solver/system.h"

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

int64_t hpl_system_rows(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_map(shape->nb, shape->nprow, shape->myrow);

    return hpl_map_count(&map, shape->n);
}

int64_t hpl_system_columns(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_map(shape->nb, shape->npcol, shape->mycol);

    return hpl_map_count(&map, (int64_t)shape->n + 1);
}

HPL_T_pmat hpl_system_matrix(const hpl_shape_t *shape)
{
    int mp = (int)hpl_system_rows(shape);

    return (HPL_T_pmat){.n = shape->n,
                        .nb = shape->nb,
                        .mp = mp,
                        .nq = (int)hpl_system_columns(shape),
                        .ld = (int)leading_dimension(mp, shape->align)};
}

size_t hpl_system_matrix_bytes(const HPL_T_pmat *mat, int align)
{
    return ((size_t)mat->ld + 1) * (size_t)mat->nq * sizeof(double) +
           (size_t)Mmax(align, 1) * sizeof(double);
}

void hpl_system_destroy(hpl_system_t *system)
{
    if (system == NULL)
        return;
    if (system->memory != NULL)
        xh_memory_free(system->memory, system->bytes);
    free(system);
}

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo,
                          const hpl_shape_t *shape, hpl_allocate_t *allocate,
                          hpl_system_t **system_p)
{
    hpl_system_t *system = calloc(1, sizeof(*system));
    xh_status_t status;

    if (system == NULL)
        return XH_ERR_MEMORY;
    system->grid = grid;
    system->algo = algo;
    system->mat = hpl_system_matrix(shape);
    system->bytes = hpl_system_matrix_bytes(&system->mat, algo->align);
    status = allocate(system->bytes, &system->memory);
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

xh_status_t hpl_system_create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                              hpl_allocate_t *allocate, hpl_system_t **system_p)
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
    xh_status_t status = hpl_agree(
        grid->all_comm, create(grid, algo, &shape, allocate, &system));

    if (status != XH_OK)
        hpl_system_destroy(system);
    else
        *system_p = system;
    return status;
}

void hpl_system_solution(hpl_system_t *system, double *x)
{
    hpl_gather_solution(system->grid, &system->mat, x);
}
