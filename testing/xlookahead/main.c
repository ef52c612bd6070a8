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
#include "hpl_solver.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/order.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/trace_files.h"

enum { RUNS_MOST = 1000, MODES = 4 };

static const char *const modes[MODES] = {"0", "1", "2", "mixed"};

/* what is run, by one process */
typedef struct {
    const xhpl_parameters_t *parameters;
    bool takes[MODES]; /* which of modes */
    int runs, rank;
    int done; /* runs so far, of all tests */
    HPL_T_grid grid;
} bench_t;

/* one run */
typedef struct {
    const char *lookahead;
    double seconds;  /* of the slowest process */
    double residual; /* scaled, NAN: not looked at */
    int info;
} result_t;

/* ---- one run ------------------------------------------------------------- */

static void set_mode(const char *mode)
{
    char assignment[32];

    snprintf(assignment, sizeof(assignment), "lookahead=%s", mode);
    if (xh_settings_assign(assignment) != XH_OK)
        MPI_Abort(MPI_COMM_WORLD, XH_EXIT_RUNTIME);
}

static double slowest(double seconds)
{
    double most;

    MPI_Allreduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static double residual(hpl_system_t *system, int n)
{
    hpl_norms_t norms;

    hpl_solver()->check(system, HPL_ISEED, &norms);
    return hpl_scaled_residual(&norms, n);
}

static result_t solve(const bench_t *bench, hpl_system_t *system, int n)
{
    result_t result = {.residual = NAN};
    double started;

    hpl_solver()->generate(system, HPL_ISEED);
    MPI_Barrier(MPI_COMM_WORLD);
    started = xh_clock_now();
    hpl_solver()->solve(system, &result.info);
    result.seconds = slowest(xh_clock_now() - started);
    if (bench->parameters->threshold > 0)
        result.residual = residual(system, n);
    return result;
}

static void print(const bench_t *bench, const xhpl_test_t *test,
                  const result_t *result)
{
    if (bench->rank != 0)
        return;
    printf("{\"run\": %d, \"lookahead\": \"%s\", \"n\": %d, \"nb\": %d, "
           "\"p\": %d, \"q\": %d, \"seconds\": %.9g, \"info\": %d, "
           "\"residual\": ",
           bench->done, result->lookahead, test->n, test->nb, test->nprow,
           test->npcol, result->seconds, result->info);
    if (isfinite(result->residual))
        printf("%.9g}\n", result->residual);
    else
        puts("null}");
    fflush(stdout);
}

/* ---- all of them --------------------------------------------------------- */

/* Each run has a system of its own, as in xhpl: what is prepared with it, the
 * mode among that, is for one solution. */
static xh_status_t run_mode(bench_t *bench, const xhpl_test_t *test,
                            const char *mode)
{
    HPL_T_palg algorithm = xhpl_algorithm(bench->parameters, test);
    hpl_system_t *system = NULL;
    result_t result;
    xh_status_t status;

    set_mode(mode);
    status = hpl_solver()->create(&bench->grid, &algorithm, test->n, test->nb,
                                  &system);
    if (status != XH_OK) {
        if (bench->rank == 0)
            xh_log_error("N = %d: %s", test->n, xh_status_text(status));
        return status;
    }
    result = solve(bench, system, test->n);
    hpl_solver()->destroy(system);
    result.lookahead = mode;
    print(bench, test, &result);
    bench->done++;
    return XH_OK;
}

static xh_status_t run_modes(bench_t *bench, const xhpl_test_t *test)
{
    xh_status_t status = XH_OK;

    for (int run = 0; run < bench->runs; run++)
        for (int mode = 0; mode < MODES && status == XH_OK; mode++)
            if (bench->takes[mode])
                status = run_mode(bench, test, modes[mode]);
    return status;
}

static xh_status_t run_test(bench_t *bench, const xhpl_test_t *test)
{
    xh_status_t status;

    HPL_grid_init(MPI_COMM_WORLD, xhpl_order(bench->parameters), test->nprow,
                  test->npcol, &bench->grid);
    status = run_modes(bench, test);
    HPL_grid_exit(&bench->grid);
    return status;
}

static xh_status_t run_tests(bench_t *bench)
{
    int64_t count = xhpl_plan_count(bench->parameters);
    xh_status_t status = XH_OK;

    for (int64_t i = 0; i < count && status == XH_OK; i++) {
        xhpl_test_t test = xhpl_plan_test(bench->parameters, i);

        status = run_test(bench, &test);
    }
    return status;
}

/* ---- the program --------------------------------------------------------- */

static void choose_modes(bench_t *bench)
{
    const char *set = xh_settings_text("lookahead");
    bool all = strcmp(set, "auto") == 0;

    for (int mode = 0; mode < MODES; mode++)
        bench->takes[mode] = all || strcmp(set, modes[mode]) == 0;
}

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
static int measure(const xhpl_order_t *order, bench_t *bench)
{
    xhpl_trace_files_t files;
    xh_status_t status;

    choose_modes(bench);
    if (check_grids(bench->parameters) != XH_OK ||
        xhpl_capacity_check(bench->parameters) != XH_OK ||
        xhpl_trace_files_open(order->trace, order->iterations, &files) != XH_OK)
        return XH_EXIT_INPUT;
    status = run_tests(bench);
    if (xhpl_trace_files_write(&files) != XH_OK || status != XH_OK)
        return XH_EXIT_RUNTIME;
    return XH_EXIT_PASSED;
}

static int carry_out(const xhpl_order_t *order, int runs, int rank)
{
    bench_t bench = {
        .parameters = &order->parameters, .runs = runs, .rank = rank};
    int provided, exit_status;
    xh_status_t status;

    xhpl_settings_share();
    MPI_Query_thread(&provided);
    status = hyb_driver_open_for_times(provided >= MPI_THREAD_FUNNELED);
    if (status != XH_OK)
        return status == XH_ERR_INPUT ? XH_EXIT_INPUT : XH_EXIT_RUNTIME;
    exit_status = measure(order, &bench);
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
        order.exit_status = carry_out(&order, runs, rank);
    MPI_Finalize();
    return order.exit_status;
}
