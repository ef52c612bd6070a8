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
 * Who computes columns, which live in its memory or are its guests: the host's
 * cores, or one device.
 *
 * On the host workers take runs of columns, and each call returns when it is
 * done. A device has a queue: the leader queues the work of whole blocks, and
 * the ledger learns when it has run.
 */
typedef struct hyb_place hyb_place_t;
struct hyb_parcel; /* rows that travel: exchange.h */

enum { HYB_SAVE, HYB_RESTORE }; /* columns: out of their home, into it */

struct hyb_place {
    hyb_lu_t *lu;

    /*
     * Columns meet the panel of step, from one stage to another: their rows are
     * swapped, U := L1^-1 U, C := C - L2 U. The ledger learns of it.
     *
     * me    in  at a device the leader
     * run   in  on the host a part of a block, taken from the ledger; at a
     *           device whole blocks, of which it queues those that live there,
     *           or one guest, or one visitor that was taken from the ledger
     * from  in  after solve: U is where an earlier call kept it, and at a
     * device the run is a visitor. A guest's may be that of a panel before to
     * in  after solve, on the host: U is kept at home for others who multiply
     *
     * Returns false, and queues nothing, if there is no room for a guest now.
     */
    bool (*meet)(hyb_place_t *place, hyb_worker_t *me, const hyb_step_t *step,
                 hyb_run_t run, int64_t from, int64_t to);

    /* Panel k is known: make L1, L2 and the row moves ready. The leader. */
    void (*receive_panel)(hyb_place_t *place, int k);

    /*
     * The columns of panel k, which live here, from its first row on, in host
     * memory, once they have met panel k - 1. Any worker.
     */
    xh_view_t (*panel_columns)(hyb_place_t *place, int k);

    /*
     * NULL: the team factors the panels that live here. Else queue the
     * factorization of panel k, whose columns are queued to meet panel k - 1.
     * One panel at a time; the leader.
     *
     * agree  in  called for each column with context, P > 1, as
     *            hyb_panel_agree_fn_t; then the columns have nearly run
     */
    void (*factor_panel)(hyb_place_t *place, int k, hyb_panel_agree_fn_t agree,
                         void *context);

    /*
     * L1 of panel k, once the device has factored it, before that nothing.
     * Where other places or processes read L2, panel_columns has it then.
     *
     * pivots  out  nb rows counted from the panel's first one, P = 1; else as
     *              agree said
     */
    xh_view_t (*take_panel)(hyb_place_t *place, int k, int64_t *pivots);

    /* Seconds of the last panel on the device: of its factorization until its
     * columns had come down, or of these alone. */
    double (*panel_seconds)(hyb_place_t *place);

    /* y := y - A x, where A's address only says which part of the matrix it is:
     * columns that live here, and are factored. */
    void (*subtract)(hyb_place_t *place, const hpl_product_t *product);

    /* Some of a block that lives here, from (row, col) on: to elsewhere in host
     * memory, HYB_SAVE, or from there. Order: outside of the loop. */
    void (*copy)(hyb_place_t *place, int64_t row, int64_t col, int way,
                 xh_view_t elsewhere);

    /* Fill the columns in its memory with the random matrix of seed. */
    void (*generate)(hyb_place_t *place, int seed);

    /* The rest is the leader's, for places with a queue; NULL on the host. */

    /* Has it a seat for a column that comes to be multiplied with panel k?
     * NULL: it has none. */
    bool (*has_room)(const hyb_place_t *place, int k);

    /* Is block, a guest, in its memory, and stays? */
    bool (*has_guest)(const hyb_place_t *place, int64_t block);

    /* Has panel k, one of the last ones, come up? Then nobody reads it on the
     * host any more. True before the first one. */
    bool (*has_panel)(hyb_place_t *place, int k);

    /*
     * P > 1. The rows of parcel leave the place for its packed buffers, once
     * its blocks have met what is before it; have they left? Those that came go
     * to the place. Or the parcel's buffers are the place's own from then on.
     */
    void (*send_rows)(hyb_place_t *place, struct hyb_parcel *parcel);
    bool (*has_sent_rows)(hyb_place_t *place);
    void (*put_rows)(hyb_place_t *place, const struct hyb_parcel *parcel);

    /* If rows are compared once all columns have met panel k, and these are
     * queued so far: compare them, once. */
    void (*sweep)(hyb_place_t *place, int k);

    /* Tell the ledger what has run. */
    void (*poll)(hyb_place_t *place);

    /* The columns are as generated: begin. The factors are there: end, with b
     * in host memory. */
    void (*begin)(hyb_place_t *place);
    void (*end)(hyb_place_t *place);
};
