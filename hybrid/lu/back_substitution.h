/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_BACK_SUBSTITUTION_H
#define HYB_BACK_SUBSTITUTION_H

#include "hpl_types.h"
#include "hybrid/node/team.h"

/*
 * Solve U x = y as HPL_pdtrsv does, with the products of all but the diagonal
 * blocks computed by the team, each member some rows; collective. Only the
 * calling thread, member 0, communicates.
 *
 * Cost: about the time to read U once.
 */
void hyb_back_substitution(hyb_team_t *team, HPL_T_grid *grid, HPL_T_pmat *mat);

#endif
