/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All kernels, for nvcc and clang. OpenCL gets the same files in this order,
 * as one text inside its plug-in.
 */
#include "hybrid/device/kernels/dialect.cl"
#include "hybrid/device/kernels/rows.cl"
#include "hybrid/device/kernels/generate.cl"
#include "hybrid/device/kernels/product.cl"
#include "hybrid/device/kernels/algebra.cl"
#include "hybrid/device/kernels/panel.cl"
