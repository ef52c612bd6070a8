/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/panel/panel.h"

/* what a member proposes, in a cache line of its own */
typedef struct {
    _Alignas(64) hyb_candidate_t best; /* its row a local number */
} hyb_panel_offer_t;

struct hyb_panel_scratch {
    hyb_team_t *team;
    const hyb_kernel_t *kernel;
    hyb_barrier_t **barriers;  /* [i] is for i + 1 members */
    int64_t ld;                /* doubles between the rows of an array */
    size_t bytes;              /* of all arrays, one behind the other */
    double *rows;              /* L1 by rows */
    double *candidates;        /* a row a member */
    double *current;           /* two rows: of this column and of the next */
    double *b;                 /* - U, packed */
    double *top;               /* the top in tiles */
    hyb_panel_offer_t *offers; /* one a member */
    int64_t pivot_row;         /* among my rows, -1 where it is not mine */
};
