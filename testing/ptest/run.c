/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/run.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/log.h"
#include "base/rivals.h"
#include "base/settings.h"
#include "base/run_delay.h"
#include "hpl.h"
#include "hpl_solver.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/abort.h"
#include "hpl/pgesv/progress.h"
#include "testing/ptest/core_budget.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/report.h"
#include "testing/ptest/run_summary.h"

/* the run as one process sees it */
typedef struct {
    const xhpl_parameters_t *parameters;
    xhpl_report_t *report; /* NULL except on process 0 */
    xhpl_record_t *record;
    const xhpl_forecast_t *forecast;
    const xhpl_weights_t *weights;
    HPL_T_grid grid;
    xhpl_core_budget_t budget;
    double flop_left; /* of the remaining tests */
} run_t;

enum { TIMER = 0 };

static const double long_enough =
    0.5; /* s of a test, from which a warning of other threads is useful */

/* Warn of other threads on the cores, on the process that they disturb most. */
static void warn_of_others(const xhpl_core_budget_t *budget,
                           const xhpl_trial_t *trial)
{
    struct {
        double part;
        int rank;
    } worst = {0.0, xhpl_rank(trial->comm)};
    const int me = worst.rank;
    xh_rivals_t rivals = {.text = ""};
    char cause[96];
    hpl_work_t work;
    bool is_known;

    if (hpl_solver()->work != NULL && hpl_solver()->work(trial->system, &work))
        worst.part = work.others;
    MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC,
                  trial->comm);
    if (worst.part <= XH_RUN_DELAY_CROWDED || worst.rank != me ||
        trial->seconds <= long_enough)
        return;
    xhpl_core_budget_cause(budget, worst.part, cause, sizeof(cause));
    if (xhpl_core_budget_others(budget, worst.part) > XH_RUN_DELAY_CROWDED)
        rivals = xh_rivals_now();
    is_known = rivals.text[0] != '\0';
    xh_log_warning(
        "threads waited for cores %.0f%% of the time of N = %d: %s%s%s%s",
        100.0 * worst.part, trial->test.n, cause, is_known ? " (" : "",
        rivals.text, is_known ? ")" : "");
}

/* Compare the devices after a test that is long enough. */
static void compare_devices(xhpl_trial_t *trial)
{
    if (trial->seconds <= long_enough)
        return;
    trial->devices =
        xhpl_devices_gather(trial->comm, trial->system, &trial->device_count);
    if (strcmp(xh_settings_text("diagnosis"), "on") == 0)
        xhpl_devices_judge(trial->devices, trial->device_count);
}

/* Warn of what the online check found on all processes. */
static void warn_of_rows(const xhpl_trial_t *trial)
{
    int found = 0, rank = xhpl_rank(trial->comm);
    hpl_work_t work;

    if (hpl_solver()->work != NULL &&
        hpl_solver()->work(trial->system, &work) && work.is_checked)
        found = work.wrong;
    MPI_Allreduce(MPI_IN_PLACE, &found, 1, MPI_INT, MPI_SUM, trial->comm);
    if (rank == 0 && found > 0)
        xh_log_warning("the result for N = %d cannot be trusted: the online "
                       "check found %d %s",
                       trial->test.n, found, found == 1 ? "error" : "errors");
}

/* Seconds from the beginning of a restarted run until the clock of trial
 * starts. */
static double seconds_before(const xhpl_trial_t *trial)
{
    hpl_checkpoints_t found = {.before = 0.0};

    if (hpl_solver()->checkpoints == NULL ||
        !hpl_solver()->checkpoints(trial->system, &found))
        found.before = 0.0;
    MPI_Bcast(&found.before, 1, MPI_DOUBLE, 0, trial->comm);
    return found.before;
}

/*
 * Solve; the time ends when the last process is done. Returns the solver's
 * info: not 0 if the matrix is singular.
 */
static int solve(run_t *run, xhpl_trial_t *trial)
{
    time_t start, end;
    double before;
    int info;

    HPL_ptimer_boot();
    xhpl_record_note(run->record, XHPL_TEST_READY, trial);
    HPL_barrier(trial->comm);
    start = time(NULL);
    xhpl_record_note(run->record, XHPL_TEST_START, trial);
    HPL_ptimer(TIMER);
    hpl_solver()->solve(trial->system, &info);
    HPL_ptimer(TIMER);
    HPL_ptimer_combine(trial->comm, HPL_AMAX_PTIME, HPL_WALL_PTIME, 1, TIMER,
                       &trial->seconds);
    before = seconds_before(trial);
    trial->seconds += before;
    start -= (time_t)before;
    end = time(NULL);
    compare_devices(trial);
    xhpl_record_note(run->record, XHPL_TEST_SOLVED, trial);
    warn_of_others(&run->budget, trial);
    warn_of_rows(trial);
    if (run->report != NULL) {
        if (info != 0)
            xh_log_warning("the matrix is singular: column %d has no pivot",
                           info);
        xhpl_report_row(run->report, &trial->test, trial->seconds, start, end);
    }
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

/* A singular system fails: back-substitution has no solution. */
static void check(run_t *run, xhpl_trial_t *trial, int info)
{
    hpl_progress_phase(&run->grid, trial->test.n, "checking the solution");
    hpl_solver()->check(trial->system, HPL_ISEED, &trial->norms);
    hpl_progress_phase(&run->grid, trial->test.n, NULL);
    if (run->report == NULL)
        return;
    trial->residual = info != 0
                          ? INFINITY
                          : hpl_scaled_residual(&trial->norms, trial->test.n);
    trial->passed =
        xhpl_report_residual(run->report, trial->residual, &trial->norms);
    if (!trial->passed && run->parameters->threshold > 0)
        xh_log_error("N = %d, NB = %d, %d x %d processes: FAILED: the scaled "
                     "residual is %.4g, and must be less than %g",
                     trial->test.n, trial->test.nb, trial->test.nprow,
                     trial->test.npcol, trial->residual,
                     run->parameters->threshold);
    xhpl_record_note(run->record, XHPL_TEST_CHECKED, trial);
}

/* Skip a test that cannot begin, or end the run: returns the error. */
static xh_status_t skip(run_t *run, const xhpl_trial_t *trial,
                        xh_status_t status)
{
    const xhpl_test_t *test = &trial->test;
    bool ends = status != XH_ERR_MEMORY && status != XH_ERR_INPUT;

    if (run->report != NULL)
        xh_log_error("N = %d on %d x %d processes %s: %s", test->n, test->nprow,
                     test->npcol, ends ? "cannot begin" : "is skipped",
                     xh_status_text(status));
    if (ends)
        return status;
    if (run->report != NULL) {
        run->report->skipped++;
        xhpl_summary_end(0.0);
        xhpl_record_note(run->record, XHPL_TEST_SKIPPED, trial);
    }
    return XH_OK;
}

/* Deal the columns by weights. */
static hpl_deal_t *deal_columns(const run_t *run, const xhpl_test_t *test)
{
    hpl_deal_t *deal;

    if (xhpl_weights_deal(run->weights, xhpl_order(run->parameters), test,
                          &deal) != XH_OK)
        HPL_pabort(__LINE__, "deal_columns", "out of memory");
    return deal;
}

/* Errors: the run ends since the test cannot begin; on all processes of the
 * grid */
static xh_status_t run_test(run_t *run, const xhpl_test_t *test)
{
    const xhpl_forecast_t *forecast = run->forecast;
    HPL_T_palg algorithm = xhpl_algorithm(run->parameters, test);
    xhpl_trial_t trial = {.test = *test,
                          .comm = run->grid.all_comm,
                          .forecast = forecast,
                          .weights = run->weights,
                          .deal = run->grid.deal,
                          .order = run->grid.order};
    xh_status_t status = hpl_solver()->create(&run->grid, &algorithm, test->n,
                                              test->nb, &trial.system);
    int64_t number = run->report != NULL ? xhpl_summary_start(test) : 0;
    int info;

    run->flop_left -= xhpl_report_rate(test->n, 1e-9);
    if (status != XH_OK)
        return skip(run, &trial, status);
    if (run->report != NULL)
        xhpl_weights_save(run->weights);
    if (forecast->seconds != NULL)
        trial.predicted = forecast->seconds(forecast->context, test);
    hpl_progress_expect(
        &(hpl_expected_t){.seconds = trial.predicted,
                          .disturbed = forecast->disturbed,
                          .test = number,
                          .tests = xhpl_test_count(run->parameters),
                          .flop_after = run->flop_left});
    hpl_progress_phase(&run->grid, test->n, "generating the matrix");
    hpl_solver()->generate(trial.system, HPL_ISEED);
    info = solve(run, &trial);
    report_details(run);
    if (run->parameters->threshold > 0)
        check(run, &trial, info);
    if (run->report != NULL) /* all digits: parsers expect two in the row */
        xh_log_info("N = %d, NB = %d, %d x %d processes: %.9f seconds, "
                    "%.9g Gflop/s",
                    test->n, test->nb, test->nprow, test->npcol, trial.seconds,
                    xhpl_report_rate(test->n, trial.seconds));
    if (run->report != NULL)
        xhpl_summary_end(trial.passed || run->parameters->threshold <= 0
                             ? 1e9 * xhpl_report_rate(test->n, trial.seconds)
                             : 0.0);
    free(trial.devices);
    hpl_solver()->destroy(trial.system);
    return XH_OK;
}

/* Each N has equally many tests. */
static double flop_of_all(const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *n = &parameters->list[XHPL_N];
    double flop = 0.0;

    for (int i = 0; i < n->count; i++)
        flop += xhpl_report_rate(n->value[i], 1e-9);
    return flop * (double)(xhpl_test_count(parameters) / n->count);
}

/* The ceiling of the cores; that of devices is not measured. */
static double ceiling(const run_t *run)
{
    double of_record = xhpl_record_ceiling(run->record);
    hpl_device_t device;

    if (hpl_solver()->devices != NULL && hpl_solver()->devices(1, &device) > 0)
        return 0.0;
    return of_record > 0.0 ? of_record : run->forecast->ceiling;
}

static int exit_status(const xhpl_command_t *command,
                       const xhpl_report_t *report)
{
    if (report->failed > 0 && !command->upstream_exit)
        return XH_EXIT_FAILED;
    return report->skipped > 0 ? XH_EXIT_INPUT : XH_EXIT_PASSED;
}

int xhpl_run(const xhpl_command_t *command, FILE *out, xhpl_record_t *record,
             const xhpl_forecast_t *forecast, const xhpl_weights_t *weights,
             bool *solved_p)
{
    const xhpl_parameters_t *parameters = &command->parameters;
    xhpl_report_t report;
    run_t run = {.parameters = parameters,
                 .record = record,
                 .forecast = forecast,
                 .weights = weights,
                 .budget = xhpl_core_budget(),
                 .flop_left = flop_of_all(parameters)};
    int64_t tests = xhpl_test_count(parameters);
    int64_t tests_a_grid = tests / parameters->list[XHPL_P].count;
    xh_status_t found = XH_OK;
    int end[2] = {XH_EXIT_PASSED, 0}; /* status, was a test solved? */

    if (xhpl_rank(MPI_COMM_WORLD) == 0) {
        run.report = &report;
        xhpl_report_begin(&report, out, parameters);
        xhpl_summary_begin(tests, parameters->runs);
    }
    for (int64_t begin = 0; found == XH_OK && begin < tests;
         begin += tests_a_grid) {
        xhpl_test_t test = xhpl_test_at(parameters, begin);

        HPL_grid_init(MPI_COMM_WORLD, xhpl_order(parameters), test.nprow,
                      test.npcol, &run.grid);
        if (run.report != NULL)
            xhpl_weights_report(weights, xhpl_order(parameters), &test);
        for (int64_t i = 0;
             run.grid.myrow >= 0 && found == XH_OK && i < tests_a_grid; i++) {
            hpl_deal_t *deal;

            test = xhpl_test_at(parameters, begin + i);
            run.grid.deal = deal = deal_columns(&run, &test);
            found = run_test(&run, &test);
            run.grid.deal = NULL;
            hpl_deal_destroy(deal);
        }
        xhpl_idle_barrier(MPI_COMM_WORLD);
        found = hpl_agree(MPI_COMM_WORLD, found);
        HPL_grid_exit(&run.grid);
    }
    if (run.report != NULL) {
        if (found == XH_OK)
            found = xhpl_report_end(&report);
        end[0] =
            found == XH_OK ? exit_status(command, &report) : XH_EXIT_RUNTIME;
        end[1] = report.passed + report.failed + report.unchecked > 0;
    }
    xhpl_record_note(record, XHPL_SOLVER_CLOSING, NULL);
    if (run.report != NULL)
        xhpl_summary_report_best(ceiling(&run));
    MPI_Bcast(end, 2, MPI_INT, 0, MPI_COMM_WORLD);
    *solved_p = end[1] != 0;
    return end[0];
}
