/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/cpu/isa/kernel.h"

#if XH_SVE_BITS == 128

/* The registers hold 24 accumulators, 6 vectors of A and one element of B. */
enum { ROWS = 12, COLS = 4, NEAR = 0 };

#include "hybrid/cpu/isa/sve.inc"

const hyb_kernel_t hyb_kernel_sve128 = {KERNEL(SVE128, sve128)};

#endif
