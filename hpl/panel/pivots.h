/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * The row interchanges of one panel as one permutation. The jb rows of the
 * panel's block row are its top; all other rows are outer. After the
 * interchanges, row i of U is an old top or outer row, and every outer row
 * that went to U has an old top row in its place.
 *
 * Process rows are counted as members from the one that owns the top:
 * member g is process row (prow + g) mod nprow. Entries are sorted by member.
 */
typedef struct {
    int from; /* displaced: top row; gathered: local row */
    int to;   /* displaced: local row; gathered: row of U */
} hpl_row_move_t;

typedef struct hpl_pivots {
    int members;
    int me;                   /* my member number */
    int *gather_offset;       /* members + 1: owners of the rows of U */
    hpl_row_move_t *gather;   /* jb */
    int *displace_offset;     /* members + 1: owners of displaced top rows */
    hpl_row_move_t *displace; /* at most jb */
} hpl_pivots_t;

/*
 * The permutation of a panel known here, from its DPIV; computed at the first
 * call and freed with the panel. Local rows are those of the owner and count
 * from panel row ia. Cost: jb^2 comparisons.
 * Errors: a panel that came by broadcast with values that lead out of it ends
 *         the job.
 */
const hpl_pivots_t *hpl_panel_pivots(HPL_T_panel *panel);
