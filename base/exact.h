/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_EXACT_H
#define XH_EXACT_H

#include <stdatomic.h>
#include <stdbool.h>
#include "base/view.h"

/*
 * Matrices with which every order of operations in doubles gives the same
 * numbers: all that comes up on the way is a multiple of 1/16 and needs no more
 * than 53 bits, down to inverses of diagonal blocks. So what a library or a
 * device computed is held against plain loops, bit by bit but for a zero's
 * sign, and no library has to be trusted. Equal seeds give equal matrices.
 */

/* Bits of integers of which a sum of so many products is exact. */
int xh_exact_bits(int64_t terms);

/* v := integers below 2^bits in magnitude. */
void xh_exact_integers(xh_view_t v, int bits, uint64_t seed);

/* v := a unit lower triangle, zeros above, with elements below 1 in magnitude;
 * v may have rows below the triangle. */
void xh_exact_lower(xh_view_t v, uint64_t seed);

/* v := an upper triangle of integers, zeros below, with powers of 2 on its
 * diagonal. */
void xh_exact_upper(xh_view_t v, uint64_t seed);

/* C := C + sign A B, by plain loops. */
void xh_exact_multiply(double sign, xh_view_t a, xh_view_t b, xh_view_t c);

/* to := from, of equal shape. */
void xh_exact_copy(xh_view_t from, xh_view_t to);

/* The checks of a process; any thread. */
typedef struct {
    _Atomic int wrong; /* results; the first one was said */
} xh_exact_t;

/*
 * Is found what was expected? If not, it counts, and the first one of all is
 * said: which element, what is expected and what was found.
 *
 * what, where  in  "C - A B by the kernel avx2", "core 3"
 */
bool xh_exact_is_right(xh_exact_t *checks, xh_view_t found, xh_view_t expected,
                       const char *what, const char *where);

#endif
