/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * Factor the matrix and apply the factors to b, with the look-ahead depth of
 * algo: depth panels are factored and broadcast ahead of the update.
 * Collective over the grid. Sets mat->info.
 */
void hpl_factor_matrix(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *mat);
