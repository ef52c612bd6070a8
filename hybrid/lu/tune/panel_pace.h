/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Who factors the next panel of columns that live on a device: the team, to
 * which they come down and from which they go up again, or the device. The
 * quicker one, by the seconds that panels took either.
 */
enum { HYB_PANEL_PACE_TRIAL = 1 }; /* the panel that the team factors first */

typedef struct {      /* of the last panels of the team, and of the device */
    double pace[2];   /* s a flop, m nb^2: the better of two; 0: none */
    double last[2];   /* of the last one */
    int64_t rows[2];  /* m of it */
    double team_rate; /* flop/s of its products, which no panel reaches; 0:
                         unknown */
} hyb_panel_pace_t;

/*
 * Does the device factor the next panel, of so many rows, or the team? First
 * the device, then the team, unless the device is quicker than the team's
 * products, then who has the better pace. If the other one's is of panels with
 * more than twice as many rows, that one is tried again, unless it was more
 * than four times as slow.
 */
bool hyb_panel_pace_choose_device(const hyb_panel_pace_t *pace, int64_t rows);

/* Take in that the device, or the team, needed so many seconds for a panel of
 * rows x nb. Values that are not positive and finite are passed over. */
void hyb_panel_pace_learn(hyb_panel_pace_t *pace, bool by_device, int64_t rows,
                          int64_t nb, double seconds);
