/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/node/team.h"

/*
 * Parts of the solver that a team runs repeatedly on random numbers, to measure
 * their times. Each object must be closed, even if open failed.
 */

/* Memory with random numbers from -0.5 to 0.5. */
typedef struct {
    hyb_team_t *team;
    double *data;
    size_t bytes;
} hyb_scratch_t;

/* Allocate and fill memory; members of the team touch its blocks in turn. On
 * entry *scratch is all 0. Errors: XH_ERR_MEMORY */
xh_status_t hyb_scratch_open(hyb_scratch_t *scratch, hyb_team_t *team,
                             int64_t doubles);
void hyb_scratch_close(hyb_scratch_t *scratch);

enum { HYB_CALLS_MOST = 16 };

typedef struct {
    double least, median;
} hyb_seconds_t;

/* The time to measure: the mean processor time of the team's first `members`
 * members, or clock time if `team` is NULL. */
typedef struct {
    const hyb_team_t *team;
    int members;
} hyb_crew_t;

/*
 * Return the seconds of `calls` runs, 1 <= calls <= HYB_CALLS_MOST. Each run
 * follows a call of `prepare`, which is not timed and may be NULL.
 */
hyb_seconds_t hyb_time_runs(hyb_crew_t crew, void (*prepare)(void *context),
                            void (*run)(void *context), void *context,
                            int calls);

/* ---- a panel ------------------------------------------------------------- */

typedef struct {
    int members;       /* members that factor; open sets the whole team */
    hyb_panel_t panel; /* the caller may set agree, context and top.rows, to
                          imitate other processes with rows */
    xh_view_t columns; /* source of load: the top, then the body */
    /* private */
    hyb_panel_scratch_t *scratch;
    int zero;
    hyb_scratch_t memory;
} hyb_host_panel_t;

/* Allocate a panel of m x nb, m >= nb. Errors: XH_ERR_MEMORY */
xh_status_t hyb_host_panel_open(hyb_host_panel_t *panel,
                                const hyb_kernel_t *kernel, hyb_team_t *team,
                                int64_t m, int nb);
void hyb_host_panel_close(hyb_host_panel_t *panel);

/* load: one member copies the panel out of its matrix. factor: the members
 * factor it. */
void hyb_host_panel_load(void *panel);
void hyb_host_panel_factor(void *panel);

/* ---- an update ----------------------------------------------------------- */

/* Operations on all columns, in this order. */
enum {
    HYB_PART_SWAP = 1,     /* exchange k rows of C with the k rows above, U */
    HYB_PART_SOLVE = 2,    /* solve U with L1 = I, and store it */
    HYB_PART_MULTIPLY = 4, /* C := C - L2 U */
    HYB_PART_PACK = 8,     /* copy the 2 k rows of a swap to send buffers */
    HYB_PART_PASS = 16 /* read and write one element of each cache line of C */
};

typedef struct {
    int64_t m, n, k;  /* C is m x n, L2 m x k, U k x n */
    int64_t run_cols; /* columns per run, which may be lowered after open; 0: as
                         many as suit the kernel, fewer at the end */
    int parts;        /* sum of HYB_PART_ values */
    /* private */
    hyb_factors_t factors;
    xh_view_t columns; /* the k top rows, then the rows of C */
    hyb_swap_t swap;
    double *packed; /* packed rows of a run, one buffer per member */
    int64_t stride; /* doubles between members */
    int64_t widest; /* columns of the widest run */
    _Atomic int64_t next;
    hyb_scratch_t memory;
} hyb_host_update_t;

/* Allocate an update whose m, n, k and run_cols are set. Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_host_update_open(hyb_host_update_t *update,
                                 const hyb_kernel_t *kernel, hyb_team_t *team);
void hyb_host_update_close(hyb_host_update_t *update);

void hyb_host_update_run(void *update);
