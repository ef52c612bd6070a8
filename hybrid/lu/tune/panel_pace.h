/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Who factors the next panel of columns that live on a device: the team, for
 * which they come down and go up again, or the device. The faster one does, by
 * the seconds that panels took each.
 */
enum { HYB_PANEL_PACE_TRIAL = 1 }; /* the panel that the team factors first */

typedef struct {      /* of the last panels, by the team and by the device */
    double pace[2];   /* s per flop, m nb^2: the better of two; 0: none */
    double last[2];   /* s per flop of the last one */
    int64_t rows[2];  /* m of the last one */
    double team_rate; /* flop/s of its products, which no panel reaches; 0:
                         unknown */
} hyb_panel_pace_t;

/*
 * Does the device factor the next panel, which has `rows` rows, or does the
 * team? First the device does. Then the team does, unless the device's pace
 * beats the team's products. Then the one with the better pace does. If the
 * other pace is from panels with more than twice as many rows, that one is
 * tried again, unless it was more than four times as slow.
 */
bool hyb_panel_pace_choose_device(const hyb_panel_pace_t *pace, int64_t rows);

/* Learn that the device, or the team, needed `seconds` for a panel of rows x
 * nb. Values that are not positive and finite are ignored. */
void hyb_panel_pace_learn(hyb_panel_pace_t *pace, bool by_device, int64_t rows,
                          int64_t nb, double seconds);
