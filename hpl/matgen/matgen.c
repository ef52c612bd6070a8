/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/matgen/generator.h"

static void generate(const hpl_random_t *matrix, const hpl_map_t *rows,
                     const hpl_map_t *cols, double *a, int64_t lda)
{
    if (matrix->m > 0 && matrix->n > 0)
        hpl_generate(matrix, rows, cols, a, lda);
}

void HPL_dmatgen(int M, int N, double *A, int LDA, int ISEED)
{
    hpl_random_t matrix = {.m = M, .n = N, .seed = (uint32_t)ISEED};
    hpl_map_t all = hpl_map(1, 1, 0);

    generate(&matrix, &all, &all, A, LDA);
}

void HPL_pdmatgen(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int ISEED)
{
    hpl_random_t matrix = {.m = M, .n = N, .seed = (uint32_t)ISEED};
    hpl_map_t rows = hpl_map(NB, GRID->nprow, GRID->myrow);
    hpl_map_t cols = hpl_map(NB, GRID->npcol, GRID->mycol);

    generate(&matrix, &rows, &cols, A, LDA);
}
