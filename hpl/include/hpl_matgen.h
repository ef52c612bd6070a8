/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_MATGEN_H
#define HPL_MATGEN_H

#include "hpl_misc.h"

/*
 * The random sequence x(t+1) = a x(t) + c mod 2^64, whose entry is
 * 0.5 - x * 2^-64, in [-0.5, 0.5]. Here a 64-bit number is two int: its low 32
 * bits, then its high 32 bits. hpl/matgen/generator.h has the same sequence at
 * memory speed.
 */
#define HPL_MULT0 1284865837 /* a */
#define HPL_MULT1 1481765933
#define HPL_IADD0 1 /* c */
#define HPL_IADD1 0
#define HPL_DIVFAC 2147483648.0
#define HPL_POW16 65536.0
#define HPL_HALF 0.5

/*
 * Fill A with the entries of x(1), x(2), ... of x(0) = ISEED, column by column.
 * A is M x N, column-major, LDA >= max(1, M).
 */
void HPL_dmatgen(int M, int N, double *A, int LDA, int ISEED);

/* SUM := J + K mod 2^64; SUM may be J or K. */
void HPL_ladd(int *J, int *K, int *SUM);

/* PRODUCT := J * K mod 2^64; PRODUCT may be J or K. */
void HPL_lmul(int *K, int *J, int *PRODUCT);

/*
 * Set (OPTION 0) the current x, (1) the multiplier or (2) the increment of
 * HPL_rand to IRAN, or (3) set IRAN to the current x.
 */
void HPL_setran(int OPTION, int *IRAN);

/* The entry of the current x, which then becomes the next one. */
double HPL_rand(void);

/* IRANM := MULT * IRANN + IADD mod 2^64, and make it the current x. */
void HPL_jumpit(int *MULT, int *IADD, int *IRANN, int *IRANM);

/*
 * Jump JUMPM >= 0 members ahead at once.
 *
 * MULT, IADD  in   a and c of one step
 * IRANN       in   where to start
 * IRANM       out  the member JUMPM steps after IRANN
 * IAM, ICM    out  a and c of the whole jump: IRANM = IAM * IRANN + ICM
 */
void HPL_xjumpm(int JUMPM, int *MULT, int *IADD, int *IRANN, int *IRANM,
                int *IAM, int *ICM);

#endif
