/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

#if XH_SVE_BITS == 256

/* The registers hold 24 accumulators, 3 vectors of A and one element of B. */
enum { ROWS = 12, COLS = 8, NEAR = 0 };

#include "hybrid/cpu/isa/sve.inc"

const hyb_kernel_t hyb_kernel_sve256 = {KERNEL(SVE256, sve256)};

#endif
