/* SPDX-License-Identifier: BSD-3-Clause */
/* What cuBLAS and CUDA's copies do not do. */
#include "hybrid/device/kernels/dialect.cl"
#include "hybrid/device/kernels/rows.cl"
#include "hybrid/device/kernels/generate.cl"
