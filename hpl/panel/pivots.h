/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * The row interchanges of one panel as one permutation. The first jb rows are
 * its top; all other rows are outer. A panel wider than nb, which represents
 * several panels, has a top of several block rows, on as many processes. After
 * the interchanges, row i of U is an old top or outer row, and an old top row
 * has taken the place of every outer row that became a row of U.
 *
 * Process rows are counted as members from the one that owns the first top row:
 * member g is process row (prow + g) mod nprow. Entries are sorted by member.
 */
typedef struct {
    int from; /* local row */
    int to;   /* displaced: local row; gathered: row of U */
} hpl_row_move_t;

typedef struct hpl_pivots {
    int members;
    int me;             /* my member number */
    int sources;        /* members 0 .. sources - 1 have top rows */
    int *gather_offset; /* members + 1: parts of gather by owner of the rows of
                           U */
    hpl_row_move_t *gather; /* jb moves of rows of U */
    int *displace_offset;   /* sources x members + 1: parts of displace by owner
                               and by new owner */
    hpl_row_move_t *displace; /* moves of displaced top rows, at most jb */
} hpl_pivots_t;

/*
 * The permutation of a panel that this process knows, from its DPIV; computed
 * at the first call and freed with the panel. Local row numbers are the owner's
 * and count from row ia. Cost: jb^2 comparisons.
 * Errors: a broadcast panel with row numbers outside the panel ends the job.
 */
const hpl_pivots_t *hpl_panel_pivots(HPL_T_panel *panel);

/* The number of displaced rows that go from member `source` to `member`;
 * *first_p is the first one in `displace`. */
static inline int hpl_pivots_between(const hpl_pivots_t *p, int source,
                                     int member, int *first_p)
{
    const int *offset = p->displace_offset + source * p->members + member;

    *first_p = offset[0];
    return offset[1] - offset[0];
}

/* The number of displaced rows that `member` has; *first_p is the first one.
 * Only sources have any. */
static inline int hpl_pivots_displaced_from(const hpl_pivots_t *p, int member,
                                            int *first_p)
{
    const int *offset = p->displace_offset;
    int source = member < p->sources ? member : p->sources - 1;

    *first_p = offset[source * p->members];
    return source == member ? offset[(source + 1) * p->members] - *first_p : 0;
}
