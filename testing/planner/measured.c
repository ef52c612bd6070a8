/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/measured.h"

#include <math.h>
#include <mpi.h>
#include <string.h>
#include "base/log.h"
#include "base/run_delay.h"
#include "base/settings.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/plan/measure.h"
#include "hybrid/plan/probes.h"
#include "testing/planner/choices.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/core_budget.h"
#include "testing/ptest/processes.h"

static const double memory_share = 0.1; /* of the memory, for measuring */

bool xhpl_measured_is_worthless(double others)
{
    return others > 1.0 / 3.0;
}

const hyb_resources_t *xhpl_measured_resources(const char *what)
{
    const hyb_resources_t *resources = hyb_solver_resources();

    if (resources == NULL && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("%s: solver=%s cannot be predicted; allowed: "
                     "solver=hybrid",
                     what, xh_settings_text("solver"));
    return resources;
}

/* Insert a width to measure in order, if there is room. */
static void add_width(hyb_measurement_t *what, int nb)
{
    int at = 0, widths = what->widths;

    while (at < widths && what->width[at] < nb)
        at++;
    if (widths == HYB_MODEL_WIDTHS_MOST ||
        (at < widths && what->width[at] == nb))
        return;
    memmove(&what->width[at + 1], &what->width[at],
            (size_t)(widths - at) * sizeof(nb));
    what->width[at] = nb;
    what->widths++;
}

/* Warn that other threads used `part` of the time, unless the rates are
 * worthless. */
static void warn_of_others(const xhpl_core_budget_t *budget, double part)
{
    char cause[96];

    if (xhpl_core_budget_share(budget) > 1.0) {
        xhpl_core_budget_cause(budget, 0.0, cause, sizeof(cause));
        xh_log_warning("%s: the prediction takes this into account", cause);
    }
    if (part > XH_RUN_DELAY_CROWDED && !xhpl_measured_is_worthless(part))
        xh_log_warning(
            "other programs had these cores %.0f%% of the measuring time: "
            "their time is left out, but the rates are less certain",
            100.0 * part);
}

/* Ranks run along process rows, so neighbours in a column are a row apart. */
xh_status_t xhpl_measured_rates(const hyb_resources_t *resources,
                                const xhpl_list_t *nb, double seconds,
                                int tries, hyb_model_rates_t *rates_p)
{
    int processes = xhpl_size(MPI_COMM_WORLD);
    int step = processes / xhpl_grid_rows(processes);
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();
    xhpl_core_budget_t budget = xhpl_core_budget();
    hyb_measurement_t what = {
        .seconds = seconds,
        .bytes = memory_share * capacity.node_bytes / capacity.processes,
        .threads_per_core = hyb_slowest(xhpl_core_budget_share(&budget)),
        .column_step = step == processes ? 1 : step};
    hyb_model_rates_t found;

    for (int i = 0; i < nb->count; i++)
        add_width(&what, nb->value[i]);
    rates_p->others = INFINITY;
    for (int i = 0; i < tries && xhpl_measured_is_worthless(rates_p->others);
         i++) {
        XH_TRY(hyb_measure(resources, &what, &found));
        found.others =
            hyb_slowest(xhpl_core_budget_others(&budget, found.others));
        if (found.others < rates_p->others)
            *rates_p = found;
    }
    if (xhpl_rank(MPI_COMM_WORLD) == 0)
        warn_of_others(&budget, rates_p->others);
    return XH_OK;
}
