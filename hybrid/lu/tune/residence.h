/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_solver.h"
#include "hybrid/lu/tune/sizes.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/resources.h"

/*
 * Do columns live on devices, and what is that worth? Pure: from figures that
 * are measured before a run and equal on all processes, so that all decide
 * alike without a message.
 */
/* Seconds of a process. Phases overlap: the total is less than their sum. */
typedef struct {
    double panel;   /* factored, and waited for */
    double link;    /* panels on their way down and up, or to peers; guests each
                       way; rows of other processes */
    double host;    /* the team swaps, solves and multiplies */
    double devices; /* the same of all devices */
    double total;
    double share; /* no time: the part of products of the host's columns that
                     devices take */
} hyb_residence_seconds_t;

/*
 * The factorization of shape, P x Q processes alike, of whose columns devices
 * do not hold a part, 0 to 1, on the left: guests, or those that the host
 * computes; with 0 the team has its share. docs/PLAN.md has the formulae.
 */
hyb_residence_seconds_t
hyb_residence_predict(const hyb_residence_figures_t *figures,
                      const hpl_shape_t *shape, double rest, bool guests);

/* flop/s of a device in columns that come for one product: its rate, or what
 * its link, B/s each way, lets it have; 0 of that: unknown. */
double hyb_residence_visitor_rate(double rate, double link, double nb);

/* Panels of the widest group of a run whose columns live on devices: the
 * setting group, or as deep as their products gain by it, and where there are
 * guests as wide as keeps these off the links. */
int hyb_residence_group(const hyb_residence_figures_t *figures,
                        const hpl_shape_t *shape);

/* What a device holds beside columns, in a run with such groups and so many
 * seats. */
hyb_extent_t hyb_residence_extent(const hpl_shape_t *shape, int width,
                                  int seats, bool checked);

/* That width, and how many panels are guests before: 0, or more than are. */
hyb_grouping_t hyb_residence_grouping(const hyb_residence_figures_t *figures,
                                      const hpl_shape_t *shape);

/*
 * The part of the columns that the team computes where the others live on
 * devices: the setting share, or with auto what team and devices compute
 * in the same time, if that is clearly faster than devices alone.
 */
double hyb_residence_share(const hyb_residence_figures_t *figures,
                           const hpl_shape_t *shape);

/* Is the setting share auto or a number from 0 to 1? Else it is said. */
bool hyb_residence_share_is_valid(void);

/* That part, for which the devices have no room, and whether it is guests. */
double hyb_residence_rest(const hyb_residence_figures_t *figures,
                          const hpl_shape_t *shape, bool *guests_p);

/* Does the setting home leave all columns in host memory? */
bool hyb_residence_is_host(void);

/*
 * Do devices compute columns of shape? asked is the setting home: with auto if
 * that is predicted to be clearly faster; with host if columns can visit them
 * for all of an update, as the setting visit allows; never where figures has no
 * device that can keep them.
 */
bool hyb_residence_is_device(const char *asked,
                             const hyb_residence_figures_t *figures,
                             const hpl_shape_t *shape);

/* May they at all, whatever is solved? */
bool hyb_residence_may_be_device(const char *asked,
                                 const hyb_residence_figures_t *figures);

/* ---- what crosses links -------------------------------------------------- */

/*
 * Bytes that move between the host and the devices of shape's process from the
 * first panel to x, where devices compute all of its columns: panels and lists
 * of rows; if P > 1, rows of the exchange, as many as pivots are expected to
 * move; if P = 1, guests; x and y of the back-substitution.
 *
 * homes      in  its places and guests; peers get L2 from the device that
 *                factored it, but for guests'
 * rows_stay  in  MPI takes those of the exchange from the device
 * by_device  in  devices factor the panels of their columns, which stay there
 *                and come down only where others need them
 */
void hyb_residence_traffic(const hpl_shape_t *shape, const hyb_homes_t *homes,
                           const hyb_groups_t *groups, bool rows_stay,
                           bool by_device, double *up_p, double *down_p);
