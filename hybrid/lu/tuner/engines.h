/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_ENGINES_H
#define HYB_ENGINES_H

#include <stdint.h>
#include "hybrid/lu/tuner/home.h"

/*
 * Who factors the next panel of columns that live on a device: the team, to
 * which they come down and from which they go up again, or the device. The
 * quicker one, by the seconds that panels took either.
 */
enum {
    HYB_ENGINES = HYB_PANEL_BY_DEVICE + 1,
    HYB_ENGINES_TRIAL = 1 /* the panel that the team factors first */
};

typedef struct {              /* of the last panels of each: plain data */
    double pace[HYB_ENGINES]; /* s a flop, m nb^2: the better of two; 0: none */
    double last[HYB_ENGINES]; /* of the last one */
    int64_t rows[HYB_ENGINES]; /* m of it */
    double team_rate; /* flop/s of its products, which no panel reaches; 0:
                         unknown */
} hyb_engines_t;

/*
 * First the device, then the team, unless the device is quicker than the team's
 * products, then who has the better pace. If the other one's is of panels with
 * more than twice as many rows, that one is tried again, unless it was more
 * than four times as slow.
 *
 * rows  in  of the panel
 */
hyb_panel_by_t hyb_engines_choose(const hyb_engines_t *engines, int64_t rows);

/* Take in that engine needed so many seconds for a panel of rows x nb. Values
 * that are not positive and finite are passed over. */
void hyb_engines_learn(hyb_engines_t *engines, hyb_panel_by_t engine,
                       int64_t rows, int64_t nb, double seconds);

#endif
