/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sequence.h"

xh_lanes_t xh_lanes(void)
{
    xh_lanes_t lanes = {.round = xh_jump_power(xh_jump_step, XH_LANES)};

    for (int l = 0; l < XH_LANES; l++) {
        xh_jump_t ahead = xh_jump_power(xh_jump_step, (uint64_t)l);
        lanes.mul[l] = ahead.mul;
        lanes.add[l] = ahead.add;
    }
    return lanes;
}

void xh_sequence_run(const xh_lanes_t *lanes, uint64_t x, int64_t count,
                     double *a)
{
    xh_sequence_run_here(lanes, x, count, a);
}
