/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations that cuBLAS and CUDA's copies do not provide. */
#include "hybrid/device/cuda/groups.h"

#define ITEMS HYB_CUDA_ITEMS
#define PANEL_ITEMS HYB_CUDA_PANEL_ITEMS
#define PANEL_COLUMNS HYB_CUDA_PANEL_COLUMNS
#define PANEL_HELD HYB_CUDA_PANEL_HELD

#include "hybrid/device/kernels/dialect.cl"
#include "hybrid/device/kernels/rows.cl"
#include "hybrid/device/kernels/generate.cl"
#include "hybrid/device/kernels/panel.cl"
