/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/panel_pace.h"

#include <math.h>

bool hyb_panel_pace_choose_device(const hyb_panel_pace_t *e, int64_t rows)
{
    enum { FEWER = 2, SLOWER = 4 };
    bool best = true, other = false; /* index of the device; of the team */

    if (e->pace[best] == 0.0)
        return best;
    if (e->pace[other] == 0.0)
        return e->pace[best] * e->team_rate < 1.0 && e->team_rate > 0.0 ? best
                                                                        : other;
    if (e->pace[other] < e->pace[best]) {
        best = false;
        other = true;
    }
    return e->rows[other] > FEWER * rows &&
                   e->pace[other] <= SLOWER * e->pace[best]
               ? other
               : best;
}

void hyb_panel_pace_learn(hyb_panel_pace_t *e, bool by_device, int64_t rows,
                          int64_t nb, double seconds)
{
    double flop = (double)rows * (double)nb * (double)nb;

    if (!(flop > 0.0 && seconds > 0.0 && isfinite(seconds)))
        return;
    /* Use the better of two, because one panel may have been delayed. */
    e->pace[by_device] = e->last[by_device] > 0.0
                             ? fmin(seconds / flop, e->last[by_device])
                             : seconds / flop;
    e->last[by_device] = seconds / flop;
    e->rows[by_device] = rows;
}
