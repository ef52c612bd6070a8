/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"

double HPL_pdlamch(MPI_Comm COMM, const HPL_T_MACH CMACH)
{
    double value = HPL_dlamch(CMACH);
    HPL_T_OP least_precise = HPL_max;

    if (CMACH == HPL_MACH_EMAX || CMACH == HPL_MACH_RMAX ||
        CMACH == HPL_MACH_MLEN || CMACH == HPL_MACH_RND)
        least_precise = HPL_min;
    HPL_all_reduce(&value, 1, HPL_DOUBLE, least_precise, COMM);
    return value;
}
