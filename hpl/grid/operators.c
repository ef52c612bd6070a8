/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/auxil/magnitude.h"

static double max_double(double a, double b)
{
    return hpl_is_nan(a) || a > b ? a : b;
}

static double min_double(double a, double b)
{
    return hpl_is_nan(a) || a < b ? a : b;
}

static double sum_double(double a, double b)
{
    return a + b;
}

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

static int min_int(int a, int b)
{
    return a < b ? a : b;
}

static int sum_int(int a, int b)
{
    return a + b;
}

/* one operator in both types */
#define OPERATOR(name, of_double, of_int)                                      \
    void name(int N, const void *IN, void *INOUT, HPL_T_TYPE DTYPE)            \
    {                                                                          \
        const double *a = IN;                                                  \
        const int *ai = IN;                                                    \
        double *b = INOUT;                                                     \
        int *bi = INOUT;                                                       \
        int i;                                                                 \
                                                                               \
        for (i = 0; i < N; i++)                                                \
            if (DTYPE == HPL_DOUBLE)                                           \
                b[i] = of_double(a[i], b[i]);                                  \
            else                                                               \
                bi[i] = of_int(ai[i], bi[i]);                                  \
    }

OPERATOR(HPL_max, max_double, max_int)
OPERATOR(HPL_min, min_double, min_int)
OPERATOR(HPL_sum, sum_double, sum_int)
