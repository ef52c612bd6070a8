/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_KERNEL_H
#define HYB_KERNEL_H

#include <stdint.h>
#include "base/cpu.h"

/*
 * The innermost loop of the host's DGEMM, one for each instruction set: a
 * register tile of C, rows x cols, that meets k columns of packed A and k rows
 * of packed B.
 */
enum { HYB_KERNEL_MOST_ROWS = 24, HYB_KERNEL_MOST_COLS = 8 };

/*
 * C := C + A * B, rows x cols, k >= 1.
 *
 * a  in      k columns of rows doubles, 64-byte aligned
 * b  in      k rows of cols doubles
 * c  in,out  column-major, ldc >= rows
 */
typedef void (*hyb_kernel_fn_t)(int64_t k, const double *a, const double *b,
                                double *c, int64_t ldc);

/*
 * The same, while 2 k doubles from ahead on come to the second cache: what a
 * later call reads.
 */
typedef void (*hyb_kernel_ahead_fn_t)(int64_t k, const double *a,
                                      const double *b, double *c, int64_t ldc,
                                      const double *ahead);

/*
 * x := - L^-1 (x + A * B), rows x cols, row by row.
 *
 * a  in      k columns of rows doubles
 * l  in      rows columns of rows doubles, L below its unit diagonal
 * b  in      k rows of cols doubles
 * x  in,out  rows rows of cols doubles
 */
typedef void (*hyb_kernel_solve_fn_t)(int64_t k, const double *a,
                                      const double *l, const double *b,
                                      double *x);

typedef struct {
    const char *name; /* as xh_cpu_isa_name */
    xh_isa_t isa;     /* what it needs */
    int rows, cols;
    hyb_kernel_fn_t multiply;
    hyb_kernel_ahead_fn_t multiply_ahead;
    hyb_kernel_solve_fn_t solve;
} hyb_kernel_t;

/* The kernel for isa; NULL where this build has none. */
const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa);

/* The kernel of the widest instruction set that this processor has. */
const hyb_kernel_t *hyb_kernel_best(void);

/* The one that the setting kernel asks for; NULL: the BLAS library, or one that
 * this processor does not have. */
const hyb_kernel_t *hyb_kernel_of_setting(void);

/* The kernels that exist on some architectures only; NULL on others. */
extern const hyb_kernel_t *const hyb_kernel_avx512;
extern const hyb_kernel_t *const hyb_kernel_avx2;
extern const hyb_kernel_t *const hyb_kernel_portable;

#endif
