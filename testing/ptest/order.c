/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/order.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/status.h"
#include "testing/ptest/dat_reader.h"
#include "testing/ptest/options.h"

#define DEFAULT_DAT "HPL.dat"

/* HPL.dat, where the options do not do without, and what goes before it. */
static xh_status_t read_parameters(const xhpl_options_t *options,
                                   xhpl_parameters_t *parameters)
{
    const char *dat = options->dat != NULL ? options->dat : DEFAULT_DAT;
    xh_status_t status = XH_OK;

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
                     "(there are %d)",
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

static void read_run(const xhpl_options_t *options, int processes,
                     xhpl_order_t *order)
{
    order->quiet = options->quiet;
    order->upstream_exit = options->upstream_exit;
    order->run = read_parameters(options, &order->parameters) == XH_OK &&
                 check_grids(&order->parameters, processes) == XH_OK;
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
    case XHPL_ASK_HELP:
        xhpl_options_print_help(stdout);
        break;
    case XHPL_ASK_VERSION:
        xhpl_options_print_version(stdout);
        break;
    case XHPL_ASK_RUN:
        read_run(&options, processes, order_p);
        break;
    }
}
