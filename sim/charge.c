/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/model.h"

static int in_panel; /* per process, like all data here */

void sim_charge(sim_kind_t kind, double seconds)
{
    sim_event();
    kind = in_panel ? SIM_PANELS : kind;
    sim_report_spent(kind, seconds);
    sim_report_spent(kind, sim_pass(seconds));
}

void sim_panel_begin(void)
{
    in_panel = 1;
}

void sim_panel_end(void)
{
    in_panel = 0;
}

static void charge_call(sim_kind_t kind, double seconds)
{
    sim_charge(kind, seconds > 0 ? sim_model()->call + seconds : 0);
}

void sim_charge_product(double m, double n, double k)
{
    const sim_model_t *s = sim_model();
    double flop =
        m * n * k + s->half * m * n + s->half_m * n * k + s->half_n * m * k;
    double seconds = m * n * k > 0 ? 2.0 * flop / s->rate : 0;

    charge_call(SIM_PRODUCTS,
                s->noise > 0 ? seconds * sim_varied(s->noise) : seconds);
}

void sim_charge_solve(double m, double n)
{
    charge_call(SIM_SOLVES, m * m * n / sim_model()->solve);
}

void sim_charge_move(double bytes)
{
    charge_call(SIM_ROWS, bytes / sim_model()->move);
}

void sim_charge_search(double bytes)
{
    charge_call(SIM_PANELS, bytes / sim_model()->search);
}
