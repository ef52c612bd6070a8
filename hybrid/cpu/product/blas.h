/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "base/status.h"
#include "base/view.h"

/*
 * The BLAS library that the program is linked with, if any: an alternative to
 * our kernels, and their yardstick. The library must have been set to one
 * thread (base/blas_library.h); then several team threads may call it at once.
 */
bool hyb_blas_present(void);

/*
 * At most this many threads are in the library at once. OpenBLAS allocates a
 * buffer for each; version 0.3.21, built for 64 threads like Debian's, has a
 * table of 128 buffers. Beyond 128 it warns and adds a second table, and then
 * we saw calls that never returned; beyond 640 it ends the process. A few
 * buffers are left for direct callers.
 */
enum { HYB_BLAS_CALLERS = 120 };

/*
 * C := beta C + alpha op(A) op(B) by the calling thread, which waits while
 * HYB_BLAS_CALLERS other threads are in the library.
 * Errors: XH_ERR_ARG: a size or ld does not fit 32 bits; XH_ERR_INTERNAL: no
 *         BLAS is linked
 */
xh_status_t hyb_blas_gemm(const xh_gemm_t *product);
