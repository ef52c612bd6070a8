/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Items per group, for the kernels and for the code that launches them. */
#define HYB_CUDA_ITEMS 64
#define HYB_CUDA_PANEL_ITEMS 256

/* For a panel step in one launch: its columns, equal to HYB_PANEL_STEP, and
 * rows per item. */
#define HYB_CUDA_PANEL_COLUMNS 16
#define HYB_CUDA_PANEL_HELD 4
