/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

enum { PRINT_TAG = 102 };

void HPL_pdlaprnt(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int IAROW, int IACOL, const char *CMATNM)
{
    int p = GRID->nprow, q = GRID->npcol, me = GRID->iam;
    int owner, reader = HPL_pnum(GRID, 0, 0);
    double x;

    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++) {
            owner = HPL_pnum(GRID, HPL_indxg2p(i, NB, NB, IAROW, p),
                             HPL_indxg2p(j, NB, NB, IACOL, q));
            if (me == owner)
                x = *Mptr(A, HPL_indxg2l(i, NB, NB, IAROW, p),
                          HPL_indxg2l(j, NB, NB, IACOL, q), LDA);
            if (me == owner && owner != reader)
                MPI_Send(&x, 1, MPI_DOUBLE, reader, PRINT_TAG, GRID->all_comm);
            if (me == reader && owner != reader)
                MPI_Recv(&x, 1, MPI_DOUBLE, owner, PRINT_TAG, GRID->all_comm,
                         MPI_STATUS_IGNORE);
            if (me == reader)
                HPL_fprintf(stdout, "%s(%6d,%6d)=%30.18f\n", CMATNM, i + 1,
                            j + 1, x);
        }
}
