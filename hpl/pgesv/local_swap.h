/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_LOCAL_SWAP_H
#define HPL_LOCAL_SWAP_H

#include "hpl_types.h"

/*
 * Interchange the rows of panel in the next columns local columns, in place,
 * when all rows are on this process: U then is the matrix's top rows.
 */
void hpl_local_swap(HPL_T_panel *panel, int columns);

#endif
