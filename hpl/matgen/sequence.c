/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/matgen/sequence.h"

const hpl_jump_t hpl_jump_step = {.mul = 6364136223846793005, .add = 1};

static hpl_jump_t after(hpl_jump_t first, hpl_jump_t second)
{
    return (hpl_jump_t){.mul = second.mul * first.mul,
                        .add = hpl_jump_apply(second, first.add)};
}

hpl_jump_t hpl_jump_power(hpl_jump_t jump, uint64_t count)
{
    hpl_jump_t power = {.mul = 1, .add = 0};

    for (; count > 0; count /= 2) {
        if (count % 2 == 1)
            power = after(power, jump);
        jump = after(jump, jump);
    }
    return power;
}
