/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHECKPOINT_GEOMETRY_H
#define HYB_CHECKPOINT_GEOMETRY_H

#include "hybrid/lu/checkpoint/format.h"
#include "hybrid/lu/lu.h"

/* Which part of a local block column a checkpoint holds. */

/* The panel that block b's columns belong to; b's is lu->range.panels. */
static inline int hyb_block_panel(const hyb_lu_t *lu, int64_t b)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    bool is_b = hyb_ledger_first(&lu->ledger, b) >= lu->ledger.columns_of_a;

    return is_b ? lu->range.panels : (int)hpl_map_block_global(&map, b);
}

/* Local rows of block b at the boundary of panel `first`: the first ones are
 * U's and final; behind these a restart needs some up to the end. */
static inline int64_t hyb_final_rows(const hyb_lu_t *lu, int64_t b, int first)
{
    return hyb_lu_rows_above(lu, Mmin(hyb_block_panel(lu, b) + 1, first));
}

static inline int64_t hyb_saved_end(const hyb_lu_t *lu, int64_t b, int first)
{
    return hyb_block_panel(lu, b) >= first ? lu->mat->mp
                                           : hyb_final_rows(lu, b, first);
}

/*
 * A piece within one block's columns, of a checkpoint of panel `first`: its
 * elements come from where these live, HYB_SAVE, or go there, HYB_RESTORE. Of
 * diagonal blocks of finished panels the host has its own.
 *
 * skip  in  rows at its beginning that stay untouched
 */
void hyb_piece_move(const hyb_lu_t *lu, const hyb_piece_t *piece, int first,
                    int64_t skip, int way, double *elements);

#endif
