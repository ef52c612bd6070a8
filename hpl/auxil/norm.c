/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "hpl.h"
#include "hpl/auxil/norm.h"
#include "hpl/comm/waits.h"
#include "hpl/pauxil/map.h"

double hpl_norm_largest(int64_t m, int64_t n, const double *a, int64_t lda)
{
    uint64_t x, largest = 0;

    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            x = hpl_magnitude(a[i + j * lda]);
            largest = Mmax(largest, x);
        }
    return hpl_magnitude_value(largest);
}

void hpl_norm_column_sums(int64_t m, int64_t n, const double *a, int64_t lda,
                          double *sums)
{
    for (int64_t j = 0; j < n; j++) {
        sums[j] = 0.0;
        for (int64_t i = 0; i < m; i++)
            sums[j] += fabs(a[i + j * lda]);
    }
}

void hpl_norm_row_sums(int64_t m, int64_t n, const double *a, int64_t lda,
                       double *sums)
{
    for (int64_t i = 0; i < m; i++)
        sums[i] = 0.0;
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++)
            sums[i] += fabs(a[i + j * lda]);
}

enum { STRIP = 512 }; /* rows or columns summed at a time, without allocation */

double HPL_dlange(HPL_T_NORM NORM, int M, int N, const double *A, int LDA)
{
    double sums[STRIP], largest[2] = {0.0, 0.0};
    int length, end = NORM == HPL_NORM_1 ? N : M;

    if (NORM == HPL_NORM_A)
        return hpl_norm_largest(M, N, A, LDA);
    for (int at = 0; at < end; at += length) {
        length = Mmin(STRIP, end - at);
        if (NORM == HPL_NORM_1)
            hpl_norm_column_sums(M, length, Mptr(A, 0, at, LDA), LDA, sums);
        else
            hpl_norm_row_sums(length, N, A + at, LDA, sums);
        largest[1] = hpl_norm_largest(length, 1, sums, length);
        largest[0] = hpl_norm_largest(2, 1, largest, 2);
    }
    return largest[0];
}

/* ---- distributed vectors and matrices ------------------------------------ */

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

uint64_t hpl_bits_of_x(const HPL_T_grid *grid, const double *x, int64_t count,
                       int nb)
{
    hpl_map_t map = hpl_map_columns(grid, nb);
    uint64_t sum = 0, bits;

    for (int64_t j = 0; j < count; j++) {
        memcpy(&bits, &x[j], sizeof(bits));
        sum +=
            (2 * (uint64_t)hpl_map_global(&map, j) + 1) * (bits ^ bits >> 29);
    }
    hpl_waits_allreduce(&sum, 1, MPI_UINT64_T, MPI_SUM, grid->row_comm);
    return sum;
}

double HPL_pdlange(const HPL_T_grid *GRID, HPL_T_NORM NORM, int M, int N,
                   int NB, const double *A, int LDA)
{
    hpl_map_t rows = hpl_map(NB, GRID->nprow, GRID->myrow);
    hpl_map_t cols = hpl_map_columns(GRID, NB);
    int64_t mp = hpl_map_count(&rows, Mmax(M, 0));
    int64_t nq = hpl_map_count(&cols, Mmax(N, 0));
    int64_t count = NORM == HPL_NORM_1 ? nq : mp;
    double norm, *sums = malloc((size_t)Mmax(count, 1) * sizeof(double));

    if (sums == NULL)
        HPL_pabort(__LINE__, "HPL_pdlange", "no memory for %" PRId64 " sums",
                   count);
    if (NORM == HPL_NORM_A) {
        *sums = hpl_norm_largest(mp, nq, A, LDA);
        norm = hpl_norm_of_all(GRID, sums, 1);
    } else if (NORM == HPL_NORM_1) {
        hpl_norm_column_sums(mp, nq, A, LDA, sums);
        norm = hpl_norm_of_sums(GRID, sums, count, GRID->col_comm);
    } else {
        hpl_norm_row_sums(mp, nq, A, LDA, sums);
        norm = hpl_norm_of_sums(GRID, sums, count, GRID->row_comm);
    }
    free(sums);
    return norm;
}
