/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/work.h"

#include <math.h>

/* flop/s of a thread, as the diagnosis has it: where the system does not tell
 * when others had the core, the processor's time counts. */
static double rate_of(const hyb_pace_t *pace, int members)
{
    double flop = 0.0, seconds = 0.0;
    int i;

    for (i = 0; i < members; i++) {
        flop += atomic_load(&pace[i].flop);
        seconds +=
            fmax(atomic_load(&pace[i].seconds), atomic_load(&pace[i].cpu));
    }
    return seconds > 0.0 ? flop / seconds : NAN;
}

hpl_work_t hyb_work(const hyb_timer_t *spent, const hyb_pace_t *pace,
                    int members, double devices_flop)
{
    hyb_timer_sum_t sum = hyb_timer_sum(spent, members);
    int a;

    for (a = 0; a < HYB_ACTIVITIES; a++)
        sum.seconds[a] /= members;
    return (hpl_work_t){
        .panel = sum.seconds[HYB_PANEL],
        .swap = sum.seconds[HYB_SWAP],
        .solve = sum.seconds[HYB_SOLVE],
        .update = sum.seconds[HYB_MULTIPLY] + sum.seconds[HYB_HELP],
        .broadcast = sum.seconds[HYB_BROADCAST],
        .exchange = sum.seconds[HYB_EXCHANGE],
        .wait = sum.seconds[HYB_WAIT_PANEL] + sum.seconds[HYB_WAIT_ROWS] +
                sum.seconds[HYB_WAIT_COLUMNS],
        .flop = sum.flop + devices_flop,
        .rate = rate_of(pace, members)};
}
