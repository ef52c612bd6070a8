/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/lap.h"

#include <math.h>
#include "base/clock.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/share.h"

void hyb_lap_open(hyb_lap_t *lap, const hyb_lu_t *lu)
{
    const hyb_workers_t *w = &lu->workers;
    int a;

    lap->panel_seconds = 0.0;
    lap->opened = xh_clock_now();
    lap->before = hyb_timer_sum(w->timer, w->count);
    for (a = 0; a < HYB_ACTIVITIES; a++)
        lap->leader_before[a] = atomic_load(&w->timer[0].seconds[a]);
}

void hyb_lap_close(hyb_lap_t *lap, const hyb_lu_t *lu)
{
    const hyb_workers_t *w = &lu->workers;
    int a;

    lap->seconds = xh_clock_now() - lap->opened;
    lap->team = hyb_timer_sum(w->timer, w->count);
    lap->team.flop -= lap->before.flop;
    for (a = 0; a < HYB_ACTIVITIES; a++) {
        lap->team.seconds[a] -= lap->before.seconds[a];
        lap->leader[a] =
            atomic_load(&w->timer[0].seconds[a]) - lap->leader_before[a];
    }
}

double hyb_lap_team_rate(const hyb_lap_t *lap, int members)
{
    double seconds = lap->team.seconds[HYB_MULTIPLY] / members;

    return seconds > 0.0 ? lap->team.flop / seconds : 0.0;
}

double hyb_lap_exchange_seconds(const hyb_lap_t *lap, int members)
{
    const double *seconds = lap->team.seconds;

    return (seconds[HYB_SWAP] + seconds[HYB_SOLVE] + seconds[HYB_EXCHANGE] +
            seconds[HYB_WAIT_ROWS]) /
           members;
}

hyb_iteration_t hyb_lap_row(const hyb_lap_t *lap, const hyb_lu_t *lu,
                            const hyb_step_t *step, double devices_flop)
{
    const double *leader = lap->leader;
    double flop = lap->team.flop + devices_flop;

    return (hyb_iteration_t){
        .iteration = step->k,
        .mode = (int)step->mode,
        .reason = step->reason,
        .columns_left = hyb_ledger_columns(&lu->ledger, step->all).count,
        .panel_threads = leader[HYB_PANEL] > 0.0 ? step->panel_threads : 0,
        .begin = lap->opened,
        .seconds = lap->seconds,
        .gflops = lap->seconds > 0.0 ? flop / lap->seconds * 1e-9 : 0.0,
        .share_used = NAN,
        .share_measured = NAN,
        .panel = leader[HYB_PANEL],
        .broadcast = leader[HYB_BROADCAST],
        .exchange = leader[HYB_EXCHANGE],
        .swap = leader[HYB_SWAP],
        .solve = leader[HYB_SOLVE],
        .update_host = leader[HYB_MULTIPLY] + leader[HYB_HELP],
        .wait_panel = leader[HYB_WAIT_PANEL],
        .wait_exchange = leader[HYB_WAIT_ROWS],
        .wait_device = leader[HYB_WAIT_COLUMNS]};
}
