/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * The row interchanges of one panel as one permutation. The first jb rows are
 * its top; all other rows are outer. A panel wider than nb, which stands for
 * several, has a top of several block rows, on as many processes. After the
 * interchanges, row i of U is an old top or outer row, and every outer row
 * that went to U has an old top row in its place.
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
    int me;                   /* my member number */
    int sources;              /* members 0 .. sources - 1 have top rows */
    int *gather_offset;       /* members + 1: owners of the rows of U */
    hpl_row_move_t *gather;   /* jb */
    int *displace_offset;     /* sources x members + 1: who has displaced top
                                 rows, and for each of these where they go */
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

/* The displaced rows that go from one member to another: so many, the first of
 * them. */
static inline int hpl_pivots_between(const hpl_pivots_t *p, int source,
                                     int member, int *first_p)
{
    const int *offset = p->displace_offset + source * p->members + member;

    *first_p = offset[0];
    return offset[1] - offset[0];
}

/* The displaced rows that a member has, likewise: none, but for sources. */
static inline int hpl_pivots_displaced_from(const hpl_pivots_t *p, int member,
                                            int *first_p)
{
    const int *offset = p->displace_offset;
    int source = member < p->sources ? member : p->sources - 1;

    *first_p = offset[source * p->members];
    return source == member ? offset[(source + 1) * p->members] - *first_p : 0;
}
