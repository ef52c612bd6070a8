/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PLACE_H
#define HYB_PLACE_H

#include "base/status.h"
#include "base/view.h"
#include "hpl/pgesv/back_substitution.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/lu/worker.h"

/*
 * Where columns live and are computed: the host's memory and cores, or one
 * device. The loop calls these functions and does not know which.
 */
typedef struct hyb_place hyb_place_t;

/* A run of columns that meets the panel of step. */
typedef struct {
    hyb_worker_t *me;
    const hyb_step_t *step;
    hyb_run_t run;
} hyb_place_work_t;

typedef struct {
    const char *name;

    /*
     * The leader queues the work of whole blocks, and the ledger says when it
     * has run. If not, workers take runs and each call returns when it is done.
     */
    bool is_queued;

    /* Panel k is known: make L1, L2 and the row moves ready. The leader. */
    void (*receive_panel)(hyb_lu_t *lu, int k);

    /*
     * P > 1, and the place has a queue: the rows that x moves leave for its
     * packed buffers, once their columns have met the panel before; have they
     * left? Those that came go to the place. The leader.
     */
    void (*send_rows)(hyb_lu_t *lu, const hpl_exchange_t *x, hyb_run_t run);
    bool (*has_sent_rows)(hyb_lu_t *lu);
    void (*put_rows)(hyb_lu_t *lu, const hpl_exchange_t *x);

    /* The run's rows of U, at their place in U, and displaced rows below. */
    void (*swap)(const hyb_place_work_t *work);

    /* U := L1^-1 U. keeps: U is stored at home as well, for the
     * back-substitution, or for others who multiply. */
    void (*solve)(const hyb_place_work_t *work, bool keeps);

    /* Fetch the U that solve kept: for a multiply in a later call. */
    void (*fetch_u)(const hyb_place_work_t *work);

    /* C := C - L2 U, the last step of the run: the ledger learns of it. */
    void (*multiply)(const hyb_place_work_t *work);

    /*
     * The local columns of panel k from its first row on, in host memory, once
     * they have met panel k - 1. Any worker.
     */
    xh_view_t (*panel_columns)(hyb_lu_t *lu, int k);

    /* Panel k is factored here: its U goes home. The leader. */
    void (*put_top)(hyb_lu_t *lu, int k);

    /* Tell the ledger what has run; lu. For the poller; NULL: nothing to do. */
    void (*poll)(void *lu);

    /* The columns are as generated: begin. The factors are there: end, with b
     * in host memory. The leader; NULL: nothing to do. */
    void (*begin)(hyb_lu_t *lu);
    void (*end)(hyb_lu_t *lu);
} hyb_place_ops_t;

struct hyb_place {
    const hyb_place_ops_t *ops;
};

/* The host: threads of the team. Borrowed, never freed. */
hyb_place_t *hyb_place_host(void);

#endif
