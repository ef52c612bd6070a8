/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_LOOP_H
#define HYB_LOOP_H

#include "hybrid/lu/worker.h"

/*
 * The whole factorization of lu, a hyb_lu_t, by one member of its team. All
 * members run it together; member 0 leads.
 *
 * Order:  lu is set up, the first panel open.
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_loop(void *lu, int member);

#endif
