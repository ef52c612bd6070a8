/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PANEL_PRIVATE_H
#define HYB_PANEL_PRIVATE_H

#include <stddef.h>
#include "hybrid/cpu/eliminate.h"
#include "hybrid/cpu/panel.h"

/* what a member proposes, in a cache line of its own */
typedef struct {
    _Alignas(64) hyb_candidate_t best; /* its row counted over all parts */
} hyb_panel_offer_t;

struct hyb_panel_engine {
    hyb_team_t *team;
    const hyb_kernel_t *kernel;
    const hyb_eliminate_t *loops;
    hyb_barrier_t **barriers; /* [i] is for i + 1 members */
    double *memory;           /* of bytes, holds the arrays that follow */
    size_t bytes;
    int64_t ld;                /* doubles between the rows of an array */
    double *rows;              /* L1 by rows */
    double *candidates;        /* a row a member */
    double *current;           /* two rows: of this column and of the next */
    double *b;                 /* - U, packed */
    double *top;               /* the top in tiles */
    hyb_panel_offer_t *offers; /* one a member */
    int64_t place; /* of the pivot among my rows, -1 where it is not mine */
};

/* Rows of the panel in tiles, of which a member works on some. */
typedef struct {
    hyb_tiles_t tiles;
    int64_t row;        /* the local row of the first */
    int64_t begin, end; /* tiles of this member */
    int64_t alive;      /* the rows before it are in L1 */
} hyb_panel_part_t;

enum { HYB_PANEL_TOP, HYB_PANEL_BODY, HYB_PANEL_PARTS };

/* one member in one factorization */
typedef struct {
    hyb_panel_engine_t *engine;
    const hyb_panel_t *panel;
    hyb_barrier_t *barrier;
    int member, members;
    int cols; /* of the panel */
    hyb_panel_part_t parts[HYB_PANEL_PARTS];
    hyb_candidate_t best; /* mine for the next pivot */
} hyb_panel_worker_t;

/*
 * What is done between pivot q - 1 and pivot q. Of L, columns from .. q - 1
 * take part:
 *
 *     U's rows solve .. q - 1 are finished in columns q .. solve_end - 1
 *     my rows are updated in columns q .. update_end - 1
 */
typedef struct {
    int from, solve, q, solve_end, update_end;
} hyb_panel_step_t;

/* My candidate for pivot 0. */
void hyb_panel_search(hyb_panel_worker_t *w);

/*
 * Agree on the pivot of column c. Member 0 then knows it, and the others after
 * the next barrier.
 */
void hyb_panel_elect(hyb_panel_worker_t *w, int c);

/* The old place of pivot c, if it is mine, takes the top's row c. */
void hyb_panel_settle(const hyb_panel_worker_t *w, int c);

/*
 * Settle pivot q - 1 and divide by it, update my rows, find my candidate for
 * pivot q. All members then know pivot q - 1.
 */
void hyb_panel_advance(hyb_panel_worker_t *w, const hyb_panel_step_t *step);

#endif
