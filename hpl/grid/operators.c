/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/auxil/norm.h"

/* b[i] := (value of a and b) for n values of a type */
#define COMBINE(type_t, value)                                                 \
    for (int i = 0; i < N; i++) {                                              \
        const type_t a = ((const type_t *)IN)[i], b = ((type_t *)INOUT)[i];    \
                                                                               \
        ((type_t *)INOUT)[i] = value;                                          \
    }

/* one operator in both types; a NaN on either side is the result */
#define OPERATOR(name, of_doubles, of_ints)                                    \
    void name(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE)            \
    {                                                                          \
        if (DTYPE == HPL_DOUBLE)                                               \
            COMBINE(double, of_doubles)                                        \
        else                                                                   \
            COMBINE(int, of_ints)                                              \
    }

OPERATOR(HPL_max, hpl_is_nan(a) || a > b ? a : b, a > b ? a : b)
OPERATOR(HPL_min, hpl_is_nan(a) || a < b ? a : b, a < b ? a : b)
OPERATOR(HPL_sum, a + b, a + b)
