/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/guard/check_columns.h"

/*
 * A panel that is sent to other processes or to devices has a seal: the sum of
 * the bits of L2, and the sum of all that follows L2 in the message. A receiver
 * compares the panel with its seal on arrival, and again before the panel's
 * memory is reused. Without check columns, or if no panel is sent, panels have
 * no seal, and the functions do nothing.
 *
 * If the team factors a panel, the leader calls begin; all threads that
 * factored the panel call sum, and each sums some units of rows; the leader
 * calls write once has_sum is true.
 */
void hyb_seal_begin(const hyb_check_columns_t *check, hyb_lu_panel_t *panel);
void hyb_seal_sum(hyb_check_columns_t *check, hyb_lu_panel_t *panel);
bool hyb_seal_has_sum(hyb_lu_t *lu, int k);
void hyb_seal_write(hyb_check_columns_t *check, hyb_lu_panel_t *panel);

/* If a device factored the panel, write the seal from the device's sum. If L2
 * is sent or the team reads it, hyb_seal_compare then compares L2, too. */
void hyb_seal_take(hyb_check_columns_t *check, hyb_lu_panel_t *panel);

/* Return the sum of the bits of `data`, as seals use it. */
uint64_t hyb_seal_bits(const double *data, int64_t count);

/* Return the sum of L2 in the seal of `panel`, which is on this process. */
uint64_t hyb_seal_of(const hyb_lu_panel_t *panel);

/* Raise an alarm if `bits`, the sum of a device's copy of panel k, is not
 * `expected`. */
void hyb_seal_compare_copy(hyb_check_columns_t *check, int k, int device,
                           uint64_t expected, uint64_t bits);

/* Once the panel is known on this process, and before its pivots are used,
 * compare all but L2 with the seal. If L1 has a NaN, the processes of the
 * panel's process column raise an alarm. Called by the leader. */
void hyb_seal_arrive(hyb_check_columns_t *check, hyb_lu_panel_t *panel);

/* If L2 was copied here by a message or a device, compare it with its seal: sum
 * units until none is left. Any number of threads may call it. */
void hyb_seal_compare(hyb_check_columns_t *check, hyb_lu_panel_t *panel);

/* Has L2 of panel k been compared with its seal once more, after iteration k,
 * if the team read it? Each call compares one unit. Called by the leader. */
bool hyb_seal_is_kept(hyb_lu_t *lu, int k);
