/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/tune/sizes.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/resources.h"

/*
 * Decide whether columns live on devices, and predict the gain. The functions
 * are pure, and their figures are measured before a run and equal on all
 * processes, so all processes decide alike without a message.
 */
/* Seconds of a process. Phases overlap, so `total` is less than their sum. */
typedef struct {
    double panel; /* factor panels, and wait for them */
    double link;  /* copy panels down and up, or to peers; guests, each way; and
                     rows of other processes */
    double host;  /* the team swaps, solves and multiplies */
    double devices; /* devices swap, solve and multiply */
    double total;
    double share; /* not a time: the fraction of the host columns' products that
                     devices take */
} hyb_residence_seconds_t;

/*
 * Predict the factorization of `shape` on P x Q equal processes. `rest`, 0 to
 * 1, is the fraction of the columns, on the left, that devices do not hold:
 * they are guests, or the host computes them. If `rest` is 0, or with guests,
 * the team computes its share. docs/PLAN.md has the formulae.
 */
hyb_residence_seconds_t
hyb_residence_predict(const hyb_residence_figures_t *figures,
                      const hpl_shape_t *shape, double rest, bool guests);

/* flop/s of a device for visitors: its rate, or less if its link (`link`
 * bytes/s each way; 0: unknown) limits it. */
double hyb_residence_visitor_rate(double rate, double link, double nb);

/* Panels per group, at most, in a run whose columns live on devices: the
 * setting `group`, or for auto the width with the least predicted time. */
int hyb_residence_group(const hyb_residence_figures_t *figures,
                        const hpl_shape_t *shape);

/* The size of what a device holds besides blocks of columns, for groups of
 * `width` panels and `seats` seats. */
hyb_extent_t hyb_residence_extent(const hpl_shape_t *shape, int width,
                                  int seats, bool checked);

/* The width of groups, and the number of panels that are guests before they are
 * factored: 0, or at least that number. */
hyb_grouping_t hyb_residence_grouping(const hyb_residence_figures_t *figures,
                                      const hpl_shape_t *shape);

/*
 * The fraction of the columns that the team computes if the other columns live
 * on devices: the setting `share`, or for auto the fraction with which team and
 * devices end together, if that is clearly faster than devices alone.
 */
double hyb_residence_share(const hyb_residence_figures_t *figures,
                           const hpl_shape_t *shape);

/* Is the setting `share` either auto or a number from 0 to 1? If not, a message
 * says so. */
bool hyb_residence_share_is_valid(void);

/* The fraction of the columns for which devices have no room; *guests_p: are
 * these columns guests? */
double hyb_residence_rest(const hyb_residence_figures_t *figures,
                          const hpl_shape_t *shape, bool *guests_p);

/* Does the setting `home` leave all columns in host memory? */
bool hyb_residence_is_host(void);

/*
 * Do devices compute columns of `shape`? `asked` is the setting `home`: for
 * auto, if that is predicted to be clearly faster; for host, if columns can be
 * guests by the setting `visit`; never if `figures` has no device that can hold
 * columns.
 */
bool hyb_residence_is_device(const char *asked,
                             const hyb_residence_figures_t *figures,
                             const hpl_shape_t *shape);

/* May devices compute columns for any system? */
bool hyb_residence_may_be_device(const char *asked,
                                 const hyb_residence_figures_t *figures);

/* ---- traffic over links -------------------------------------------------- */

/*
 * Bytes copied between the host and the devices of this process, from the first
 * panel to x, if devices compute columns: panels and lists of rows; if P > 1,
 * exchanged rows, as many as pivots are expected to move; guests; x and y of
 * the back-substitution.
 *
 * homes      in  places and guests; peers copy L2 from the device that factored
 *                it, except for guests' panels
 * rows_stay  in  MPI exchanges rows in device memory
 * by_device  in  devices factor the panels of their columns; panels then come
 *                down only if the host or other processes need them
 */
void hyb_residence_traffic(const hpl_shape_t *shape, const hyb_homes_t *homes,
                           const hyb_groups_t *groups, bool rows_stay,
                           bool by_device, double *up_p, double *down_p);
