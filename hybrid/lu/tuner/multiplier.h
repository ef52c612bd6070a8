/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_MULTIPLIER_H
#define HYB_MULTIPLIER_H

#include "hybrid/cpu/kernel.h"

/*
 * What computes C - L2 U on the cores of this process: the kernel, or the BLAS
 * library, called by each thread for itself. All else is the kernel's.
 */
typedef enum { HYB_BY_KERNEL, HYB_BY_BLAS } hyb_multiplier_t;

/* flop/s of one thread, 0: not measured, or not to be had */
typedef struct {
    double kernel, blas;
} hyb_multiplier_rates_t;

/*
 * What the setting kernel asks for. With auto both are tried, which takes
 * milliseconds, where the BLAS library uses one thread a call.
 */
hyb_multiplier_t hyb_multiplier_of_setting(const hyb_kernel_t *kernel);

/* The BLAS library where it is clearly faster. */
hyb_multiplier_t hyb_multiplier_choose(hyb_multiplier_rates_t rates);

/* Measure a product as the update has them. Errors: rates 0 without memory */
hyb_multiplier_rates_t hyb_multiplier_measure(const hyb_kernel_t *kernel);

#endif
