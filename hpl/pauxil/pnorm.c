/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/auxil/norm.h"
#include "hpl/pauxil/map.h"

/* my part of a distributed matrix */
typedef struct {
    const HPL_T_grid *grid;
    int mp, nq;
    const double *a;
    int lda;
} part_t;

typedef void (*sums_fn_t)(int64_t, int64_t, const double *, int64_t, double *);

/*
 * Largest of the sums of all my rows (or columns), count of them, which
 * continue on the other processes of across.
 */
static double largest_sum(const part_t *p, int count, sums_fn_t sum,
                          MPI_Comm across)
{
    double largest, *sums = malloc(Mmax((size_t)count, 1) * sizeof(double));

    if (sums == NULL)
        HPL_pabort(__LINE__, "HPL_pdlange", "no memory for %d sums", count);
    sum(p->mp, p->nq, p->a, p->lda, sums);
    HPL_all_reduce(sums, count, HPL_DOUBLE, HPL_sum, across);
    largest = hpl_norm_largest(count, 1, sums, count);
    free(sums);
    return largest;
}

static double local_norm(const part_t *p, HPL_T_NORM norm)
{
    switch (norm) {
    case HPL_NORM_1:
        return largest_sum(p, p->nq, hpl_norm_column_sums, p->grid->col_comm);
    case HPL_NORM_I:
        return largest_sum(p, p->mp, hpl_norm_row_sums, p->grid->row_comm);
    default:
        return hpl_norm_largest(p->mp, p->nq, p->a, p->lda);
    }
}

double HPL_pdlange(const HPL_T_grid *GRID, HPL_T_NORM NORM, int M, int N,
                   int NB, const double *A, int LDA)
{
    hpl_map_t rows = hpl_map(NB, GRID->nprow, GRID->myrow);
    hpl_map_t cols = hpl_map(NB, GRID->npcol, GRID->mycol);
    part_t p = {.grid = GRID,
                .mp = (int)hpl_map_count(&rows, Mmax(M, 0)),
                .nq = (int)hpl_map_count(&cols, Mmax(N, 0)),
                .a = A,
                .lda = LDA};
    double norm = local_norm(&p, NORM);

    HPL_all_reduce(&norm, 1, HPL_DOUBLE, HPL_max, GRID->all_comm);
    return norm;
}
