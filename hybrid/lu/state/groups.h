/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include "base/status.h"
#include "hpl_solver.h"

/*
 * Neighbouring panels form a group. To block columns that are soon to be
 * factored each panel is applied at once. To all others the panels of a group
 * are applied together, as one wide panel with one permutation, one L1 and one
 * L2: C is read and written once for the group, by one deeper product, and a
 * column that visits a device comes once for the group.
 *
 * A group closes in the iteration of its last panel. From then on it is applied
 * to the far columns, part by part in each iteration, until the next group
 * closes. So all iterations take about as long, and new panels get through
 * between the parts.
 *
 * Source: out-of-core LU by groups of panels
 */
enum {
    HYB_SLOTS = 2, /* panels, and groups, that each place keeps */
    /* Wide panels kept: the first panels of a group, and whole groups. */
    HYB_WIDE_SLOTS = 4,
    HYB_GROUP_MOST = 16, /* panels of a group, at most */
    HYB_GROUP_LEAD = 2   /* each panel is applied at once to a column that is
                            factored within this many iterations */
};

typedef struct {
    int first, end; /* panels first .. end - 1 */
    int number;     /* number of the group, from 0 */
} hyb_group_t;

typedef struct {
    int panels;
    int width;       /* panels of the widest group */
    hyb_group_t *of; /* group of each panel */
} hyb_groups_t;

typedef struct {
    int width;  /* panels of a group, at most */
    int every;  /* iterations between comparisons of rows, or 0. The panel at
                   each comparison is a group of its own, so that the same panels
                   have been applied to all columns. While there are guests no
                   rows are compared */
    int guests; /* the first `guests` panels are guests before they are factored
                 */
} hyb_grouping_t;

/*
 * Group the panels; groups become narrower towards the end. The first group has
 * one panel, as nothing hides the panel after it. With guests it is wide, as
 * guests do not come for one panel.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_groups_create(int panels, hyb_grouping_t how,
                              hyb_groups_t *groups_p);
void hyb_groups_destroy(hyb_groups_t *groups);

/* Let a group begin at panel `first`, where the loop resumes: all columns have
 * had the panels before `first` applied. */
void hyb_groups_cut(hyb_groups_t *groups, int first);

/* A far block column of this process: one to which groups are applied in
 * turn. */
typedef struct {
    int64_t panel;  /* the panel that the column becomes; b and check columns
                       have a later number than any panel */
    int64_t block;  /* local number of the block */
    int64_t from;   /* first local block behind the group that had closed by
                       iteration k */
    int64_t blocks; /* end of the local blocks */
} hyb_far_t;

/* Is each panel applied at once, from iteration k on, to the block column that
 * becomes `panel`? */
static inline bool hyb_groups_is_near(int64_t panel, int k)
{
    return panel <= k + HYB_GROUP_LEAD;
}

/* Which of the HYB_WIDE_SLOTS holds panels from .. to - 1 of a group as one
 * wide panel? */
static inline int hyb_groups_slot(const hyb_groups_t *groups, int from, int to)
{
    hyb_group_t group = groups->of[from];

    return to < group.end ? (to - 1) % HYB_SLOTS
                          : HYB_SLOTS + group.number % HYB_SLOTS;
}

/* The newest group that has closed by the end of iteration k; `end` is 0 if
 * there is none. */
hyb_group_t hyb_groups_closed(const hyb_groups_t *groups, int k);

/*
 * How many panels have been applied to a block column when iteration k is over?
 * A group ends at panel `end`, the end of the range.
 */
int hyb_groups_applied(const hyb_groups_t *groups, int end,
                       const hyb_far_t *far, int k);
