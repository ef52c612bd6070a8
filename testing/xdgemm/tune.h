/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include "hybrid/device/cuts.h"

/* ---- searching ----------------------------------------------------------- */

/* flop/s of products with that cut; 0: the cut is impossible, or its results
 * are wrong; below 0: no time is left. */
typedef double xdg_rate_of_t(void *context, const hyb_cut_t *cut);

typedef struct {
    hyb_cut_t best;
    double rate;    /* flop/s of best; 0: there is no valid cut */
    int64_t trials; /* number of cuts measured */
} xdg_search_t;

/*
 * Find the cut with the highest rate: first from start, then again and again
 * from the best of several random cuts, set one knob after the other to each of
 * its values and keep the best, until no knob changes any more. The search ends
 * when no time is left, or when no new cuts are found. No cut is tried twice.
 *
 * random  in   seed of the random cuts: the same seed repeats the search
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_search(const hyb_knob_t *knobs, int count,
                       const hyb_cut_t *start, uint64_t random,
                       xdg_rate_of_t *rate_of, void *context,
                       xdg_search_t *search_p);

/* ---- tuning -------------------------------------------------------------- */

/*
 * Tune the products of device in about `seconds`: m x n with each depth of a
 * hyb_cut_table_t, or only with the depth nearest to k > 0. The product of each
 * candidate is compared with the host's, element by element. The best candidate
 * is then measured in alternation with the device's own choice, and is used if
 * it is faster. Prints a table to out, and saves the cuts of the device's
 * model.
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_tune(hyb_device_t *device, int64_t m, int64_t n, int64_t k,
                     double seconds, FILE *out);
