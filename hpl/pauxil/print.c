/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/pauxil/map.h"

enum { PRINT_TAG = 102 };

/* a distributed matrix, the first block on process (iarow, iacol) */
typedef struct {
    const HPL_T_grid *grid;
    hpl_map_t rows, cols;
    const double *a;
    int lda;
    int iarow, iacol;
} matrix_t;

/* Element (i, j), on process (0, 0); others hand theirs over. */
static double fetch(const matrix_t *m, int i, int j)
{
    const HPL_T_grid *grid = m->grid;
    int prow = (hpl_map_owner(&m->rows, i) + m->iarow) % grid->nprow;
    int pcol = (hpl_map_owner(&m->cols, j) + m->iacol) % grid->npcol;
    int owner = HPL_pnum(grid, prow, pcol), reader = HPL_pnum(grid, 0, 0);
    double x = 0.0;

    if (grid->iam == owner)
        x = *Mptr(m->a, hpl_map_local(&m->rows, i), hpl_map_local(&m->cols, j),
                  m->lda);
    if (owner == reader)
        return x;
    if (grid->iam == owner)
        MPI_Send(&x, 1, MPI_DOUBLE, reader, PRINT_TAG, grid->all_comm);
    if (grid->iam == reader)
        MPI_Recv(&x, 1, MPI_DOUBLE, owner, PRINT_TAG, grid->all_comm,
                 MPI_STATUS_IGNORE);
    return x;
}

void HPL_pdlaprnt(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int IAROW, int IACOL, const char *CMATNM)
{
    matrix_t m = {.grid = GRID,
                  .rows = hpl_map(NB, GRID->nprow, GRID->myrow),
                  .cols = hpl_map(NB, GRID->npcol, GRID->mycol),
                  .a = A,
                  .lda = LDA,
                  .iarow = IAROW,
                  .iacol = IACOL};
    bool prints = GRID->myrow == 0 && GRID->mycol == 0;
    double x;

    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            x = fetch(&m, i, j);
            if (prints)
                HPL_fprintf(stdout, "%s(%6d,%6d)=%30.18f\n", CMATNM, i + 1,
                            j + 1, x);
        }
}
