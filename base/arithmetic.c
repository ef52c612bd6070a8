/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/arithmetic.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif
#include "base/log.h"

typedef struct {
    const char *what;
    char operation;
    double x, y, expected;
} case_t;

static const case_t cases[] = {
    {"epsilon is 2^-53: 1 + 2^-53", '+', 1.0, 0x1p-53, 1.0},
    {"epsilon is 2^-53: 1 + 2^-52", '+', 1.0, 0x1p-52, 1.0 + 0x1p-52},
    {"rounding is to nearest: 1 + 3 * 2^-54", '+', 1.0, 0x3p-54, 1.0 + 0x1p-52},
    {"rounding is to nearest: -1 - 3 * 2^-54", '+', -1.0, -0x3p-54,
     -1.0 - 0x1p-52},
    {"subnormal results are kept: 2^-1022 * 2^-1", '*', 0x1p-1022, 0x1p-1,
     0x1p-1023},
    {"subnormal operands are read: 2^-1023 * 2", '*', 0x1p-1023, 2.0,
     0x1p-1022},
};

/* Compute a case at run time, on this thread. */
static double result(const case_t *c)
{
    volatile double x = c->x, y = c->y;

    return c->operation == '+' ? x + y : x * y;
}

bool xh_arithmetic_is_right(_Atomic int *wrong)
{
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double found = result(&cases[i]);

        if (memcmp(&found, &cases[i].expected, sizeof(found)) == 0)
            continue;
        if (atomic_fetch_add(wrong, 1) == 0)
            xh_log_error("trust: arithmetic is not IEEE 754: %s, on core %d: "
                         "expected %a, found %a",
                         cases[i].what, sched_getcpu(), cases[i].expected,
                         found);
        return false;
    }
    return true;
}

/* ---- subnormal numbers --------------------------------------------------- */

/* Stop flushing subnormal results and operands to zero. Returns whether this
 * thread did flush. */
#if defined(__SSE2__)
static bool stop_flushing(void)
{
    const unsigned flush_to_zero = 1u << 15, denormals_are_zero = 1u << 6;
    const unsigned found = _mm_getcsr();
    const unsigned kept = found & ~(flush_to_zero | denormals_are_zero);

    _mm_setcsr(kept);
    return kept != found;
}
#elif defined(__aarch64__)
static bool stop_flushing(void)
{
    const uint64_t flush_to_zero = UINT64_C(1) << 24;
    uint64_t found;

    __asm__ volatile("mrs %0, fpcr" : "=r"(found));
    __asm__ volatile("msr fpcr, %0" : : "r"(found & ~flush_to_zero));
    return (found & flush_to_zero) != 0;
}
#else
static bool stop_flushing(void)
{
    return false;
}
#endif

void xh_arithmetic_keep_subnormals(void)
{
    static atomic_bool warned;

    if (stop_flushing() && xh_log_is_first() && !atomic_exchange(&warned, true))
        xh_log_warning("a loaded library that was linked with -ffast-math or "
                       "-Ofast turned off subnormal numbers; this program "
                       "turned them on again in its own threads");
}
