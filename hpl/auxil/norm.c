/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hpl.h"
#include "hpl/auxil/magnitude.h"
#include "hpl/auxil/norm.h"

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

enum { STRIP = 512 }; /* sums of one strip of rows or columns: no allocation */

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
