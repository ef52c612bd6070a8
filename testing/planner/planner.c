/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/planner/planner.h"

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/cpu.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl/grid/agree.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/plan/measure.h"
#include "testing/planner/choices.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/dat_file.h"
#include "testing/ptest/plan.h"
#include "testing/ptest/processes.h"

enum { SHOWN = 12 }; /* choices */

/* Bytes of a matrix to measure with: more than caches hold, enough tiles for
 * devices, and at most this part of the memory. */
static const double usual_bytes = 0x1p28, device_bytes = 0x1p30,
                    most_part = 0.1;
static const double forecast_seconds = 4.0; /* at most, before the tests */

static void print_head(void)
{
    printf("%10s %5s %5s %5s %5s %5s %12s %12s %12s\n", "N", "NB", "P", "Q",
           "DEPTH", "BCAST", "seconds", "Gflop/s", "GiB/process");
}

static void print_row(const xhpl_choice_t *choice)
{
    const hyb_model_case_t *test = &choice->test;

    printf("%10d %5d %5d %5d %5d %5d %12.3g %12.4g %12.3g\n", test->n, test->nb,
           test->nprow, test->npcol, test->depth, test->bcast,
           choice->predicted.seconds, choice->gflops, choice->bytes / 0x1p30);
}

/* ---- measuring ----------------------------------------------------------- */

/* What is measured; NULL, with a message, if the model has no such solver. */
static const hyb_means_t *means_for(const char *what)
{
    const hyb_means_t *means = hyb_driver_means();

    if (means == NULL && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("%s: solver=%s cannot be predicted; allowed: "
                     "solver=hybrid",
                     what, xh_settings_text("solver"));
    return means;
}

/* One more width to measure, in order, if there is room. */
static void add_width(hyb_measurement_t *what, int nb)
{
    int at = what->widths;

    for (int i = 0; i < what->widths; i++)
        if (what->width[i] == nb)
            return;
    if (what->widths == HYB_MODEL_WIDTHS_MOST)
        return;
    for (; at > 0 && what->width[at - 1] > nb; at--)
        what->width[at] = what->width[at - 1];
    what->width[at] = nb;
    what->widths++;
}

/* Ranks go along process rows: neighbours in a column are a row apart. */
static hyb_measurement_t measurement(const xhpl_list_t *nb, double seconds)
{
    int processes = xhpl_size(MPI_COMM_WORLD);
    int step = processes / xhpl_choices_rows(processes);
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();
    double part = most_part * capacity.node_bytes / capacity.processes;
    hyb_measurement_t what = {.seconds = seconds,
                              .bytes = fmin(usual_bytes, part),
                              .device_bytes = fmin(device_bytes, part),
                              .row_step = 1,
                              .column_step = step == processes ? 1 : step};

    for (int i = 0; i < nb->count; i++)
        add_width(&what, nb->value[i]);
    return what;
}

/* More processes are predicted with the measured links. Process 0. */
static void warn_of_unknown_links(int64_t processes)
{
    if (processes <= xhpl_size(MPI_COMM_WORLD))
        return;
    if (xhpl_size(MPI_COMM_WORLD) == 1)
        xh_log_warning("messages were not measured and take no time here: "
                       "start at least two processes, on two nodes");
    else
        xh_log_info("the links are those between the %d started processes",
                    xhpl_size(MPI_COMM_WORLD));
}

/* Process 0. */
static void warn_of_flat_grids(int processes)
{
    int rows = xhpl_choices_rows(processes);

    if (xhpl_choices_are_flat(processes))
        xh_log_warning("%d processes have no good grid, %d x %d is the nearest "
                       "to square: fewer processes may be faster",
                       processes, rows, processes / rows);
}

/* ---- a plan -------------------------------------------------------------- */

static xhpl_list_t list_or(const xhpl_order_t *order, xhpl_quantity_t quantity,
                           xhpl_list_t usual)
{
    return order->given[quantity] ? order->parameters.list[quantity] : usual;
}

/* Bytes of a node that the plan may fill; 0: unknown. */
static double bytes_of_node(const xhpl_request_t *wanted,
                            const xhpl_capacity_t *capacity)
{
    double most = capacity->node_bytes;

    if (wanted->memory_bytes == 0.0)
        return isinf(most) ? 0.0 : wanted->memory_share * most;
    if (wanted->memory_bytes > most && wanted->nodes == 0) {
        if (xhpl_rank(MPI_COMM_WORLD) == 0)
            xh_log_warning("--memory: a node has %.2f GiB available",
                           most / 0x1p30);
        return most;
    }
    return wanted->memory_bytes;
}

/* One process has no link at all: warn_of_unknown_links. Process 0. */
static void warn_of_no_network(const xhpl_extent_t *started,
                               const xhpl_extent_t *extent)
{
    if (started->nodes > 1 || extent->nodes == 1 || started->processes == 1)
        return;
    xh_log_warning("no link between nodes was measured: this plan for %d nodes "
                   "uses those within one; start on at least two nodes",
                   extent->nodes);
}

static xhpl_extent_t started_with(const xhpl_capacity_t *capacity)
{
    return (xhpl_extent_t){.nodes = capacity->nodes,
                           .ranks_per_node = capacity->processes,
                           .processes = xhpl_size(MPI_COMM_WORLD)};
}

/* As started, or as --nodes and --ranks-per-node say. */
static xh_status_t extent_of(const xhpl_request_t *wanted,
                             const xhpl_extent_t *started,
                             xhpl_extent_t *extent_p)
{
    xhpl_extent_t extent = xhpl_request_extent(wanted, started);

    if (extent.processes > XHPL_PROCESSES_MOST) {
        if (xhpl_rank(MPI_COMM_WORLD) == 0)
            xh_log_error("--plan: %d nodes with %d processes each are more "
                         "than %d processes",
                         extent.nodes, extent.ranks_per_node,
                         XHPL_PROCESSES_MOST);
        return XH_ERR_INPUT;
    }
    if (xhpl_rank(MPI_COMM_WORLD) == 0)
        warn_of_no_network(started, &extent);
    *extent_p = extent;
    return XH_OK;
}

/* If the plan has more processes a node than were started, they share the
 * cores. Process 0. */
static void share_cores(int started, int planned, hyb_model_rates_t *rates)
{
    int cores = xh_cpu_census("").cores;
    double threads = rates->threads, factor;

    if (cores == 0)
        return;
    factor = fmax(1.0, planned * threads / cores) /
             fmax(1.0, started * threads / cores);
    if (factor <= 1.0)
        return;
    hyb_model_slow_down(rates, factor);
    xh_log_warning("%d processes of %d threads share the %d cores of a node in "
                   "this plan and count as slower: start as many on a node as "
                   "you plan for",
                   planned, rates->threads, cores);
}

/* What the order leaves open gets usual values. */
static xhpl_job_t job_of(const xhpl_order_t *order, bool offloads,
                         const xhpl_capacity_t *capacity,
                         const xhpl_extent_t *extent)
{
    static const xhpl_list_t on_cores = {4, {384, 256, 192, 128}};
    static const xhpl_list_t with_devices = {5, {512, 1024, 768, 384, 256}};
    static const xhpl_list_t depths = {2, {2, 1}};
    static const xhpl_list_t broadcasts = {6, {1, 0, 2, 3, 4, 5}};
    const xhpl_request_t *wanted = &order->wanted;

    return (xhpl_job_t){
        .processes = (int)extent->processes,
        .nb = list_or(order, XHPL_NB, offloads ? with_devices : on_cores),
        .depth = list_or(order, XHPL_DEPTH, depths),
        .bcast = list_or(order, XHPL_BCAST, broadcasts),
        .align = xhpl_parameters_value(&order->parameters, XHPL_ALIGN),
        .most_seconds = wanted->seconds > 0.0 ? wanted->seconds : INFINITY,
        .most_bytes = bytes_of_node(wanted, capacity) / extent->ranks_per_node,
        .bytes = xhpl_capacity_bytes};
}

/* The file of --write must not exist: check it before measuring. It is written
 * at the end, so an interrupted plan leaves none. */
static xh_status_t check_file(const xhpl_order_t *order)
{
    xh_status_t status = XH_OK;

    if (order->write != NULL && xhpl_rank(MPI_COMM_WORLD) == 0)
        status = xhpl_dat_try(order->write);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* Write the file of --write. */
static xh_status_t write_best(const xhpl_order_t *order,
                              const hyb_model_case_t *test)
{
    xhpl_parameters_t parameters = order->parameters;
    const struct {
        xhpl_quantity_t quantity;
        int value;
    } chosen[] = {{XHPL_N, test->n},         {XHPL_NB, test->nb},
                  {XHPL_P, test->nprow},     {XHPL_Q, test->npcol},
                  {XHPL_DEPTH, test->depth}, {XHPL_BCAST, test->bcast}};

    for (size_t i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
        parameters.list[chosen[i].quantity].count = 1;
        parameters.list[chosen[i].quantity].value[0] = chosen[i].value;
    }
    return xhpl_dat_create(order->write, &parameters);
}

/* On process 0, which prints and writes. */
static xh_status_t answer_plan(const xhpl_order_t *order, const xhpl_job_t *job)
{
    xhpl_choice_t choices[SHOWN];
    int count = xhpl_choices_make(job, SHOWN, choices);

    if (job->most_bytes == 0.0) {
        xh_log_error("--plan: the memory of a node is unknown: give it, as in "
                     "--memory 12G");
        return XH_ERR_INPUT;
    }
    if (count == 0) {
        xh_log_error("no N fits %d processes with %.3f GiB each%s",
                     job->processes, job->most_bytes / 0x1p30,
                     isinf(job->most_seconds) ? "" : " in so little time");
        return XH_ERR_INPUT;
    }
    warn_of_unknown_links(job->processes);
    warn_of_flat_grids(job->processes);
    print_head();
    for (int i = 0; i < count; i++)
        print_row(&choices[i]);
    return order->write == NULL ? XH_OK : write_best(order, &choices[0].test);
}

static xh_status_t plan(const xhpl_order_t *order, const hyb_means_t *means)
{
    xhpl_capacity_t capacity = xhpl_capacity_of_nodes();
    xhpl_extent_t started = started_with(&capacity), extent;
    hyb_measurement_t what;
    hyb_model_rates_t rates;
    xhpl_job_t job;
    xh_status_t status = extent_of(&order->wanted, &started, &extent);

    if (status == XH_OK)
        status = check_file(order);
    if (status != XH_OK)
        return status;
    job = job_of(order, means->offloads, &capacity, &extent);
    job.rates = &rates;
    what = measurement(&job.nb, xh_settings_real("plan_seconds"));
    status = hyb_measure(means, &what, &rates);
    if (status == XH_OK && xhpl_rank(MPI_COMM_WORLD) == 0) {
        share_cores(started.ranks_per_node, extent.ranks_per_node, &rates);
        status = answer_plan(order, &job);
    }
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* ---- a prediction -------------------------------------------------------- */

static hyb_model_case_t case_of(const xhpl_test_t *test)
{
    return (hyb_model_case_t){.n = test->n,
                              .nb = test->nb,
                              .nprow = test->nprow,
                              .npcol = test->npcol,
                              .depth = test->depth,
                              .bcast = test->bcast};
}

static xh_status_t predict(const xhpl_order_t *order, const hyb_means_t *means)
{
    const xhpl_parameters_t *parameters = &order->parameters;
    int64_t tests = xhpl_plan_count(parameters);
    hyb_measurement_t what = measurement(&parameters->list[XHPL_NB],
                                         xh_settings_real("plan_seconds"));
    hyb_model_rates_t rates;
    xhpl_job_t job = {.rates = &rates,
                      .align = xhpl_parameters_value(parameters, XHPL_ALIGN),
                      .bytes = xhpl_capacity_bytes};
    xhpl_choice_t choice;
    xh_status_t status = hyb_measure(means, &what, &rates);

    if (status != XH_OK || xhpl_rank(MPI_COMM_WORLD) != 0)
        return status;
    warn_of_unknown_links(xhpl_parameters_processes(parameters));
    print_head();
    for (int64_t index = 0; index < tests; index++) {
        xhpl_test_t test = xhpl_plan_test(parameters, index);

        choice = xhpl_choices_of(&job, case_of(&test));
        print_row(&choice);
    }
    return XH_OK;
}

int xhpl_planner_answer(const xhpl_order_t *order)
{
    bool plans = order->ask == XHPL_ASK_PLAN;
    const hyb_means_t *means = means_for(plans ? "--plan" : "--predict");
    xh_status_t status;

    if (means == NULL)
        return XH_EXIT_INPUT;
    status = plans ? plan(order, means) : predict(order, means);
    return status == XH_OK ? XH_EXIT_PASSED : XH_EXIT_INPUT;
}

/* ---- a forecast ---------------------------------------------------------- */

static double forecast(const void *context, const xhpl_test_t *test)
{
    hyb_model_case_t asked = case_of(test);

    return hyb_model_predict(context, &asked).seconds;
}

xh_status_t xhpl_planner_forecast(const xhpl_parameters_t *parameters,
                                  xhpl_forecast_t *forecast_p)
{
    static hyb_model_rates_t rates;
    double seconds = fmin(forecast_seconds, xh_settings_real("plan_seconds"));
    hyb_measurement_t what = measurement(&parameters->list[XHPL_NB], seconds);
    const hyb_means_t *means;
    xh_status_t status;

    *forecast_p = (xhpl_forecast_t){0};
    if (strcmp(xh_settings_text("predict"), "off") == 0)
        return XH_OK;
    means = means_for("predict=on");
    if (means == NULL)
        return XH_ERR_INPUT;
    status = hyb_measure(means, &what, &rates);
    if (status == XH_OK)
        *forecast_p = (xhpl_forecast_t){forecast, &rates, rates.ceiling};
    return status;
}
