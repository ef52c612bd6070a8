/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_MULTIPLIER_H
#define HYB_MULTIPLIER_H

#include "hybrid/cpu/trial/trial.h"

/*
 * What computes C - L2 U on the cores of this process: the kernel, or the BLAS
 * library, called by each thread for itself. All else is the kernel's.
 */
typedef enum { HYB_BY_KERNEL, HYB_BY_BLAS } hyb_multiplier_t;

/*
 * What the setting kernel asks for. With auto, the BLAS library where the trial
 * found it clearly faster than kernel and it uses one thread a call.
 */
hyb_multiplier_t hyb_multiplier_of_setting(const hyb_kernel_t *kernel);

#endif
