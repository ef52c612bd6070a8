/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_FILL_H
#define XDG_FILL_H

#include <stdint.h>
#include "hybrid/node/team.h"
#include "base/view.h"

typedef enum {
    XDG_UNIFORM, /* in [-0.5, 0.5) */
    XDG_NORMAL,  /* mean 0, variance 25 */
    XDG_NAN      /* must not be read */
} xdg_distribution_t;

/*
 * An infinite random matrix: each element is a function of seed, row and
 * column, so that any part can be generated at any time.
 */
typedef struct {
    xdg_distribution_t distribution;
    uint64_t seed;
} xdg_random_t;

/* Element (i, j); rows and columns below 2^31. */
double xdg_random_element(const xdg_random_t *random, int64_t i, int64_t j);

/*
 * Set v to the part of the random matrix whose first element is (row, col); by
 * all members of team, each its share of the columns.
 */
void xdg_fill(hyb_team_t *team, const xdg_random_t *random, int64_t row,
              int64_t col, xh_view_t v);

#endif
