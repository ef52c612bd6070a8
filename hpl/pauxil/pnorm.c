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

double hpl_norm_of_all(const HPL_T_grid *grid, const double *v, int64_t count)
{
    double norm = hpl_norm_largest(count, 1, v, count);

    HPL_all_reduce(&norm, 1, HPL_DOUBLE, HPL_max, grid->all_comm);
    return norm;
}

double hpl_norm_of_sums(const HPL_T_grid *grid, double *sums, int64_t count,
                        MPI_Comm across)
{
    HPL_all_reduce(sums, (int)count, HPL_DOUBLE, HPL_sum, across);
    return hpl_norm_of_all(grid, sums, count);
}

double hpl_norm_one_of_x(const HPL_T_grid *grid, const double *x, int64_t count)
{
    double sum;

    hpl_norm_column_sums(count, 1, x, count, &sum);
    HPL_all_reduce(&sum, 1, HPL_DOUBLE, HPL_sum, grid->row_comm);
    return sum;
}

/* Of the sums of all my rows (or columns), count of them. */
static double largest_sum(const part_t *p, int count, sums_fn_t sum,
                          MPI_Comm across)
{
    double largest, *sums = malloc(Mmax((size_t)count, 1) * sizeof(double));

    if (sums == NULL)
        HPL_pabort(__LINE__, "HPL_pdlange", "no memory for %d sums", count);
    sum(p->mp, p->nq, p->a, p->lda, sums);
    largest = hpl_norm_of_sums(p->grid, sums, count, across);
    free(sums);
    return largest;
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
    double largest;

    if (NORM == HPL_NORM_1)
        return largest_sum(&p, p.nq, hpl_norm_column_sums, GRID->col_comm);
    if (NORM == HPL_NORM_I)
        return largest_sum(&p, p.mp, hpl_norm_row_sums, GRID->row_comm);
    largest = hpl_norm_largest(p.mp, p.nq, A, LDA);
    return hpl_norm_of_all(GRID, &largest, 1);
}
