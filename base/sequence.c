/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/sequence.h"

const xh_jump_t xh_jump_step = {.mul = 6364136223846793005, .add = 1};

static xh_jump_t after(xh_jump_t first, xh_jump_t second)
{
    return (xh_jump_t){.mul = second.mul * first.mul,
                       .add = xh_jump_apply(second, first.add)};
}

xh_jump_t xh_jump_power(xh_jump_t jump, uint64_t count)
{
    xh_jump_t power = {.mul = 1, .add = 0};

    for (; count > 0; count /= 2) {
        if (count % 2 == 1)
            power = after(power, jump);
        jump = after(jump, jump);
    }
    return power;
}

xh_lanes_t xh_lanes(void)
{
    xh_lanes_t lanes = {.round = xh_jump_power(xh_jump_step, XH_LANES)};
    xh_jump_t ahead;
    int l;

    for (l = 0; l < XH_LANES; l++) {
        ahead = xh_jump_power(xh_jump_step, (uint64_t)l);
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
