/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_PMATGEN_H
#define HPL_PMATGEN_H

#include "hpl_misc.h"

void HPL_pdmatgen(const HPL_T_grid *GRID, const int M, const int N, const int NB, double *A, const int LDA, const int ISEED);

#endif
