/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SEAL_H
#define HYB_SEAL_H

#include "hybrid/lu/worker.h"

/*
 * A panel that travels, to other processes or to devices, has a seal: the sum
 * of the bits of L2, and that of all that follows it in the message. Who uses
 * the panel compares it when it came, and before it is given up. Without check
 * columns, or where no panel travels, there is none, and all of these do
 * nothing.
 *
 * On its process column: panel k is factored here; all who factored it sum up
 * parts of it; are all summed up? The seal is written.
 */
void hyb_seal_begin(hyb_lu_t *lu, int k);
void hyb_seal_sum(hyb_lu_t *lu, int k);
bool hyb_seal_has_sum(hyb_lu_t *lu, int k);
void hyb_seal_write(hyb_lu_t *lu, int k);

/* A device factored it, and has summed up L2: the sum of the tiles, if others
 * get these, is the same. */
void hyb_seal_take(hyb_lu_t *lu, int k);

/* The sum of L2 that is expected of panel k, which is here. */
uint64_t hyb_seal_of(hyb_lu_t *lu, int k);

/* A device's copy of panel k has this sum. */
void hyb_seal_compare_copy(hyb_lu_t *lu, int k, int device, uint64_t expected,
                           uint64_t bits);

/* Panel k came: before its pivots are used. The leader. Elsewhere and on its
 * process column: a panel without numbers is told from here. */
void hyb_seal_arrive(hyb_lu_t *lu, int k);

/* Any number of threads: compare parts of L2 until none is left. */
void hyb_seal_compare(hyb_lu_t *lu, int k);

/* Iteration k is over: is its panel as it came? A part of it at each call. The
 * leader; true once all is compared. */
bool hyb_seal_is_kept(hyb_lu_t *lu, int k);

#endif
