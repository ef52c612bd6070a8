/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"

/* A member's candidate, in a cache line of its own. */
typedef struct {
    _Alignas(64) hyb_candidate_t best; /* best.row is a local row number */
} hyb_panel_offer_t;

struct hyb_panel_scratch {
    hyb_team_t *team;
    const hyb_kernel_t *kernel;
    hyb_barrier_t **barriers; /* [i] is for i + 1 members */
    int64_t ld;               /* doubles between the rows of each array below */
    size_t bytes;       /* bytes of all arrays, stored one after another */
    double *rows;       /* L1 by rows */
    double *candidates; /* one row per member */
    double *current;    /* two rows: the current column's and the next one's */
    double *b;          /* -U, packed */
    double *top;        /* the top in tiles */
    hyb_panel_offer_t *offers; /* one per member */
    int64_t pivot_row; /* local row of the pivot; -1: another process has it */
};
