/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_MATGEN_H
#define HPL_MATGEN_H

#include "hpl_misc.h"

void HPL_dmatgen(const int M, const int N, double *A, const int LDA, const int ISEED);
void HPL_jumpit(int *MULT, int *IADD, int *IRANN, int *IRANM);
void HPL_ladd(int *J, int *K, int *I);
void HPL_lmul(int *K, int *J, int *I);
double HPL_rand(void);
void HPL_setran(const int OPTION, int *IRAN);
void HPL_xjumpm(const int JUMPM, int *MULT, int *IADD, int *IRANN, int *IRANM, int *IAM, int *ICM);

#endif
