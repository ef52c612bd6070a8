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
 * C := C + A * B, rows x cols.
 *
 * a  in      k columns of rows doubles, 64-byte aligned
 * b  in      k rows of cols doubles
 * c  in,out  column-major, ldc >= rows
 */
typedef void (*hyb_kernel_fn_t)(int64_t k, const double *a, const double *b,
                                double *c, int64_t ldc);

typedef struct {
    const char *name; /* as xh_cpu_isa_name */
    xh_isa_t isa;     /* what it needs */
    int rows, cols;
    hyb_kernel_fn_t multiply;
} hyb_kernel_t;

/* The kernel for isa; NULL where this build has none. */
const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa);

/* The kernel of the widest instruction set that this processor has. */
const hyb_kernel_t *hyb_kernel_best(void);

/* The kernels that exist on some architectures only; NULL on others. */
extern const hyb_kernel_t *const hyb_kernel_avx512;
extern const hyb_kernel_t *const hyb_kernel_avx2;
extern const hyb_kernel_t *const hyb_kernel_portable;

#endif
