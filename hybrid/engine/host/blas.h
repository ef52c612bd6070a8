/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_BLAS_H
#define HYB_BLAS_H

#include <stdbool.h>
#include "base/status.h"
#include "hybrid/engine/view.h"

/*
 * The BLAS library that the program is linked with, if any: the alternative
 * to the kernels here, and their yardstick. It must have been set to one
 * thread (base/blas_library.h); then team threads may call it at once.
 */
bool hyb_blas_present(void);

/*
 * C := beta C + alpha op(A) op(B) by the calling thread.
 * Errors: XH_ERR_ARG       a size or ld does not fit 32 bits
 *         XH_ERR_INTERNAL  no BLAS is linked
 */
xh_status_t hyb_blas_gemm(const hyb_gemm_t *product);

#endif
