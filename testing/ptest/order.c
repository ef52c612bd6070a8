/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/order.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "testing/ptest/dat_file.h"

#define DEFAULT_DAT "HPL.dat"
#define DEFAULT_CONF "xhpl.conf"

/* What a plan does not choose is a default or an option. */
static xh_status_t begin_plan(const xhpl_options_t *options,
                              xhpl_parameters_t *parameters)
{
    static const xhpl_quantity_t planned[] = {XHPL_N, XHPL_P, XHPL_Q};

    for (size_t i = 0; i < sizeof(planned) / sizeof(planned[0]); i++)
        if (options->given[planned[i]]) {
            xh_log_error("-%s: --plan chooses it",
                         xhpl_quantity(planned[i])->option);
            return XH_ERR_INPUT;
        }
    xhpl_parameters_default(parameters);
    return xhpl_options_override(options, parameters);
}

/* Read HPL.dat, unless the options are enough, and apply the options. */
static xh_status_t read_parameters(const xhpl_options_t *options,
                                   xhpl_parameters_t *parameters)
{
    const char *dat = options->dat != NULL ? options->dat : DEFAULT_DAT;
    xh_status_t status = XH_OK;

    if (options->ask == XHPL_ASK_PLAN)
        return begin_plan(options, parameters);
    if (options->dat == NULL && xhpl_options_complete(options) &&
        access(dat, F_OK) != 0)
        xhpl_parameters_default(parameters);
    else
        status = xhpl_dat_read(dat, parameters);
    if (status == XH_OK)
        status = xhpl_options_override(options, parameters);
    return status;
}

static int64_t grid_size(const xhpl_parameters_t *parameters, int grid)
{
    return (int64_t)parameters->list[XHPL_P].value[grid] *
           parameters->list[XHPL_Q].value[grid];
}

static xh_status_t check_grids(const xhpl_parameters_t *parameters,
                               int processes)
{
    int grids = parameters->list[XHPL_P].count;
    int64_t largest = 0;

    for (int grid = 0; grid < grids; grid++)
        if (grid_size(parameters, grid) > largest)
            largest = grid_size(parameters, grid);
    if (largest > processes) {
        xh_log_error("Need at least %" PRId64 " processes for these tests "
                     "(there are %d): start as many, or have xhpl --plan "
                     "--write FILE choose a smaller grid",
                     largest, processes);
        return XH_ERR_INPUT;
    }
    for (int grid = 0; grid < grids; grid++)
        if (grid_size(parameters, grid) < processes)
            xh_log_warning("the grid %d x %d leaves %" PRId64 " of %d "
                           "processes idle",
                           parameters->list[XHPL_P].value[grid],
                           parameters->list[XHPL_Q].value[grid],
                           processes - grid_size(parameters, grid), processes);
    return XH_OK;
}

/* The file of settings may be missing, unless --conf names it. */
static xh_status_t read_conf(const xhpl_options_t *options)
{
    const char *conf = options->conf != NULL ? options->conf : DEFAULT_CONF;

    if (options->conf == NULL && access(conf, F_OK) != 0)
        return XH_OK;
    if (options->ask == XHPL_ASK_RUN && !options->quiet)
        xh_log_info("settings come from %s", conf);
    return xh_settings_read_file(conf);
}

/* A given option that only --plan takes; NULL: none. */
static const char *option_of_plan(const xhpl_options_t *options)
{
    const xhpl_request_words_t *wanted = &options->wanted;

    if (wanted->time != NULL)
        return "time";
    if (wanted->memory != NULL)
        return "memory";
    if (wanted->nodes != NULL)
        return "nodes";
    if (wanted->ranks_per_node != NULL)
        return "ranks-per-node";
    return options->write != NULL ? "write" : NULL;
}

static xh_status_t check_task(const xhpl_options_t *options)
{
    const char *option = option_of_plan(options);
    bool files = options->json != NULL || options->trace != NULL ||
                 options->iterations != NULL;

    if (option != NULL && options->ask != XHPL_ASK_PLAN) {
        xh_log_error("--%s goes with --plan", option);
        return XH_ERR_INPUT;
    }
    if (options->dat != NULL && options->ask == XHPL_ASK_PLAN) {
        xh_log_error("--dat goes with a run or --predict, not with --plan");
        return XH_ERR_INPUT;
    }
    if (files && options->ask != XHPL_ASK_RUN) {
        xh_log_error("--json, --trace and --iterations go with a run, not with "
                     "--plan or --predict");
        return XH_ERR_INPUT;
    }
    return XH_OK;
}

/* Copy the names of files that were given. */
static xh_status_t read_names(const xhpl_options_t *options,
                              xhpl_order_t *order)
{
    const struct {
        const char *option, *name;
        char *copy;
    } files[] = {{"trace", options->trace, order->trace},
                 {"iterations", options->iterations, order->iterations},
                 {"json", options->json, order->json},
                 {"write", options->write, order->write}};

    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        const char *name = files[i].name != NULL ? files[i].name : "";
        size_t length = strlen(name);

        if (length >= XHPL_FILE_SIZE ||
            (files[i].name != NULL && length == 0)) {
            xh_log_error("--%s: a file's name of %zu characters; allowed: 1 to "
                         "%d",
                         files[i].option, length, XHPL_FILE_SIZE - 1);
            return XH_ERR_INPUT;
        }
        memcpy(files[i].copy, name, length + 1);
    }
    return XH_OK;
}

static void read_run(const xhpl_options_t *options, int processes,
                     xhpl_order_t *order)
{
    order->quiet = options->quiet;
    order->upstream_exit = options->upstream_exit;
    memcpy(order->given, options->given, sizeof(order->given));
    order->ask = options->ask;
    order->run = check_task(options) == XH_OK &&
                 read_names(options, order) == XH_OK &&
                 xhpl_request_read(&options->wanted, &order->wanted) == XH_OK &&
                 read_conf(options) == XH_OK &&
                 read_parameters(options, &order->parameters) == XH_OK &&
                 /* --plan chooses grids, and --predict runs no test */
                 (options->ask != XHPL_ASK_RUN ||
                  check_grids(&order->parameters, processes) == XH_OK);
    order->exit_status = order->run ? XH_EXIT_PASSED : XH_EXIT_INPUT;
}

void xhpl_order_read(int argc, char **argv, int processes,
                     xhpl_order_t *order_p)
{
    xhpl_options_t options;

    *order_p = (xhpl_order_t){.exit_status = XH_EXIT_INPUT};
    if (xh_settings_load() != XH_OK ||
        xhpl_options_parse(argc, argv, &options) != XH_OK)
        return;
    order_p->exit_status = XH_EXIT_PASSED;
    switch (options.ask) {
    case XHPL_ASK_CONFIG:
        if (read_conf(&options) == XH_OK)
            xh_settings_print_values(stdout);
        else
            order_p->exit_status = XH_EXIT_INPUT;
        break;
    case XHPL_ASK_HELP:
        xhpl_options_print_help(stdout);
        break;
    case XHPL_ASK_VERSION:
        xhpl_options_print_version(stdout);
        break;
    case XHPL_ASK_RUN:
    case XHPL_ASK_PLAN:
    case XHPL_ASK_PREDICT:
        read_run(&options, processes, order_p);
        break;
    }
}
