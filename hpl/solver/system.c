/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "hpl.h"
#include "hpl/auxil/norm.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/map.h"
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

hpl_shape_t hpl_system_shape(const HPL_T_grid *grid, int n, int nb)
{
    return (hpl_shape_t){.n = n,
                         .nb = nb,
                         .nprow = grid->nprow,
                         .npcol = grid->npcol,
                         .myrow = grid->myrow,
                         .mycol = grid->mycol,
                         .deal = grid->deal};
}

int64_t hpl_system_rows(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_map(shape->nb, shape->nprow, shape->myrow);

    return hpl_map_count(&map, shape->n);
}

hpl_map_t hpl_system_column_map(const hpl_shape_t *shape)
{
    return (hpl_map_t){.nb = shape->nb,
                       .nprocs = shape->npcol,
                       .me = shape->mycol,
                       .deal = shape->deal};
}

int64_t hpl_system_columns(const hpl_shape_t *shape)
{
    hpl_map_t map = hpl_system_column_map(shape);

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

size_t hpl_system_matrix_bytes(const HPL_T_pmat *mat, int spare, int align)
{
    return ((size_t)mat->ld * (size_t)(mat->nq + spare) + (size_t)mat->nq +
            (size_t)Mmax(align, 1)) *
           sizeof(double);
}

void hpl_system_destroy(hpl_system_t *system)
{
    if (system == NULL)
        return;
    xh_memory_free(system->memory, system->bytes);
    free(system);
}

static xh_status_t create(HPL_T_grid *grid, HPL_T_palg *algo,
                          const hpl_shape_t *shape, int spare,
                          hpl_allocate_t *allocate, hpl_system_t **system_p)
{
    hpl_system_t *system = calloc(1, sizeof(*system));
    xh_status_t status;

    if (system == NULL)
        return XH_ERR_MEMORY;
    system->grid = grid;
    system->algo = algo;
    system->mat = hpl_system_matrix(shape);
    system->bytes = hpl_system_matrix_bytes(&system->mat, spare, algo->align);
    status = allocate(system->bytes, &system->memory);
    if (status != XH_OK) {
        free(system);
        return status;
    }
    system->mat.A =
        HPL_PTR(system->memory, (size_t)Mmax(algo->align, 1) * sizeof(double));
    system->mat.X =
        Mptr(system->mat.A, 0, system->mat.nq + spare, system->mat.ld);
    *system_p = system;
    return XH_OK;
}

xh_status_t hpl_system_create(HPL_T_grid *grid, HPL_T_palg *algo, int n, int nb,
                              int spare, hpl_allocate_t *allocate,
                              hpl_system_t **system_p)
{
    hpl_shape_t shape = hpl_system_shape(grid, n, nb);
    hpl_system_t *system = NULL;
    xh_status_t status;

    shape.depth = algo->depth;
    shape.align = algo->align;
    status = hpl_agree(grid->all_comm,
                       create(grid, algo, &shape, spare, allocate, &system));
    if (status != XH_OK)
        hpl_system_destroy(system);
    else
        *system_p = system;
    return status;
}

/* ||A x - b||_oo; b, and A's nq local columns */
static double residual(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                       const double *b, int nq)
{
    double *r = calloc((size_t)mat->mp + 1, sizeof(double)), norm;

    if (r == NULL)
        HPL_pabort(__LINE__, "hpl_system_norms", "out of memory");
    if (b != NULL)
        memcpy(r, b, (size_t)mat->mp * sizeof(double));
    if (mat->mp > 0 && nq > 0)
        HPL_dgemv(HplColumnMajor, HplNoTrans, mat->mp, nq, -1.0, mat->A,
                  mat->ld, mat->X, 1, 1.0, r, 1);
    norm = hpl_norm_of_sums(grid, r, mat->mp, grid->row_comm);
    free(r);
    return norm;
}

void hpl_system_norms(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                      hpl_norms_t *norms_p)
{
    hpl_map_t columns = hpl_map_columns(grid, mat->nb);
    int n = mat->n, nq = (int)hpl_map_count(&columns, n);
    const double *b = nq < mat->nq ? Mptr(mat->A, 0, nq, mat->ld) : NULL;

    norms_p->a_inf =
        HPL_pdlange(grid, HPL_NORM_I, n, n, mat->nb, mat->A, mat->ld);
    norms_p->a_one =
        HPL_pdlange(grid, HPL_NORM_1, n, n, mat->nb, mat->A, mat->ld);
    norms_p->b_inf = hpl_norm_of_all(grid, b, b != NULL ? mat->mp : 0);
    norms_p->x_inf = hpl_norm_of_all(grid, mat->X, nq);
    norms_p->x_one = hpl_norm_one_of_x(grid, mat->X, nq);
    norms_p->x_bits = hpl_bits_of_x(grid, mat->X, nq, mat->nb);
    norms_p->r_inf = residual(grid, mat, b, nq);
}
