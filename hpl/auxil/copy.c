/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

void HPL_dlacpy(int M, int N, const double *A, int LDA, double *B, int LDB)
{
    for (int j = 0; j < N && M > 0; j++)
        memcpy(Mptr(B, 0, j, LDB), Mptr(A, 0, j, LDA),
               (size_t)M * sizeof(double));
}

enum { TILE = 32 }; /* two tiles stay in the first-level cache */

static void transpose_tile(int m, int n, const double *a, int lda, double *b,
                           int ldb)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            *Mptr(b, i, j, ldb) = *Mptr(a, j, i, lda);
}

void HPL_dlatcpy(int M, int N, const double *A, int LDA, double *B, int LDB)
{
    for (int j = 0; j < N; j += TILE)
        for (int i = 0; i < M; i += TILE)
            transpose_tile(Mmin(TILE, M - i), Mmin(TILE, N - j),
                           Mptr(A, j, i, LDA), LDA, Mptr(B, i, j, LDB), LDB);
}
