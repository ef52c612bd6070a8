/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/copy.h"

#include <string.h>
#include "base/integers.h"

#ifdef __SSE2__

#include <emmintrin.h>

enum { LINE = 8 }; /* doubles in a cache line */

/* Doubles until the next cache line begins. */
static int64_t to_next_line(const double *x)
{
    int64_t into = (int64_t)((uintptr_t)x / sizeof(double) % LINE);

    return (LINE - into) % LINE;
}

static void write_line(double *to, const double *from)
{
    for (int i = 0; i < LINE; i += 2)
        _mm_stream_pd(to + i, _mm_loadu_pd(from + i));
}

void hyb_copy_past_caches(double *to, const double *from, int64_t n)
{
    int64_t first = xh_smaller(to_next_line(to), n), i;

    memcpy(to, from, (size_t)first * sizeof(double));
    for (i = first; i + LINE <= n; i += LINE)
        write_line(to + i, from + i);
    memcpy(to + i, from + i, (size_t)(n - i) * sizeof(double));
    _mm_sfence(); /* before anybody is told of it */
}

#else

void hyb_copy_past_caches(double *to, const double *from, int64_t n)
{
    memcpy(to, from, (size_t)n * sizeof(double));
}

#endif
