/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Items of a group, for kernels and for those who launch them. */
#define HYB_CUDA_ITEMS 64
#define HYB_CUDA_PANEL_ITEMS 256

/* Of a step of a panel in one launch: columns, as HYB_PANEL_STEP, and rows that
 * an item has. */
#define HYB_CUDA_PANEL_COLUMNS 16
#define HYB_CUDA_PANEL_HELD 4
