/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/view.h"
#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/device/device.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"

/*
 * A place computes columns that live in its memory or are its guests: the
 * host's cores, or one device.
 *
 * On the host, workers take runs of columns, and each call returns when its
 * work is done. A device has a queue: the leader queues the work on whole
 * blocks, and the ledger learns when it has run.
 */
typedef struct hyb_place hyb_place_t;
struct hyb_parcel; /* rows that travel: exchange.h */

enum { HYB_SAVE, HYB_RESTORE }; /* copy columns out of their home, or into it */

struct hyb_place {
    hyb_lu_t *lu;

    /*
     * Apply the panel of `step` to columns, from one stage to another: swap
     * their rows, U := L1^-1 U, C := C - L2 U. The ledger is told.
     *
     * me
     *   in  for a device: the leader
     * run
     *   in  on the host a part of a block, taken from the ledger. For a device
     *       whole blocks, of which it queues the blocks that live there; or one
     *       guest; or one visitor that was taken from the ledger
     * from
     *   in  the stage before. After HYB_STEP_SOLVE, U is where an earlier call
     *       kept it; for a device the run is then a visitor. A guest's stage
     *       may belong to an earlier panel
     * to
     *   in  the stage to reach. If it is after HYB_STEP_SOLVE, on the host, U
     * is kept at home for whoever multiplies
     *
     * Returns false, and queues nothing, if there is no room for a guest now.
     */
    bool (*apply)(hyb_place_t *place, hyb_worker_t *me, const hyb_step_t *step,
                  hyb_run_t run, int64_t from, int64_t to);

    /* Panel k is known: prepare L1, L2 and the row moves. Called by the leader.
     */
    void (*receive_panel)(hyb_place_t *place, int k);

    /*
     * The columns of panel k, which live here, from its first row on, in host
     * memory, once panel k - 1 has been applied to them. Any worker may call
     * this.
     */
    xh_view_t (*panel_columns)(hyb_place_t *place, int k);

    /*
     * Queue the factorization of panel k, where the application of panel k - 1
     * to its columns is queued already. NULL: the team factors the panels that
     * live here. One panel at a time; called by the leader.
     *
     * agree  in  P > 1: called for each column with `context`, as
     *            hyb_panel_agree_fn_t; nearly all work on the column has run by
     *            then
     */
    void (*factor_panel)(hyb_place_t *place, int k, hyb_panel_agree_fn_t agree,
                         void *context);

    /*
     * L1 of panel k once the device has factored it; an empty view before.
     * Where other places or processes read L2, the panel's columns have it then.
     *
     * pivots  out  if P = 1, nb rows counted from the panel's first row; else
     *              what `agree` said
     */
    xh_view_t (*take_panel)(hyb_place_t *place, int k, int64_t *pivots);

    /* Seconds of the last panel on the device: from its factorization until its
     * columns had come down, or of the copy down alone. */
    double (*panel_seconds)(hyb_place_t *place);

    /* y := y - A x for columns that live here and are factored. A's address
     * only says which part of the matrix is meant. */
    void (*subtract)(hyb_place_t *place, const hpl_product_t *product);

    /*
     * Copy a part of a block that lives here, from (row, col) on: to
     * `elsewhere` in host memory (HYB_SAVE), or from there (HYB_RESTORE).
     * Order: outside of the loop.
     */
    void (*copy)(hyb_place_t *place, int64_t row, int64_t col, int way,
                 xh_view_t elsewhere);

    /* Fill the columns in this place's memory with the random matrix of `seed`.
     */
    void (*generate)(hyb_place_t *place, int seed);

    /* The leader alone calls the functions below. Only places with a queue have
     * them; they are NULL on the host. */

    /* Does this place have a seat for a visitor to be multiplied with panel k?
     * NULL: it takes none. */
    bool (*has_room)(const hyb_place_t *place, int k);

    /* Is `block`, a guest, in this place's memory to stay? */
    bool (*has_guest)(const hyb_place_t *place, int64_t block);

    /* Has panel k, one of the newest, come up? Then nobody reads it on the host
     * any more. Always true before the first panel. */
    bool (*has_panel)(hyb_place_t *place, int k);

    /*
     * P > 1. Queue the copy of a parcel's rows from the place into the packed
     * buffers, behind the work that its blocks wait for; or make memory of the
     * place the parcel's buffers. Have the rows been copied? Put the rows that
     * came into place.
     */
    void (*send_rows)(hyb_place_t *place, struct hyb_parcel *parcel);
    bool (*has_sent_rows)(hyb_place_t *place);
    void (*put_rows)(hyb_place_t *place, const struct hyb_parcel *parcel);

    /* Compare rows once, if this is due after panel k, and its application to
     * all columns is queued. */
    void (*sweep)(hyb_place_t *place, int k);

    /* Tell the ledger what has run. */
    void (*poll)(hyb_place_t *place);

    /* Begin: the columns are as generated. End: the factors are there, and b is
     * in host memory. */
    void (*begin)(hyb_place_t *place);
    void (*end)(hyb_place_t *place);
};
