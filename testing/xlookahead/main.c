/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xlookahead RUNS [OPTION]...: how long the hybrid solver takes with each mode
 * of look-ahead. The options are xhpl's. Every test is run RUNS times with
 * lookahead=0, 1, 2 and mixed in turn, or with the one that is set; a line of
 * JSON a run goes to stdout. Where the runs of iterations are numbered in
 * --iterations, the lines have the same numbers.
 *
 * Devices that only model time are taken, and results then mean nothing:
 * residuals are left out with --threshold 0, and are null if not finite.
 *
 * Exit status: 2 bad input, 3 a failure at run time.
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"
#include "hpl_solver.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/order.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/trace_files.h"

enum { RUNS_MOST = 1000 };

/* ---- runs ---------------------------------------------------------------- */

static void set_mode(const char *mode)
{
    char assignment[32];

    snprintf(assignment, sizeof(assignment), "lookahead=%s", mode);
    if (xh_settings_assign(assignment) != XH_OK)
        hpl_abort_job();
}

/* Generate and solve: seconds of the slowest process. */
static double solve(hpl_system_t *system, int *info_p)
{
    double seconds;

    hpl_solver()->generate(system, HPL_ISEED);
    MPI_Barrier(MPI_COMM_WORLD);
    seconds = -xh_clock_now();
    hpl_solver()->solve(system, info_p);
    seconds += xh_clock_now();
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    return seconds;
}

/* The scaled one, as JSON: null where it is not looked at, or not finite. */
static void print_residual(const hpl_norms_t *norms, int n)
{
    double residual = norms != NULL ? hpl_scaled_residual(norms, n) : NAN;

    if (isfinite(residual))
        printf("%.9g}\n", residual);
    else
        puts("null}");
    fflush(stdout);
}

/*
 * Run number of all, of test in mode. Each has a system of its own, as in xhpl:
 * what is prepared with it, the mode among that, is for one solution.
 */
static xh_status_t run_mode(const xhpl_parameters_t *parameters,
                            HPL_T_grid *grid, const xhpl_test_t *test,
                            const char *mode, int number)
{
    HPL_T_palg algorithm = xhpl_algorithm(parameters, test);
    bool checks = parameters->threshold > 0;
    hpl_system_t *system = NULL;
    hpl_norms_t norms;
    double seconds;
    int info;
    xh_status_t status;

    set_mode(mode);
    status = hpl_solver()->create(grid, &algorithm, test->n, test->nb, &system);
    if (status != XH_OK) {
        if (grid->iam == 0)
            xh_log_error("N = %d: %s", test->n, xh_status_text(status));
        return status;
    }
    seconds = solve(system, &info);
    if (checks)
        hpl_solver()->check(system, HPL_ISEED, &norms);
    hpl_solver()->destroy(system);
    if (grid->iam > 0)
        return XH_OK;
    printf("{\"run\": %d, \"lookahead\": \"%s\", \"n\": %d, \"nb\": %d, "
           "\"p\": %d, \"q\": %d, \"seconds\": %.9g, \"info\": %d, "
           "\"residual\": ",
           number, mode, test->n, test->nb, test->nprow, test->npcol, seconds,
           info);
    print_residual(checks ? &norms : NULL, test->n);
    return XH_OK;
}

/* Every test, so often, in the mode that is set, or in all by turns. */
static xh_status_t run_tests(const xhpl_parameters_t *parameters, int runs)
{
    static const char *const modes[] = {"0", "1", "2", "mixed"};
    enum { MODES = sizeof(modes) / sizeof(*modes) };
    const char *set = xh_settings_text("lookahead");
    bool taken[MODES];
    int number = 0;
    xh_status_t status = XH_OK;

    for (int i = 0; i < MODES; i++)
        taken[i] = strcmp(set, "auto") == 0 || strcmp(set, modes[i]) == 0;
    for (int64_t i = 0; i < xhpl_plan_count(parameters) && status == XH_OK;
         i++) {
        xhpl_test_t test = xhpl_plan_test(parameters, i);
        HPL_T_grid grid;

        HPL_grid_init(MPI_COMM_WORLD, xhpl_order(parameters), test.nprow,
                      test.npcol, &grid);
        for (int run = 0; run < runs * MODES && status == XH_OK; run++)
            if (taken[run % MODES])
                status = run_mode(parameters, &grid, &test, modes[run % MODES],
                                  number++);
        HPL_grid_exit(&grid);
    }
    return status;
}

/* ---- the program --------------------------------------------------------- */

/* No process may be left out: all time together. */
static xh_status_t check_grids(const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *p = &parameters->list[XHPL_P];
    const xhpl_list_t *q = &parameters->list[XHPL_Q];
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    for (int i = 0; i < p->count; i++)
        if (p->value[i] * q->value[i] != processes) {
            xh_log_error("a grid of %d x %d; allowed: %d processes, all there "
                         "are",
                         p->value[i], q->value[i], processes);
            return XH_ERR_INPUT;
        }
    return XH_OK;
}

/* With the solver open. */
static int measure(const xhpl_order_t *order, int runs)
{
    xhpl_trace_files_t files;
    xh_status_t status;

    if (check_grids(&order->parameters) != XH_OK ||
        xhpl_capacity_check(&order->parameters, NULL) != XH_OK ||
        xhpl_trace_files_open(order, &files) != XH_OK)
        return XH_EXIT_INPUT;
    status = run_tests(&order->parameters, runs);
    if (xhpl_trace_files_close(&files, true) != XH_OK || status != XH_OK)
        return XH_EXIT_RUNTIME;
    return XH_EXIT_PASSED;
}

static int carry_out(const xhpl_order_t *order, int runs)
{
    int provided, exit_status;
    xh_status_t status;

    xhpl_settings_share();
    MPI_Query_thread(&provided);
    status = hyb_driver_open_for_times(provided >= MPI_THREAD_FUNNELED);
    if (status != XH_OK)
        return status == XH_ERR_INPUT ? XH_EXIT_INPUT : XH_EXIT_RUNTIME;
    exit_status = measure(order, runs);
    hyb_driver_close();
    return exit_status;
}

/* RUNS, then the options as xhpl reads them. */
static xhpl_order_t read_order(int argc, char **argv, int *runs_p)
{
    const char *first = argc > 1 ? argv[1] : "";
    xhpl_order_t order = {.exit_status = XH_EXIT_INPUT};
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (xhpl_integer_parse(first, 1, RUNS_MOST, runs_p) == XH_OK)
        xhpl_order_read(argc - 1, argv + 1, processes, &order);
    else
        xh_log_error("usage: xlookahead RUNS [OPTION of xhpl]..., RUNS from 1 "
                     "to %d",
                     RUNS_MOST);
    return order;
}

int main(int argc, char **argv)
{
    static xhpl_order_t order;
    int rank, provided, runs = 0;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    xh_log_identify("xlookahead", rank, "this host");
    if (rank == 0)
        order = read_order(argc, argv, &runs);
    MPI_Bcast(&order, sizeof(order), MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&runs, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (order.run)
        order.exit_status = carry_out(&order, runs);
    MPI_Finalize();
    return order.exit_status;
}
