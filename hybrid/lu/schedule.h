/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SCHEDULE_H
#define HYB_SCHEDULE_H

/*
 * The whole factorization of lu, a hyb_lu_t, by one member of its team: what it
 * does in which order. All members run it together. Member 0 leads: it alone
 * calls MPI and opens iterations.
 *
 * Order:  lu is set up, the first panel open, and its broadcast begun where
 *         another process factors it.
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, IV and V.
 */
void hyb_schedule_work(void *lu, int member);

#endif
