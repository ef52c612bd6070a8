/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/node/team.h"

/*
 * Parts of the solver that a team does again and again on random numbers, to
 * see how long they take. All has to be closed, even where open failed.
 */

/* Random numbers from -0.5 to 0.5. */
typedef struct {
    hyb_team_t *team;
    double *data;
    size_t bytes;
} hyb_scratch_t;

/* The members of team touch it first, by turns. scratch is all 0.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_scratch_open(hyb_scratch_t *scratch, hyb_team_t *team,
                             int64_t doubles);
void hyb_scratch_close(hyb_scratch_t *scratch);

/* Between columns of so many rows: an odd number of lines, as in the solver. */
int64_t hyb_scratch_ld(int64_t rows);

enum { HYB_CALLS_MOST = 16 };

typedef struct {
    double least, median;
} hyb_seconds_t;

/* Whose processor time is taken, the mean of the first members; team NULL: the
 * clock's seconds are. */
typedef struct {
    const hyb_team_t *team;
    int members;
} hyb_crew_t;

/*
 * The seconds of so many runs, 1 <= calls <= HYB_CALLS_MOST. prepare, which may
 * be NULL, comes before each and is not timed.
 */
hyb_seconds_t hyb_time_runs(hyb_crew_t crew, void (*prepare)(void *context),
                            void (*run)(void *context), void *context,
                            int calls);

/* ---- a panel ------------------------------------------------------------- */

typedef struct {
    int members; /* of the team, that factor: all, until someone sets it */
    hyb_panel_t panel; /* agree, context and top.rows may be set, as if other
                          processes held further rows */
    xh_view_t columns; /* what it is loaded from: the top, then the body */
    /* private */
    hyb_panel_scratch_t *scratch;
    int zero;
    hyb_scratch_t memory;
} hyb_host_panel_t;

/* m >= nb. Errors: XH_ERR_MEMORY */
xh_status_t hyb_host_panel_open(hyb_host_panel_t *panel,
                                const hyb_kernel_t *kernel, hyb_team_t *team,
                                int64_t m, int nb);
void hyb_host_panel_close(hyb_host_panel_t *panel);

/* Copy the panel out of its matrix, by one member alone; then factor it. */
void hyb_host_panel_load(void *panel);
void hyb_host_panel_factor(void *panel);

/* ---- an update ----------------------------------------------------------- */

/* What is done to all columns, in this order. */
enum {
    HYB_PART_SWAP = 1,     /* k rows with the k above C: U */
    HYB_PART_SOLVE = 2,    /* U with L1 = I, and store it */
    HYB_PART_MULTIPLY = 4, /* C := C - L2 U */
    HYB_PART_PACK = 8,     /* copy the 2 k rows of a swap to where messages are
                              sent from */
    HYB_PART_PASS = 16     /* read and write one element of each line of C */
};

typedef struct {
    int64_t m, n, k;  /* C is m x n, L2 m x k, U k x n */
    int64_t run_cols; /* of each run, never more than at first; 0: as many as
                         suit the kernel, fewer at the end */
    int parts;        /* of the above */
    /* private */
    hyb_factors_t factors;
    xh_view_t columns; /* the k rows of the top, then those of C */
    hyb_swap_t swap;
    double *packed; /* a run's rows, of each member */
    int64_t stride; /* between members */
    int64_t widest; /* run_cols, where that is 0 */
    _Atomic int64_t next;
    hyb_scratch_t memory;
} hyb_host_update_t;

/* m, n, k and run_cols are set. Errors: XH_ERR_MEMORY */
xh_status_t hyb_host_update_open(hyb_host_update_t *update,
                                 const hyb_kernel_t *kernel, hyb_team_t *team);
void hyb_host_update_close(hyb_host_update_t *update);

void hyb_host_update_run(void *update);
