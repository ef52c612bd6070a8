/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/trust.h"

#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"
#include "hpl/solver/self_test.h"
#include "hpl_solver.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/processes.h"

static const double most_seconds = 1.0;

/* The result is the same on all processes; the first shape is always tried. */
static bool is_in_time(double start, const xhpl_trust_t *trust)
{
    int in_time = xh_clock_wall() - start < most_seconds || trust->tried == 0;

    MPI_Bcast(&in_time, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return in_time != 0 && trust->wrong == 0;
}

static int largest(const xhpl_list_t *list)
{
    int most = list->value[0];

    for (int i = 1; i < list->count; i++)
        most = Mmax(most, list->value[i]);
    return most;
}

/* The self-test of the solver, or else of the reference solver. */
static bool self_test(HPL_T_grid *grid, const HPL_T_palg *algo, int n, int nb)
{
    return hpl_solver()->self_test != NULL
               ? hpl_solver()->self_test(grid, algo, n, nb)
               : hpl_self_test(grid, algo, n, nb);
}

/* Try grid `number` with each NB, until a result is wrong. */
static void try_grid(const xhpl_parameters_t *parameters, int number,
                     double start, xhpl_trust_t *trust)
{
    int count = parameters->list[XHPL_NB].count;
    xhpl_test_t test = xhpl_test_at(parameters, 0);
    HPL_T_palg algorithm = xhpl_algorithm(parameters, &test);
    HPL_T_grid grid;

    HPL_grid_init(MPI_COMM_WORLD, xhpl_order(parameters),
                  parameters->list[XHPL_P].value[number],
                  parameters->list[XHPL_Q].value[number], &grid);
    for (int i = 0; i < count && is_in_time(start, trust); i++) {
        trust->wrong =
            grid.myrow >= 0 &&
            !self_test(&grid, &algorithm, largest(&parameters->list[XHPL_N]),
                       parameters->list[XHPL_NB].value[i]);
        MPI_Allreduce(MPI_IN_PLACE, &trust->wrong, 1, MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD);
        trust->tried++;
    }
    HPL_grid_exit(&grid);
}

xh_status_t xhpl_trust(const xhpl_command_t *command, xhpl_trust_t *trust_p)
{
    const xhpl_parameters_t *parameters = &command->parameters;
    int grids = parameters->list[XHPL_P].count;
    double start = xh_clock_wall();
    xhpl_trust_t t = {.shapes =
                          (int64_t)grids * parameters->list[XHPL_NB].count};

    if (strcmp(xh_settings_text("trust"), "on") == 0)
        for (int i = 0; i < grids && t.wrong == 0; i++)
            try_grid(parameters, i, start, &t);
    t.seconds = xh_clock_wall() - start;
    if (t.wrong > 0 && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("trust: %d of %d processes computed wrong results (see "
                     "the lines above); no test is run",
                     t.wrong, xhpl_size(MPI_COMM_WORLD));
    *trust_p = t;
    return t.wrong > 0 ? XH_ERR_INTERNAL : XH_OK;
}
