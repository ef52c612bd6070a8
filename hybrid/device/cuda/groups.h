/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CUDA_GROUPS_H
#define HYB_CUDA_GROUPS_H

/* Items of a group, for kernels and for those who launch them. */
#define HYB_CUDA_ITEMS 64
#define HYB_CUDA_PANEL_ITEMS 256

#endif
