/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/trust.h"

#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"

static const double most_seconds = 1.0;

/* On all processes alike; the first shape is always tried. */
static bool is_in_time(const xhpl_trust_t *trust, double start)
{
    int in_time = xh_clock_wall() - start < most_seconds || trust->tried == 0;

    MPI_Bcast(&in_time, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return in_time != 0;
}

static int largest(const xhpl_list_t *list)
{
    int most = list->value[0];

    for (int i = 1; i < list->count; i++)
        most = Mmax(most, list->value[i]);
    return most;
}

/* Were all of this process's results on that grid right? */
static bool try_grid(const xhpl_parameters_t *parameters, int number,
                     double start, xhpl_trust_t *trust)
{
    const xhpl_list_t *nb = &parameters->list[XHPL_NB];
    int n = largest(&parameters->list[XHPL_N]);
    HPL_T_grid grid;
    bool right = true;

    HPL_grid_init(MPI_COMM_WORLD, xhpl_order(parameters),
                  parameters->list[XHPL_P].value[number],
                  parameters->list[XHPL_Q].value[number], &grid);
    for (int i = 0; i < nb->count && is_in_time(trust, start); i++) {
        if (grid.myrow >= 0 && !hpl_solver()->trust(&grid, n, nb->value[i]))
            right = false;
        trust->tried++;
    }
    HPL_grid_exit(&grid);
    return right;
}

xh_status_t xhpl_trust(const xhpl_order_t *order, xhpl_trust_t *trust_p)
{
    const xhpl_parameters_t *parameters = &order->parameters;
    int grids = parameters->list[XHPL_P].count;
    double start = xh_clock_wall();
    xhpl_trust_t t = {.shapes =
                          (int64_t)grids * parameters->list[XHPL_NB].count};

    if (strcmp(xh_settings_text("trust"), "on") == 0 &&
        hpl_solver()->trust != NULL)
        for (int i = 0; i < grids; i++)
            t.wrong |= !try_grid(parameters, i, start, &t);
    MPI_Allreduce(MPI_IN_PLACE, &t.wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    t.seconds = xh_clock_wall() - start;
    if (t.wrong > 0 && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("trust: %d of %d processes computed wrong results, which "
                     "lines above name: no test is run",
                     t.wrong, xhpl_size(MPI_COMM_WORLD));
    *trust_p = t;
    return t.wrong > 0 ? XH_ERR_INTERNAL : XH_OK;
}
