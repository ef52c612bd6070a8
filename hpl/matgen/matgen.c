/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/matgen/generator.h"

void HPL_pdmatgen(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int ISEED)
{
    hpl_map_t rows = hpl_map(NB, GRID->nprow, GRID->myrow);
    hpl_map_t cols = hpl_map(NB, GRID->npcol, GRID->mycol);
    hpl_generator_t g;

    if (M <= 0 || N <= 0)
        return;
    g = hpl_generator(M, (uint32_t)ISEED, &rows, &cols);
    hpl_generator_fill(&g,
                       (hpl_block_t){.rows = hpl_map_count(&rows, M),
                                     .cols = hpl_map_count(&cols, N)},
                       A, LDA);
}

void HPL_dmatgen(int M, int N, double *A, int LDA, int ISEED)
{
    HPL_T_grid alone = {.nprow = 1, .npcol = 1};

    HPL_pdmatgen(&alone, M, N, 1, A, LDA, ISEED);
}
