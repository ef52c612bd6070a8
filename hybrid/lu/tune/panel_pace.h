/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Choose who factors the next panel if its columns live on a device: the team,
 * for which they are copied down and up again, or the device. The faster one is
 * chosen, by the seconds that its panels took.
 */
enum { HYB_PANEL_PACE_TRIAL = 1 }; /* the panel that the team factors first */

typedef struct {      /* [0] of the team, [1] of the device */
    double pace[2];   /* s per flop, m nb^2: better of two; 0: none */
    double last[2];   /* s per flop of the last panel */
    int64_t rows[2];  /* m of the last panel */
    double team_rate; /* flop/s of the team's products, which no panel reaches;
                         0: unknown */
} hyb_panel_pace_t;

/*
 * Should the device factor the next panel, of `rows` rows, or the team? The
 * device factors the first panel. The team factors the second, unless the
 * device is faster than the team's products. Afterwards the one with the better
 * pace does. If the other pace is from panels with more than twice as many
 * rows, the other is tried again, unless it was more than four times as slow.
 */
bool hyb_panel_pace_choose_device(const hyb_panel_pace_t *pace, int64_t rows);

/* Learn that the device, or the team, took `seconds` for a panel of rows x nb.
 * Values that are not positive and finite are ignored. */
void hyb_panel_pace_learn(hyb_panel_pace_t *pace, bool by_device, int64_t rows,
                          int64_t nb, double seconds);
