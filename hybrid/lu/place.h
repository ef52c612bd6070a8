/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PLACE_H
#define HYB_PLACE_H

#include "base/view.h"
#include "hybrid/lu/worker.h"

/*
 * Where columns live and are computed: the host's memory and cores, or one
 * device. The loop calls these functions and does not know which. A run meets
 * the panel of step.
 */
typedef struct {
    /*
     * The leader queues the work of whole blocks, and the ledger says when it
     * has run. If not, workers take runs and each call returns when it is done.
     */
    bool is_queued;

    /* Panel k is known: make L1, L2 and the row moves ready. The leader. */
    void (*receive_panel)(hyb_lu_t *lu, int k);

    /* The run's rows of U, at their place in U, and displaced rows below. */
    void (*swap)(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run);

    /* U := L1^-1 U. keeps: U is stored at home as well, for the
     * back-substitution, or for others who multiply. */
    void (*solve)(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run,
                  bool keeps);

    /* Fetch the U that solve kept: for a multiply in a later call. */
    void (*fetch_u)(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run);

    /* C := C - L2 U, the last step of the run: the ledger learns of it. */
    void (*multiply)(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run);

    /*
     * The local columns of panel k from its first row on, in host memory, once
     * they have met panel k - 1. Any worker.
     */
    xh_view_t (*panel_columns)(hyb_lu_t *lu, int k);

    /* Tell the ledger what has run; lu. For the poller; NULL: nothing to do. */
    void (*poll)(void *lu);

    /* The columns are as generated: begin. The factors are there: end, with b
     * in host memory. The leader; NULL: nothing to do. */
    void (*begin)(hyb_lu_t *lu);
    void (*end)(hyb_lu_t *lu);
} hyb_place_t;

/* The host: threads of the team. */
extern const hyb_place_t hyb_place_host;

#endif
