/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PAUXIL_H
#define HPL_PAUXIL_H

#include "hpl_misc.h"

/*
 * Index maps of the block-cyclic distribution in one dimension: a first block
 * of INB indices, then blocks of NB, dealt to NPROCS processes from SRCPROC on.
 * SRCPROC -1 means not distributed: local is global, the owner is -1.
 * Indices count from 0. Any int is fine as an index or a block size; the
 * arithmetic inside is 64-bit. See hpl/pauxil/map.h for the 64-bit form.
 */

/* Position of global index IG among its owner's local indices. */
int HPL_indxg2l(int IG, int INB, int NB, int SRCPROC, int NPROCS);

/* *IL := HPL_indxg2l and *PROC := HPL_indxg2p of IG. */
void HPL_indxg2lp(int *IL, int *PROC, int IG, int INB, int NB, int SRCPROC,
                  int NPROCS);

/* Process that owns global index IG. */
int HPL_indxg2p(int IG, int INB, int NB, int SRCPROC, int NPROCS);

/* Global index of local index IL of process PROC. */
int HPL_indxl2g(int IL, int INB, int NB, int PROC, int SRCPROC, int NPROCS);

/* How many of the global indices 0 .. N - 1 process PROC owns. */
int HPL_numroc(int N, int INB, int NB, int PROC, int SRCPROC, int NPROCS);

/* How many of the global indices IA .. IA + N - 1 process PROC owns. */
int HPL_numrocI(int N, int IA, int INB, int NB, int PROC, int SRCPROC,
                int NPROCS);

/*
 * Where the submatrix that starts at global (IA, JA) starts locally.
 *
 * IMB, MB, RSRC, NPROW  in   distribution of the rows
 * INB, NB, CSRC, NPCOL  in   distribution of the columns
 * MYROW, MYCOL          in   the process asking
 * II, JJ                out  local position of the first row >= IA and the
 *                            first column >= JA that it owns
 * PROW, PCOL            out  the process that owns (IA, JA)
 */
void HPL_infog2l(int IA, int JA, int IMB, int MB, int INB, int NB, int RSRC,
                 int CSRC, int MYROW, int MYCOL, int NPROW, int NPCOL, int *II,
                 int *JJ, int *PROW, int *PCOL);

/*
 * Write one line on stderr - rank, host, SRNAME, LINE and the message of
 * printf's FORM - and end all processes of the job with exit status 3.
 * LINE <= 0 is left out.
 */
void HPL_pabort(int LINE, const char *SRNAME, const char *FORM, ...)
    __attribute__((noreturn, format(printf, 3, 4)));

/* The same line on STREAM, as a warning; the job goes on. */
void HPL_pwarn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM,
               ...) __attribute__((format(printf, 4, 5)));

/* HPL_dlamch, the least precise of all processes of COMM; collective. */
double HPL_pdlamch(MPI_Comm COMM, HPL_T_MACH CMACH);

/*
 * Norm of a distributed M x N matrix, on every process; collective over GRID.
 * Rows and columns are dealt in blocks of NB from process (0, 0) on. A NaN
 * anywhere gives NaN.
 *
 * NORM  in  largest entry (HPL_NORM_A), column sum (HPL_NORM_1) or row sum
 *           (HPL_NORM_I) in absolute value; 0 for an empty matrix
 * A     in  this process's part, column-major
 * LDA   in  >= max(1, local rows)
 */
double HPL_pdlange(const HPL_T_grid *GRID, HPL_T_NORM NORM, int M, int N,
                   int NB, const double *A, int LDA);

/*
 * Print a distributed M x N matrix on stdout of process (0, 0), an entry a
 * line; collective over GRID.
 *
 * A             in  this process's part, column-major, ld LDA
 * IAROW, IACOL  in  the process that holds the first block of NB x NB
 * CMATNM        in  the name to print
 */
void HPL_pdlaprnt(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int IAROW, int IACOL, const char *CMATNM);

#endif
