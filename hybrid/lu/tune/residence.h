/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/tune/sizes.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/resources.h"

/*
 * Do columns live on devices, and what is gained by that? Pure functions of
 * figures that are measured before a run and equal on all processes, so that
 * all decide alike without a message.
 */
/* Seconds of a process. Phases overlap: `total` is less than their sum. */
typedef struct {
    double panel;   /* panels are factored, and waited for */
    double link;    /* panels travel down and up, or to peers; guests, each way;
                       rows of other processes */
    double host;    /* the team swaps, solves and multiplies */
    double devices; /* devices swap, solve and multiply */
    double total;
    double share; /* not a time: the part of the products of the host's columns
                     that devices take */
} hyb_residence_seconds_t;

/*
 * Predict the factorization of `shape` on P x Q equal processes. `rest`, 0 to
 * 1, is the part of the columns, on the left, that devices do not hold: they
 * are guests, or the host computes them. If `rest` is 0, or with guests, the
 * team has its share. docs/PLAN.md has the formulae.
 */
hyb_residence_seconds_t
hyb_residence_predict(const hyb_residence_figures_t *figures,
                      const hpl_shape_t *shape, double rest, bool guests);

/* flop/s of a device in visitors: its rate, or what its link of `link` B/s each
 * way allows; link 0: unknown. */
double hyb_residence_visitor_rate(double rate, double link, double nb);

/* Panels of the widest group in a run whose columns live on devices: the
 * setting `group`, or with auto the width that is predicted to take least. */
int hyb_residence_group(const hyb_residence_figures_t *figures,
                        const hpl_shape_t *shape);

/* What a device holds besides blocks of columns, in a run with groups of
 * `width` panels and with `seats` seats. */
hyb_extent_t hyb_residence_extent(const hpl_shape_t *shape, int width,
                                  int seats, bool checked);

/* The width of groups, and how many of the first panels are guests before they
 * are factored: 0, or at least as many as are. */
hyb_grouping_t hyb_residence_grouping(const hyb_residence_figures_t *figures,
                                      const hpl_shape_t *shape);

/*
 * The part of the columns that the team computes where the other columns live
 * on devices: the setting `share`, or with auto what team and devices compute
 * in the same time, if that is clearly faster than devices alone.
 */
double hyb_residence_share(const hyb_residence_figures_t *figures,
                           const hpl_shape_t *shape);

/* Is the setting `share` auto or a number from 0 to 1? If not, a message says
 * so. */
bool hyb_residence_share_is_valid(void);

/* The part of the columns for which the devices have no room; *guests_p: do
 * they come as guests? */
double hyb_residence_rest(const hyb_residence_figures_t *figures,
                          const hpl_shape_t *shape, bool *guests_p);

/* Does the setting home leave all columns in host memory? */
bool hyb_residence_is_host(void);

/*
 * Do devices compute columns of `shape`? `asked` is the setting `home`: with
 * auto they do if that is predicted to be clearly faster; with host if columns
 * can be their guests, as the setting `visit` allows; never if `figures` has no
 * device that can keep columns.
 */
bool hyb_residence_is_device(const char *asked,
                             const hyb_residence_figures_t *figures,
                             const hpl_shape_t *shape);

/* May devices compute columns at all, whatever is solved? */
bool hyb_residence_may_be_device(const char *asked,
                                 const hyb_residence_figures_t *figures);

/* ---- what crosses links -------------------------------------------------- */

/*
 * Bytes that move between the host and the devices of `shape`'s process, from
 * the first panel to x, where devices compute columns: panels and lists of
 * rows; if P > 1, exchanged rows, as many as pivots are expected to move;
 * guests; x and y of the back-substitution.
 *
 * homes      in  places and guests; peers copy L2 from the device that factored
 *                it, except for guests' panels
 * rows_stay  in  MPI exchanges rows in device memory
 * by_device  in  devices factor the panels of their columns; panels then come
 *                down only where the host or other processes need them
 */
void hyb_residence_traffic(const hpl_shape_t *shape, const hyb_homes_t *homes,
                           const hyb_groups_t *groups, bool rows_stay,
                           bool by_device, double *up_p, double *down_p);
