/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Exit 0 when the BLAS counts in 32-bit integers, 1 when in 64-bit ones.
 *
 * Each count is followed in memory (or in its register) by all ones, so that
 * a library that reads 64 bits sees a negative number and does nothing.
 */
#include <stdint.h>

#ifdef HPL_CALL_CBLAS

double cblas_ddot(int64_t n, const double *x, int64_t incx, const double *y,
                  int64_t incy);

static double dot_of_three(const double *x)
{
    const int64_t high = INT64_MIN;

    return cblas_ddot(high | 3, x, high | 1, x, high | 1);
}

#else

#if defined(NoChange)
#define DDOT ddot
#elif defined(UpCase)
#define DDOT DDOT
#else
#define DDOT ddot_
#endif

double DDOT(const int32_t *n, const double *x, const int32_t *incx,
            const double *y, const int32_t *incy);

static double dot_of_three(const double *x)
{
    const int32_t three[2] = {3, -1}, one[2] = {1, -1};

    return DDOT(three, x, one, x, one);
}

#endif

int main(void)
{
    const double x[3] = {1.0, 2.0, 3.0};

    return dot_of_three(x) == 14.0 ? 0 : 1;
}
