/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICES_H
#define HYB_DEVICES_H

#include "hybrid/lu/lu.h"
#include "hybrid/observe/iterations.h"

/*
 * The devices' part of the updates. In iteration k they get the columns right
 * behind those of panel k + 1, the team the others, by the ratio that was
 * learnt; the team swaps and solves their columns and releases them block by
 * block. One iteration's tiles are on the devices at a time; columns they are
 * done with may meet the next panel at once. C stays whole until a tile is
 * complete, so what a lost device leaves, others compute.
 *
 * Source: CALDGEMM report, 3.4; Linpack on Xeon Phi, V.
 */
typedef struct hyb_devices hyb_devices_t;

/*
 * The devices of node that work; NULL where there is none. They read L2 from
 * lu->flat.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_devices_create(const hyb_lu_t *lu, hyb_machine_t *node,
                               hyb_devices_t **devices_p);
void hyb_devices_destroy(hyb_devices_t *devices); /* accepts NULL */

/*
 * Would the devices have updated their first tiles in iteration k before the
 * team has these columns, panel k + 1's? By measured rates; not where there is
 * nothing to multiply, or no device.
 */
bool hyb_devices_are_quicker(const hyb_lu_t *lu, int k, int64_t columns);

/*
 * How many of columns the devices get in iteration k, from the first on; they
 * are dealt for feeding in runs of a chunk. The leader, before it opens k.
 *
 * certain  in  the first so many are theirs whatever the ratio says
 */
int64_t hyb_devices_plan(hyb_lu_t *lu, int k, hyb_run_t columns,
                         int64_t certain);

/* A run to swap and solve for the devices; false: there is none. */
bool hyb_devices_feed(hyb_lu_t *lu, int k, hyb_run_t *run_p);

/* Are the devices busy for as long as panel k + 1 takes? The leader. */
bool hyb_devices_have_plenty(const hyb_lu_t *lu, int k);

/* run, which was fed, is swapped, solved and stored. */
void hyb_devices_fed(hyb_lu_t *lu, int k, hyb_run_t run);

/* All that was to be fed is, by preparing all columns of iteration k. */
void hyb_devices_fed_all(hyb_lu_t *lu, int k);

/* Begin, release, finish, as far as it goes now. The leader. */
void hyb_devices_poll(hyb_lu_t *lu);

typedef enum {
    HYB_TILES_TO_SPARE,  /* what the policy leaves to the team */
    HYB_TILES_GIVEN_BACK /* only what a failed device did not complete */
} hyb_devices_help_t;

/* Compute one such tile, or one that was given back; was there any? */
bool hyb_devices_help(hyb_lu_t *lu, hyb_devices_help_t which, int member);

/* Are the columns of iteration k and of all before complete? */
bool hyb_devices_finished(const hyb_lu_t *lu, int k);

/* ---- what they did: for the record, and for choices ----------------------
 */

/* Share of the update that they got in iteration k, or NAN. */
double hyb_devices_share(const hyb_lu_t *lu, int k);

/* When their last tile of iteration k was complete; 0 where they had none. */
double hyb_devices_ended(const hyb_lu_t *lu, int k);

/* flop of their columns in iteration k. */
double hyb_devices_flop(const hyb_lu_t *lu, int k);

/* flop/s of all together in the last update that ended, 0: unknown. */
double hyb_devices_rate(const hyb_lu_t *lu);

/* Columns of their tiles in it, 0: unknown. */
int64_t hyb_devices_tile_columns(const hyb_lu_t *lu);

/* Set the device members of row for iteration k. */
void hyb_devices_record(const hyb_lu_t *lu, int k, hyb_iteration_t *row);

#endif
