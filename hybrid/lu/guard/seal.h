/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/step.h"
#pragma once

/*
 * A panel that travels, to other processes or to devices, has a seal: the sum
 * of the bits of L2, and the sum of all that follows L2 in the message. A
 * receiver compares the panel with its seal on arrival, and again before its
 * memory is given to another panel. Without check columns, or where no panel
 * travels, panels have no seal, and these functions do nothing.
 *
 * If the team factors panel k: begin, by the leader; sum, by all threads that
 * factored the panel, each some units of rows; write, by the leader once
 * has_sum is true.
 */
void hyb_seal_begin(hyb_lu_t *lu, int k);
void hyb_seal_sum(hyb_lu_t *lu, int k);
bool hyb_seal_has_sum(hyb_lu_t *lu, int k);
void hyb_seal_write(hyb_lu_t *lu, int k);

/* If a device factored panel k: write the seal from the device's sum. If other
 * processes get tiles of L2, compare the sum of the tiles with it. */
void hyb_seal_take(hyb_lu_t *lu, int k);

/* Return the sum of the bits of data, as seals have it. */
uint64_t hyb_seal_bits(const double *data, int64_t count);

/* Return the sum of L2 in the seal of panel k, which is on this process. */
uint64_t hyb_seal_of(hyb_lu_t *lu, int k);

/* Compare bits, the sum of a device's copy of panel k, with what is expected.
 */
void hyb_seal_compare_copy(hyb_lu_t *lu, int k, int device, uint64_t expected,
                           uint64_t bits);

/* Compare all but L2 of panel k, which is known here now, before its pivots are
 * used; on its process column raise an alarm if L1 has a NaN. The leader. */
void hyb_seal_arrive(hyb_lu_t *lu, int k);

/* Compare L2 of panel k with its seal: sum up units until none is left. Any
 * number of threads. */
void hyb_seal_compare(hyb_lu_t *lu, int k);

/* Compare L2 of panel k once more, after iteration k: one unit per call.
 * Returns true once all of it is compared. The leader. */
bool hyb_seal_is_kept(hyb_lu_t *lu, int k);
