/* SPDX-License-Identifier: BSD-3-Clause */
/* The planner of a build without the solver that it measures. */
#include "testing/planner/planner.h"

#include <mpi.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"

static void refuse(const char *what)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        xh_log_error("%s: this program was built with HYBRID=no, without the "
                     "solver that is measured",
                     what);
}

int xhpl_planner_answer(const xhpl_order_t *order)
{
    refuse(order->ask == XHPL_ASK_PLAN ? "--plan" : "--predict");
    return XH_EXIT_INPUT;
}

xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  xhpl_forecast_t *forecast_p)
{
    (void)parameters;
    *forecast_p = (xhpl_forecast_t){0};
    if (strcmp(xh_settings_text("predict"), "off") == 0)
        return XH_OK;
    refuse("predict=on");
    return XH_ERR_INPUT;
}
