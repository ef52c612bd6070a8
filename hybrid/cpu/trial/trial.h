/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"

/*
 * The choice of the kernel, by a trial, as a name proves nothing. Processes
 * that must take the same kernel combine their sets by a bitwise and, and their
 * rates by the minimum.
 */
typedef struct {
    unsigned set;              /* bit 1 << isa: this kernel may be taken */
    double rate[XH_ISA_COUNT]; /* flop/s of one thread; 0: not measured */
    double blas; /* flop/s of the BLAS library; 0: not measured, as it uses
                    several threads per call, or is missing */
} hyb_kernels_t;

/* The kernels that this processor has, without rates. */
hyb_kernels_t hyb_kernels_here(void);

/*
 * Measure the kernels of the set, and the BLAS library, in a product like the
 * update's, by turns; the best of each counts. This takes some milliseconds per
 * kernel. Without memory all rates are 0.
 */
void hyb_kernels_measure(hyb_kernels_t *kernels);

/*
 * The fastest kernel of the set; of those within 3% of it, the widest. If the
 * set is empty, the portable kernel.
 */
const hyb_kernel_t *hyb_kernels_fastest(const hyb_kernels_t *kernels);

/*
 * Is the BLAS library clearly faster than `kernel`? A small lead is not enough,
 * since L2 is copied into columns for the library.
 */
bool hyb_kernels_prefer_blas(const hyb_kernels_t *kernels,
                             const hyb_kernel_t *kernel);

/*
 * The kernels that the setting `kernel` allows here. auto, blas: all, as
 * measured once in this process. A name: that kernel, if this processor has it,
 * and the portable one, in case processes have nothing else in common; no
 * rates.
 */
hyb_kernels_t hyb_kernels_of_setting(void);

/*
 * The kernel that the setting `kernel` asks for; NULL: the BLAS library, which
 * is there.
 * Errors: XH_ERR_INPUT: this processor has no such kernel, or the program no
 *         such library; logged
 */
xh_status_t hyb_kernel_of_setting(const hyb_kernel_t **kernel_p);
