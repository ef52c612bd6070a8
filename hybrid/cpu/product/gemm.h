/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/node/team.h"
#include "base/view.h"

/*
 * The host's DGEMM: one team of threads, and the memory for packed operands. A
 * is packed once by all threads and shared; threads then take runs of columns
 * of C, pack their part of B and multiply.
 *
 * Source: Linpack on Xeon Phi, III.
 */
typedef struct hyb_host_gemm hyb_host_gemm_t;

/*
 * `team` and `kernel` are borrowed. If `kernel` is NULL, each thread calls the
 * BLAS library on its share of the columns.
 * Errors: XH_ERR_MEMORY; XH_ERR_ARG: `kernel` is NULL and no BLAS is linked
 */
xh_status_t hyb_host_gemm_create(hyb_team_t *team, const hyb_kernel_t *kernel,
                                 hyb_host_gemm_t **gemm_p);
void hyb_host_gemm_destroy(hyb_host_gemm_t *gemm); /* accepts NULL */

/*
 * C := beta C + alpha op(A) op(B), in host memory; returns when C is complete.
 * If alpha or k is 0, A and B are not read.
 *
 * Cost:   2 m n k flop.
 * Errors: XH_ERR_ARG     shapes do not conform, or ld < rows
 *         XH_ERR_MEMORY  for packing; C is untouched
 */
xh_status_t hyb_host_gemm(hyb_host_gemm_t *gemm, const xh_gemm_t *product);

/*
 * Multiply on the calling thread alone, which may be any thread, with the
 * kernel chosen by the setting `kernel`. A thread keeps its memory for packing
 * until it ends.
 * Errors: errors of hyb_host_gemm and of hyb_kernel_of_setting
 */
xh_status_t hyb_gemm_alone(const xh_gemm_t *product);
