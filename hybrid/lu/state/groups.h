/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "hpl_solver.h"

/*
 * Neighbouring panels form a group. Block columns that are soon to be factored
 * meet each panel at once; all others meet the panels of a group together, as
 * one wide panel with one permutation, one L1 and one L2: C is read and written
 * once for all of them, by a product that is so much deeper, and a column that
 * visits a device comes once for all.
 *
 * A group closes in the iteration of its last panel. From then on the far
 * columns meet it, a part in each iteration, until the next group closes, so
 * that iterations take alike and panels get through between the parts.
 *
 * Source: out-of-core LU by groups of panels
 */
enum {
    HYB_SLOTS = 2,      /* panels, and groups, of which places keep all */
    HYB_WIDE_SLOTS = 4, /* wide panels: a group up to one of these, and whole */
    HYB_GROUP_MOST = 16, /* panels of a group */
    HYB_GROUP_LEAD = 2   /* a column that is factored in so many iterations
                            meets each panel at once */
};

typedef struct {
    int first, end; /* panels first .. end - 1 */
    int number;     /* of the group, from 0 */
} hyb_group_t;

typedef struct {
    int panels;
    int width;       /* of the widest group */
    hyb_group_t *of; /* by panel */
} hyb_groups_t;

typedef struct {
    int width;  /* panels of a group, at most */
    int every;  /* 0, or the iterations between comparisons of rows: there all
                   columns have met the same panels, as a group of one follows;
                   no rows are compared while there are guests */
    int guests; /* so many panels, the first ones, are guests before */
} hyb_grouping_t;

/*
 * Groups of ever fewer panels at the end. The first one has one panel, as
 * nothing hides the next, unless guests come, which do not come for one.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_groups_create(int panels, hyb_grouping_t how,
                              hyb_groups_t *groups_p);
void hyb_groups_destroy(hyb_groups_t *groups);

/* Let panel first begin a group, as a run that goes on begins with it, whatever
 * groups it had before: all columns have met the panels before. */
void hyb_groups_cut(hyb_groups_t *groups, int first);

/* A block column of one process, of those that meet a group in turn. */
typedef struct {
    int64_t panel; /* that it becomes; any later one: none */
    int64_t block; /* its local number */
    int64_t from;  /* that of the first one behind the group that closed last in
                      iteration k or before */
    int64_t blocks; /* behind the last one */
} hyb_far_t;

/* Does a block column that becomes this panel meet each one at once, from
 * iteration k on? */
static inline bool hyb_groups_is_near(int64_t panel, int k)
{
    return panel <= k + HYB_GROUP_LEAD;
}

/* Where panels from .. to - 1 of a group stand, as one, of HYB_WIDE_SLOTS. */
static inline int hyb_groups_slot(const hyb_groups_t *groups, int from, int to)
{
    hyb_group_t group = groups->of[from];

    return to < group.end ? (to - 1) % HYB_SLOTS
                          : HYB_SLOTS + group.number % HYB_SLOTS;
}

/* The group that has closed last in iteration k or before; none: end is 0. */
hyb_group_t hyb_groups_closed(const hyb_groups_t *groups, int k);

/*
 * How many panels a block column has met when iteration k is over; end is the
 * panel behind the range, with which a group ends.
 */
int hyb_groups_met(const hyb_groups_t *groups, int end, const hyb_far_t *far,
                   int k);
