/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PTEST_H
#define HPL_PTEST_H

/* What a test driver defines; the library holds neither. */
#include "hpl_misc.h"

/*
 * Read what to test from HPL.dat; collective. Counts come first, then lists of
 * at most HPL_MAX_PARAM values.
 *
 * TEST                out  threshold, precision and report file
 * NS, N               out  orders
 * NBS, NB             out  blocking factors
 * PMAPPIN             out  how ranks are laid on the grids
 * NPQS, P, Q          out  grids
 * NPFS, PF, NRFS, RF  out  variants of panel and recursive factorization
 * NBMS, NBM           out  widths at which recursion stops
 * NDVS, NDV           out  parts at each recursion
 * NTPS, TP            out  broadcasts
 * NDHS, DH            out  look-ahead depths
 * FSWAP, TSWAP        out  row exchange, and its threshold in columns
 * L1NOTRAN, UNOTRAN   out  1 where L1 and U are kept not transposed
 * EQUIL               out  1 for equilibration
 * ALIGN               out  alignment of buffers in doubles
 */
void HPL_pdinfo(HPL_T_test *TEST, int *NS, int *N, int *NBS, int *NB,
                HPL_T_ORDER *PMAPPIN, int *NPQS, int *P, int *Q, int *NPFS,
                HPL_T_FACT *PF, int *NBMS, int *NBM, int *NDVS, int *NDV,
                int *NRFS, HPL_T_FACT *RF, int *NTPS, HPL_T_TOP *TP, int *NDHS,
                int *DH, HPL_T_SWAP *FSWAP, int *TSWAP, int *L1NOTRAN,
                int *UNOTRAN, int *EQUIL, int *ALIGN);

/*
 * Generate a system of order N, solve it with ALGO on GRID in blocks of NB,
 * check and report; collective over GRID.
 *
 * TEST  in,out  threshold and report file; its counts of tests
 */
void HPL_pdtest(HPL_T_test *TEST, HPL_T_grid *GRID, HPL_T_palg *ALGO, int N,
                int NB);

#endif
