/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_GEMM_ALONE_H
#define HYB_GEMM_ALONE_H

#include "base/status.h"
#include "base/view.h"

/*
 * hyb_host_gemm on the calling thread alone, whichever that is, with the kernel
 * that the setting asks for. Each thread keeps the memory it packs into,
 * hyb_host_gemm_lone_bytes at most, until it ends.
 * Errors: as hyb_host_gemm
 */
xh_status_t hyb_gemm_alone(const xh_gemm_t *product);

#endif
