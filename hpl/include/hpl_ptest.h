/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PTEST_H
#define HPL_PTEST_H

/* Functions that a test driver defines; the library has neither. */
#include "hpl_misc.h"

/* Read what to test from HPL.dat: counts, then lists of HPL_MAX_PARAM values.
 */
void HPL_pdinfo(HPL_T_test *TEST, int *NS, int *N, int *NBS, int *NB,
                HPL_T_ORDER *PMAPPIN, int *NPQS, int *P, int *Q, int *NPFS,
                HPL_T_FACT *PF, int *NBMS, int *NBM, int *NDVS, int *NDV,
                int *NRFS, HPL_T_FACT *RF, int *NTPS, HPL_T_TOP *TP, int *NDHS,
                int *DH, HPL_T_SWAP *FSWAP, int *TSWAP, int *L1NOTRAN,
                int *UNOTRAN, int *EQUIL, int *ALIGN);

/* Generate a system, solve it, check and report the result, and count the test
 * in TEST. */
void HPL_pdtest(HPL_T_test *TEST, HPL_T_grid *GRID, HPL_T_palg *ALGO, int N,
                int NB);

#endif
