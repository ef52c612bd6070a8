/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include "hpl.h"

/* Constants of the compiler, not measured, so no optimisation can change them.
 */
static const double constants[] = {
    [HPL_MACH_EPS - HPL_MACH_EPS] = DBL_EPSILON / FLT_RADIX,
    [HPL_MACH_SFMIN - HPL_MACH_EPS] = DBL_MIN,
    [HPL_MACH_BASE - HPL_MACH_EPS] = FLT_RADIX,
    [HPL_MACH_PREC - HPL_MACH_EPS] = DBL_EPSILON,
    [HPL_MACH_MLEN - HPL_MACH_EPS] = DBL_MANT_DIG,
    [HPL_MACH_RND - HPL_MACH_EPS] = 1.0,
    [HPL_MACH_EMIN - HPL_MACH_EPS] = DBL_MIN_EXP,
    [HPL_MACH_RMIN - HPL_MACH_EPS] = DBL_MIN,
    [HPL_MACH_EMAX - HPL_MACH_EPS] = DBL_MAX_EXP,
    [HPL_MACH_RMAX - HPL_MACH_EPS] = DBL_MAX,
};

double HPL_dlamch(HPL_T_MACH CMACH)
{
    return constants[CMACH - HPL_MACH_EPS];
}

double HPL_pdlamch(MPI_Comm COMM, HPL_T_MACH CMACH)
{
    double value = HPL_dlamch(CMACH);
    HPL_T_OP least_precise = HPL_max;

    if (CMACH == HPL_MACH_EMAX || CMACH == HPL_MACH_RMAX ||
        CMACH == HPL_MACH_MLEN || CMACH == HPL_MACH_RND)
        least_precise = HPL_min;
    HPL_all_reduce(&value, 1, HPL_DOUBLE, least_precise, COMM);
    return value;
}
