/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/step.h"
#pragma once

/*
 * Solve U x = y as HPL_pdtrsv does; collective. Products of all but the
 * diagonal blocks are computed where U's columns live; on the host each member
 * of the team computes some rows. Only the calling thread, member 0,
 * communicates.
 *
 * lu  in  after hyb_factorization_run
 * Cost: about the time to read U once.
 */
void hyb_back_substitution(hyb_lu_t *lu);
