/* SPDX-License-Identifier: BSD-3-Clause */

#include "hybrid/lu/state/step.h"
#pragma once

/*
 * Solve U x = y as HPL_pdtrsv does, with the products of all but the diagonal
 * blocks computed where U's columns live, on the host by the team, each member
 * some rows; collective. Only the calling thread, member 0, communicates.
 *
 * lu  in  has run
 * Cost: about the time to read U once.
 */
void hyb_back_substitution(hyb_lu_t *lu);
