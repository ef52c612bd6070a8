/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_FILL_H
#define HYB_FILL_H

#include "hybrid/lu/factor.h"

/* What stands in the columns before they are factored. */

/* Fill all columns, each at its home, with the random matrix of seed. */
void hyb_fill_random(hyb_lu_t *lu, int seed);

/* Back by pages what host memory holds of them, without filling it. */
void hyb_fill_touch(hyb_lu_t *lu);

#endif
