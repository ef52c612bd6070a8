/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_WORK_H
#define HYB_EMU_WORK_H

#include <stdbool.h>
#include "hybrid/engine/view.h"

/* to := from, of equal shape. */
void hyb_emu_work_copy(hyb_view_t from, hyb_view_t to);

/*
 * C := beta C + alpha op(A) op(B), by the BLAS library of the program if it
 * has one (dgemm_, on as many threads as the program lets it use), else by
 * three loops. Sizes and leading dimensions fit into an int.
 */
void hyb_emu_work_gemm(const hyb_gemm_t *product);

/* Is there a dgemm_? */
bool hyb_emu_work_has_blas(void);

/*
 * Flip the highest bit of the exponent of v's middle element: whatever it
 * was, it is far from that afterwards, or no number.
 */
void hyb_emu_work_flip(hyb_view_t v);

#endif
