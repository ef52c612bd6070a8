/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_CHECKPOINT_GEOMETRY_H
#define HYB_CHECKPOINT_GEOMETRY_H

#include "hybrid/lu/lu.h"

/* Which part of a local block column a checkpoint holds. */

/* The panel that block b's columns belong to; b's is lu->panels. */
static inline int hyb_block_panel(const hyb_lu_t *lu, int64_t b)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    bool is_b = hyb_ledger_first(&lu->ledger, b) >= lu->ledger.columns_of_a;

    return is_b ? lu->panels : (int)hpl_map_block_global(&map, b);
}

/* Local rows above panel k. */
static inline int64_t hyb_rows_above(const hyb_lu_t *lu, int k)
{
    hpl_map_t rows = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return hpl_map_count(&rows, Mmin((int64_t)k * lu->mat->nb, lu->mat->n));
}

/* A block's rows at the boundary of panel `first`: those of U, which are final,
 * and those behind them that a restart needs. */
typedef struct {
    hyb_run_t columns;
    int64_t block;
    int panel;
    int64_t final, end; /* rows 0 .. final - 1; final .. end - 1 */
} hyb_saved_rows_t;

static inline hyb_saved_rows_t hyb_boundary_part(const hyb_lu_t *lu, int64_t b,
                                                 int first)
{
    hyb_saved_rows_t part = {
        .columns = hyb_ledger_columns(&lu->ledger, (hyb_blocks_t){b, b + 1}),
        .block = b,
        .panel = hyb_block_panel(lu, b)};

    part.final = hyb_rows_above(lu, Mmin(part.panel + 1, first));
    part.end = part.panel >= first ? lu->mat->mp : part.final;
    return part;
}

#endif
