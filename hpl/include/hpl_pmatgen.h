/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PMATGEN_H
#define HPL_PMATGEN_H

#include "hpl_misc.h"

/*
 * Fill the local part of a distributed M x N matrix with what HPL_dmatgen
 * gives the whole; bitwise the same on any grid and for any NB. No
 * communication.
 *
 * GRID  in   blocks of NB x NB are dealt from process (0, 0) on
 * A     out  this process's part, column-major
 * LDA   in   >= max(1, local rows)
 */
void HPL_pdmatgen(const HPL_T_grid *GRID, int M, int N, int NB, double *A,
                  int LDA, int ISEED);

#endif
