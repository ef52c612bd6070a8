/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_LOCATE_H
#define XDG_LOCATE_H

#include "hybrid/device/machine.h"
#include "testing/xdgemm/checksum.h"
#include "testing/xdgemm/fill.h"

/* a part of C that is wrong, and who computed it */
typedef struct {
    xh_rectangle_t part; /* a tile, or all of C where nothing was cut */
    int executor; /* 0: the team, i + 1: device i, -1: nobody, or several */
    bool by[HYB_EXECUTORS]; /* all who computed something of it */
    int64_t row, col;       /* the worst of C, -1: not known */
    double error, bound;    /* of a sum with it */
} xdg_culprit_t;

/* products that were computed one upon the other, and found wrong */
typedef struct {
    const xh_gemm_t *product;   /* c holds the result */
    const xdg_random_t *start;  /* what c held before */
    const hyb_report_t *report; /* who computed what, since c was right */
    int reports;                /* one a product */
    const xdg_verdict_t *verdict;
} xdg_suspect_t;

/*
 * The tiles of a wrong product that are wrong: those that a wrong row and a
 * wrong column meet in, each checked alone by checksum vectors of its own. Of
 * several products the first that was cut tells the tiles.
 *
 * culprits_p  out  the first capacity of them
 * count_p     out  how many there are; at least 1
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_locate(hyb_team_t *team, const xdg_suspect_t *suspect,
                       xdg_culprit_t *culprits_p, int capacity, int *count_p);

#endif
