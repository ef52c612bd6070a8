/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_COPY_H
#define HYB_COPY_H

#include <stdint.h>

/*
 * Copy n doubles to memory that nobody reads soon. Where the processor can, it
 * neither reads the lines of to first nor keeps them in its caches: two thirds
 * of the memory's work remain. The two do not overlap.
 */
void hyb_copy_past_caches(double *to, const double *from, int64_t n);

#endif
