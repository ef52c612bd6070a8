/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"

/*
 * The choice of the kernel by a trial, because an instruction set's name does
 * not tell its speed. Processes that must take the same kernel combine their
 * sets by a bitwise and, and their rates by the minimum.
 */
typedef struct {
    unsigned set;              /* bit isa: kernel isa may be used */
    double rate[XH_ISA_COUNT]; /* flop/s of one thread; 0: not measured */
    double blas; /* flop/s of the BLAS library; 0: not measured, because it uses
                    several threads per call, or is missing */
} hyb_kernels_t;

/* The kernels that this processor supports, without rates. */
hyb_kernels_t hyb_kernels_here(void);

/*
 * Measure the kernels of the set, and the BLAS library, in turns, in a product
 * like the update's; the best rate of each counts. This takes some milliseconds
 * per kernel. If memory is short, all rates are 0.
 */
void hyb_kernels_measure(hyb_kernels_t *kernels);

/*
 * The widest kernel of the set whose rate is within 3% of the fastest. If the
 * set is empty, the portable kernel.
 */
const hyb_kernel_t *hyb_kernels_fastest(const hyb_kernels_t *kernels);

/*
 * Is the BLAS library clearly faster than `kernel`? A small lead is not enough,
 * because the library needs a copy of L2 in columns.
 */
bool hyb_kernels_prefer_blas(const hyb_kernels_t *kernels,
                             const hyb_kernel_t *kernel);

/*
 * The kernels that the setting `kernel` allows. If auto or blas: all kernels of
 * this processor, measured once per process. If a name: that kernel, if this
 * processor supports it, and the portable one, in case processes have no other
 * kernel in common; without rates.
 */
hyb_kernels_t hyb_kernels_of_setting(void);

/*
 * The kernel chosen by the setting `kernel`; NULL: the BLAS library, which is
 * present.
 * Errors: XH_ERR_INPUT: this processor or program lacks the kernel or library;
 * logged
 */
xh_status_t hyb_kernel_of_setting(const hyb_kernel_t **kernel_p);
