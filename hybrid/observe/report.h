/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_REPORT_H
#define HYB_REPORT_H

#include "hybrid/lu/lu.h"

/*
 * What iterations took: into the record, and to those who choose from it. The
 * leader.
 */

/* Before the first iteration: actors get names, the record a new run. */
void hyb_report_begin(hyb_lu_t *lu);

/* Iteration k is opened: k - 1 is recorded and learnt, k's mode chosen. */
void hyb_report_open(hyb_lu_t *lu, int k);

/* The last iteration has ended for the leader: no other one opens. */
void hyb_report_last(hyb_lu_t *lu);

/* All iterations are over. */
void hyb_report_end(hyb_lu_t *lu);

#endif
