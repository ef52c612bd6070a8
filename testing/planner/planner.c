/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/planner.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/text.h"
#include "base/settings.h"
#include "base/run_delay.h"
#include "hpl/grid/agree.h"
#include "hybrid/plan/measure.h"
#include "hybrid/plan/probes.h"
#include "hybrid/plan/process_rate.h"
#include "testing/planner/advice.h"
#include "testing/planner/overheads.h"
#include "testing/planner/choices.h"
#include "testing/planner/measured.h"
#include "testing/planner/simulate.h"
#include "testing/planner/weighted.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/core_budget.h"
#include "testing/ptest/dat_file.h"
#include "testing/ptest/test_list.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/weights.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/state/resources.h"

enum {
    SHOWN = 12, /* choices printed */
    TRIES = 2,  /* measurements, if other threads had too much of the time */
    NARROWEST = 8,
    WIDEST = 1024 /* widest panels for the rate of a process */
};

static const double forecast_seconds = 4.0; /* longest time before the tests */

static void print_head(void)
{
    printf("%10s %5s %5s %5s %5s %5s %12s %12s %12s\n", "N", "NB", "P", "Q",
           "DEPTH", "BCAST", "seconds", "Gflop/s", "GiB/process");
}

/* Print a choice; `words` end the row: "" or "  equal columns". */
static void print_row(const xhpl_choice_t *choice, const char *words)
{
    const hpl_shape_t *test = &choice->test;

    printf("%10d %5d %5d %5d %5d %5d %12s %12s %12.3g%s\n", test->n, test->nb,
           test->nprow, test->npcol, test->depth, choice->bcast,
           xh_text_plain(choice->seconds, 3).text,
           xh_text_plain(choice->gflops, 4).text, choice->bytes / 0x1p30,
           words);
}

/* Process 0 warns that more processes are predicted with the measured links. */
static void warn_of_unknown_links(int64_t processes)
{
    int started = xhpl_size(MPI_COMM_WORLD);

    if (processes > started && started == 1)
        xh_log_warning(
            "messages were not measured and take no time in this prediction: "
            "start at least two processes, on two nodes");
    else if (processes > started)
        xh_log_info("links count as measured between the %d processes that "
                    "were started",
                    started);
}

/* ---- a plan -------------------------------------------------------------- */

/*
 * Check before measuring what can be refused. The file of --write must not
 * exist; it is written at the end, so that an interrupted plan leaves none.
 * Process 0.
 */
static xh_status_t check_plan(const xhpl_command_t *command, bool offloads,
                              const xhpl_extent_t *started,
                              const xhpl_extent_t *planned)
{
    if (planned->processes > XHPL_PROCESSES_MOST) {
        xh_log_error("--plan: %d nodes with %d processes each are more than %d "
                     "processes",
                     planned->nodes, planned->ranks_per_node,
                     XHPL_PROCESSES_MOST);
        return XH_ERR_INPUT;
    }
    /* A single process has no link; see warn_of_unknown_links. */
    if (started->nodes == 1 && planned->nodes > 1 && started->processes > 1)
        xh_log_warning("no link between nodes was measured: this plan for %d "
                       "nodes uses the rates of links within one node. Start "
                       "on at least two nodes to measure them",
                       planned->nodes);
    if (command->simulate)
        XH_TRY(xhpl_simulate_check(offloads));
    return command->write != NULL ? xhpl_dat_try(command->write) : XH_OK;
}

/* Bytes of a node that the plan may fill; 0: unknown. For process 0. */
static double bytes_of_node(const xhpl_plan_options_t *limits, double available)
{
    if (limits->memory_bytes == 0.0)
        return isinf(available) ? 0.0 : limits->memory_share * available;
    if (limits->memory_bytes <= available || limits->nodes > 0)
        return limits->memory_bytes;
    xh_log_warning("--memory: a node has only %.2f GiB available; the plan "
                   "uses that amount",
                   available / 0x1p30);
    return available;
}

/* Reduce rates if the plan has more processes per node than were started: they
 * share the cores. Process 0. */
static void share_cores(int started, int planned, hyb_model_rates_t *rates)
{
    int cores = xh_cpu_census("").cores;
    double factor = fmax(cores, (double)planned * rates->threads) /
                    fmax(cores, (double)started * rates->threads);

    if (cores == 0 || factor <= 1.0)
        return;
    hyb_model_slow_down(rates, factor);
    xh_log_warning(
        "%d processes of %d threads share the %d cores of a node in this plan "
        "and count as slower: start as many processes per node as you plan for",
        planned, rates->threads, cores);
}

static xhpl_list_t given_or(const xhpl_command_t *command,
                            xhpl_quantity_t quantity, xhpl_list_t usual)
{
    return command->is_given[quantity] ? command->parameters.list[quantity]
                                       : usual;
}

/* The job to plan, with usual values for what the command does not give. */
static xhpl_job_t job_of(const xhpl_command_t *command, bool offloads,
                         int processes)
{
    static const xhpl_list_t on_cores = {4, {384, 256, 192, 128}};
    static const xhpl_list_t with_devices = {5, {512, 1024, 768, 384, 256}};
    static const xhpl_list_t depths = {2, {2, 1}};
    static const xhpl_list_t broadcasts = {6, {1, 0, 2, 3, 4, 5}};
    double seconds = command->plan_options.seconds;

    return (xhpl_job_t){
        .processes = processes,
        .nb = given_or(command, XHPL_NB, offloads ? with_devices : on_cores),
        .depth = given_or(command, XHPL_DEPTH, depths),
        .bcast = given_or(command, XHPL_BCAST, broadcasts),
        .align = xhpl_parameters_value(&command->parameters, XHPL_ALIGN),
        .most_seconds = seconds > 0.0 ? seconds : INFINITY,
        .bytes = xhpl_capacity_bytes};
}

/* Print the choices with equal columns, with weights, and without the slowest
 * processes; return the choice with weights. */
static xhpl_choice_t compare_weights(const xhpl_command_t *command,
                                     const xhpl_job_t *job,
                                     const xhpl_weights_t *weights,
                                     const xhpl_choice_t *equal)
{
    xhpl_choice_t without,
        weighted = xhpl_weighted_best(job, weights,
                                      xhpl_order(&command->parameters), equal);
    int slowest = xhpl_weighted_without_slowest(job, weights, &without);
    char words[64];

    printf("\nProcesses of unequal speed:\n");
    print_row(equal, "  equal columns");
    print_row(&weighted, "  by weights");
    snprintf(words, sizeof(words), "  without the slowest (%d of %d)", slowest,
             weights->processes);
    if (slowest > 0)
        print_row(&without, words);
    return weighted;
}

/* Does `weights` have as many rates as there are processes? */
static bool has_rates(const xhpl_weights_t *weights, int processes)
{
    if (weights == NULL || weights->processes == processes)
        return weights != NULL;
    xh_log_warning("weights belong to the %d processes that were started: this "
                   "plan for %d processes has equal columns",
                   weights->processes, processes);
    return false;
}

/* Print the plan. Process 0. */
static xh_status_t answer_plan(const xhpl_command_t *command,
                               const xhpl_job_t *job,
                               const xhpl_weights_t *weights,
                               xhpl_choice_t *best_p)
{
    xhpl_choice_t choices[SHOWN];
    int count = xhpl_choices_best(job, SHOWN, choices);
    int rows = xhpl_grid_rows(job->processes);

    if (job->most_bytes == 0.0) {
        xh_log_error("--plan: the memory of a node is unknown: give it, as in "
                     "--memory 12G");
        return XH_ERR_INPUT;
    }
    if (count == 0) {
        xh_log_error("no N fits %d processes with %.3f GiB each%s",
                     job->processes, job->most_bytes / 0x1p30,
                     isinf(job->most_seconds) ? "" : " in that time");
        return XH_ERR_INPUT;
    }
    if (xhpl_measured_is_worthless(job->rates->others))
        XH_TRY(xhpl_advice_worthless(command, job->rates->others));
    warn_of_unknown_links(job->processes);
    if (xhpl_choices_grid_is_flat(job->processes))
        xh_log_warning("%d processes have no good grid, %d x %d is the nearest "
                       "to square: fewer processes may be faster",
                       job->processes, rows, job->processes / rows);
    print_head();
    for (int i = 0; i < count; i++)
        print_row(&choices[i], "");
    if (has_rates(weights, job->processes))
        choices[0] = compare_weights(command, job, weights, &choices[0]);
    *best_p = choices[0];
    return XH_OK;
}

/* Print the answer from all measurements. Process 0. */
static xh_status_t print_answer(const xhpl_command_t *command,
                                const xhpl_job_t *job,
                                const xhpl_weights_t *weights,
                                const xhpl_extent_t *planned, bool offloads)
{
    int pmap = xhpl_parameters_value(&command->parameters, XHPL_PMAP);
    xhpl_choice_t best;
    xh_status_t status = XH_OK;

    XH_TRY(answer_plan(command, job, weights, &best));
    xhpl_overheads_report(job->rates, &best);
    if (!command->is_given[XHPL_PMAP] && weights == NULL && !offloads)
        pmap = xhpl_advice_order(job, planned, &best);
    XH_TRY(xhpl_advice_write(command, &best, pmap));
    if (command->simulate)
        status = xhpl_simulate_run(&best, job->rates, planned);
    xhpl_advice_print(command, job, planned, &best, pmap, !offloads);
    return status;
}

static xh_status_t plan(const xhpl_command_t *command,
                        const hyb_resources_t *resources)
{
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();
    xhpl_extent_t started = {.nodes = capacity.nodes,
                             .ranks_per_node = capacity.processes,
                             .processes = xhpl_size(MPI_COMM_WORLD)};
    xhpl_extent_t planned =
        xhpl_plan_option_extent(&command->plan_options, &started);
    bool speaks = xhpl_rank(MPI_COMM_WORLD) == 0;
    xhpl_job_t job =
        job_of(command, resources->offloads, (int)planned.processes);
    hyb_model_rates_t rates;
    xh_status_t status =
        speaks ? check_plan(command, resources->offloads, &started, &planned)
               : XH_OK;
    xhpl_weights_t *weights;

    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    XH_TRY(
        xhpl_weights_open(&command->parameters, xhpl_planner_rate, &weights));
    status = xhpl_measured_rates(
        resources, &job.nb, xh_settings_real("plan_seconds"), TRIES, &rates);
    if (speaks && status == XH_OK) {
        share_cores(started.ranks_per_node, planned.ranks_per_node, &rates);
        job.rates = &rates;
        job.most_bytes =
            bytes_of_node(&command->plan_options, capacity.node_bytes) /
            planned.ranks_per_node;
        status =
            print_answer(command, &job, weights, &planned, resources->offloads);
    }
    free(weights);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* ---- a prediction -------------------------------------------------------- */

/* Report the parts of the process columns by weights, for each grid. Process 0.
 */
static void report_weights(const xhpl_parameters_t *parameters,
                           const xhpl_weights_t *weights)
{
    int64_t tests = xhpl_test_count(parameters);
    int64_t step = tests / parameters->list[XHPL_P].count;

    for (int64_t index = 0; index < tests; index += step) {
        xhpl_test_t test = xhpl_test_at(parameters, index);

        if (test.nprow * test.npcol <= xhpl_size(MPI_COMM_WORLD))
            xhpl_weights_report(weights, xhpl_order(parameters), &test);
    }
}

/* Print the prediction. Process 0. */
static xh_status_t answer_prediction(const xhpl_command_t *command,
                                     const xhpl_weights_t *weights,
                                     const hyb_model_rates_t *rates)
{
    const xhpl_parameters_t *parameters = &command->parameters;
    xhpl_job_t job = {.rates = rates, .bytes = xhpl_capacity_bytes};
    int align = xhpl_parameters_value(parameters, XHPL_ALIGN);

    if (xhpl_measured_is_worthless(rates->others))
        XH_TRY(xhpl_advice_worthless(command, rates->others));
    report_weights(parameters, weights);
    print_head();
    for (int64_t index = 0; index < xhpl_test_count(parameters); index++) {
        xhpl_test_t test = xhpl_test_at(parameters, index);
        xhpl_choice_t choice =
            xhpl_weighted_choice(&job, weights, xhpl_order(parameters),
                                 xhpl_shape_of(&test, align), test.bcast);

        print_row(&choice, "");
    }
    warn_of_unknown_links(xhpl_parameters_processes(parameters));
    return XH_OK;
}

static xh_status_t predict(const xhpl_command_t *command,
                           const hyb_resources_t *resources)
{
    hyb_model_rates_t rates;
    xhpl_weights_t *weights;
    xh_status_t status;

    XH_TRY(
        xhpl_weights_open(&command->parameters, xhpl_planner_rate, &weights));
    status =
        xhpl_measured_rates(resources, &command->parameters.list[XHPL_NB],
                            xh_settings_real("plan_seconds"), TRIES, &rates);
    if (xhpl_rank(MPI_COMM_WORLD) == 0 && status == XH_OK)
        status = answer_prediction(command, weights, &rates);
    free(weights);
    return hpl_agree(MPI_COMM_WORLD, status);
}

int xhpl_planner_answer(const xhpl_command_t *command)
{
    bool plans = command->ask == XHPL_ASK_PLAN;
    const hyb_resources_t *resources =
        xhpl_measured_resources(plans ? "--plan" : "--predict");

    return resources != NULL &&
                   (plans ? plan : predict)(command, resources) == XH_OK
               ? XH_EXIT_PASSED
               : XH_EXIT_INPUT;
}

/* ---- a forecast ---------------------------------------------------------- */

typedef struct {
    hyb_model_rates_t rates;
    const xhpl_weights_t *weights; /* NULL: equal columns */
    HPL_T_ORDER order;
} predicted_t;

static double forecast(const void *context, const xhpl_test_t *test)
{
    const predicted_t *known = context;
    xhpl_job_t job = {.rates = &known->rates, .bytes = xhpl_capacity_bytes};

    return xhpl_weighted_choice(&job, known->weights, known->order,
                                xhpl_shape_of(test, 0), test->bcast)
        .seconds;
}

xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  const xhpl_weights_t *weights,
                                  xhpl_forecast_t *forecast_p)
{
    static predicted_t known;
    hyb_model_rates_t *rates = &known.rates;
    double seconds = fmin(forecast_seconds, xh_settings_real("plan_seconds"));
    const hyb_resources_t *resources;

    *forecast_p = (xhpl_forecast_t){0};
    if (strcmp(xh_settings_text("predict"), "off") == 0)
        return XH_OK;
    resources = xhpl_measured_resources("predict=on");
    if (resources == NULL)
        return XH_ERR_INPUT;
    XH_TRY(xhpl_measured_rates(resources, &parameters->list[XHPL_NB], seconds,
                               1, rates));
    if (xhpl_measured_is_worthless(rates->others) &&
        xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_warning("other programs had these cores %.0f%% of the measuring "
                       "time: this prediction is worthless. End these "
                       "programs (%s) and try again",
                       100.0 * rates->others, xhpl_advice_rivals().text);
    known.weights = weights;
    known.order = xhpl_order(parameters);
    *forecast_p =
        (xhpl_forecast_t){.seconds = forecast,
                          .context = &known,
                          .ceiling = rates->ceiling,
                          .latency = rates->row.latency,
                          .bandwidth = rates->row.bandwidth,
                          .disturbed = rates->others > XH_RUN_DELAY_CROWDED};
    return XH_OK;
}

/* ---- the rate of a process ----------------------------------------------- */

xh_status_t xhpl_planner_rate(const xhpl_list_t *nb, double *rate_p)
{
    const double seconds = 1.0;
    const hyb_resources_t *resources =
        xhpl_measured_resources("weights=measure");
    int widest = NARROWEST;

    if (resources == NULL)
        return XH_ERR_INPUT;
    for (int i = 0; i < nb->count; i++)
        widest = (int)xh_larger(widest, xh_smaller(nb->value[i], WIDEST));
    return hyb_process_rate(resources, widest, seconds, rate_p);
}
