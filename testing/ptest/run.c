/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/run.h"

#include <math.h>
#include <stdbool.h>
#include <time.h>
#include "base/log.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "hpl/pauxil/abort.h"
#include "hpl/pgesv/progress.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/report.h"

/* the run as one process sees it */
typedef struct {
    const xhpl_parameters_t *parameters;
    xhpl_report_t *report; /* NULL but on process 0 */
    xhpl_record_t *record;
    const xhpl_forecast_t *forecast;
    HPL_T_grid grid;
} run_t;

enum { TIMER = 0 };

/*
 * Solve; the time counts until the last process is done. Returns the solver's
 * info: not 0 if the matrix is singular.
 */
static int solve(run_t *run, xhpl_trial_t *trial)
{
    xhpl_timing_t timing;
    int info;

    HPL_ptimer_boot();
    xhpl_record_note(run->record, XHPL_TEST_READY, trial);
    HPL_barrier(trial->comm);
    timing.start = time(NULL);
    xhpl_record_note(run->record, XHPL_TEST_START, trial);
    HPL_ptimer(TIMER);
    hpl_solver()->solve(trial->system, &info);
    HPL_ptimer(TIMER);
    HPL_ptimer_combine(trial->comm, HPL_AMAX_PTIME, HPL_WALL_PTIME, 1, TIMER,
                       &timing.seconds);
    timing.end = time(NULL);
    trial->seconds = timing.seconds;
    xhpl_record_note(run->record, XHPL_TEST_STOP, trial);
    if (run->report != NULL) {
        if (info != 0)
            xh_log_warning("the matrix is singular: column %d has no pivot",
                           info);
        xhpl_report_row(run->report, &trial->test, &timing);
    }
    xhpl_record_note(run->record, XHPL_TEST_SOLVED, trial);
    return info;
}

static void report_details(run_t *run)
{
#ifdef HPL_DETAILED_TIMING
    double seconds[XHPL_TIMINGS];

    HPL_ptimer_combine(run->grid.all_comm, HPL_AMAX_PTIME, HPL_WALL_PTIME,
                       XHPL_TIMINGS, HPL_TIMING_BEG, seconds);
    if (run->report != NULL)
        xhpl_report_timings(run->report, seconds);
#else
    (void)run;
#endif
}

/* A singular system fails: back-substitution gives no solution. */
static void check(run_t *run, xhpl_trial_t *trial, int info)
{
    hpl_solver()->check(trial->system, HPL_ISEED, &trial->norms);
    if (run->report == NULL)
        return;
    trial->residual = info != 0
                          ? INFINITY
                          : hpl_scaled_residual(&trial->norms, trial->test.n);
    trial->passed =
        xhpl_report_residual(run->report, trial->residual, &trial->norms);
    xhpl_record_note(run->record, XHPL_TEST_CHECKED, trial);
}

static void run_system(run_t *run, xhpl_trial_t *trial)
{
    const xhpl_forecast_t *forecast = run->forecast;
    const xhpl_test_t *test = &trial->test;
    int info;

    trial->ceiling = forecast->ceiling;
    if (forecast->seconds != NULL)
        trial->predicted = forecast->seconds(forecast->context, test);
    hpl_progress_expect(trial->predicted);
    hpl_solver()->generate(trial->system, HPL_ISEED);
    info = solve(run, trial);
    report_details(run);
    if (run->parameters->threshold > 0)
        check(run, trial, info);
    if (run->report != NULL) /* all digits: parsers expect two in the row */
        xh_log_info("N = %d, NB = %d, %d x %d processes: %.9f seconds, "
                    "%.9g Gflop/s",
                    test->n, test->nb, test->nprow, test->npcol, trial->seconds,
                    xhpl_report_rate(test->n, trial->seconds));
}

static void run_test(run_t *run, const xhpl_test_t *test)
{
    HPL_T_palg algorithm = xhpl_algorithm(run->parameters, test);
    xhpl_trial_t trial = {.test = *test, .comm = run->grid.all_comm};
    xh_status_t status = hpl_solver()->create(&run->grid, &algorithm, test->n,
                                              test->nb, &trial.system);

    if (status == XH_OK) {
        run_system(run, &trial);
        hpl_solver()->destroy(trial.system);
        return;
    }
    if (status != XH_ERR_MEMORY && status != XH_ERR_INPUT)
        HPL_pabort(__LINE__, "run_test", "a system of order %d: %s", test->n,
                   xh_status_text(status));
    if (run->report == NULL)
        return;
    xh_log_error("N = %d on %d x %d processes is skipped: %s", test->n,
                 test->nprow, test->npcol, xh_status_text(status));
    run->report->skipped++;
    xhpl_record_note(run->record, XHPL_TEST_SKIPPED, &trial);
}

/* The tests begin .. end - 1, which share a grid. */
static void run_grid(run_t *run, int64_t begin, int64_t end)
{
    xhpl_test_t first = xhpl_plan_test(run->parameters, begin);

    HPL_grid_init(MPI_COMM_WORLD, xhpl_order(run->parameters), first.nprow,
                  first.npcol, &run->grid);
    if (run->grid.myrow >= 0)
        for (int64_t index = begin; index < end; index++) {
            xhpl_test_t test = xhpl_plan_test(run->parameters, index);

            run_test(run, &test);
        }
    xhpl_idle_barrier(MPI_COMM_WORLD);
    HPL_grid_exit(&run->grid);
}

void xhpl_run(const xhpl_parameters_t *parameters, FILE *out,
              xhpl_record_t *record, const xhpl_forecast_t *forecast,
              xhpl_outcome_t *outcome_p)
{
    run_t run = {
        .parameters = parameters, .record = record, .forecast = forecast};
    xhpl_report_t report = {.out = NULL};
    int64_t tests = xhpl_plan_count(parameters);
    int64_t tests_a_grid = tests / parameters->list[XHPL_P].count;
    int rank = xhpl_rank(MPI_COMM_WORLD);

    if (rank == 0) {
        run.report = &report;
        xhpl_report_begin(&report, out, parameters);
    }
    for (int64_t begin = 0; begin < tests; begin += tests_a_grid)
        run_grid(&run, begin, begin + tests_a_grid);
    if (rank == 0 && xhpl_report_end(&report) != XH_OK)
        hpl_abort_job();
    *outcome_p =
        (xhpl_outcome_t){.failed = report.failed, .skipped = report.skipped};
    MPI_Bcast(outcome_p, sizeof(*outcome_p), MPI_BYTE, 0, MPI_COMM_WORLD);
}
