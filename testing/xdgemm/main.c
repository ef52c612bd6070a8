/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * xdgemm: the product of two matrices on all processors of a node, its rate,
 * and whether it is right.
 */
#include <stdio.h>
#include "base/log.h"
#include "base/settings.h"
#include "testing/xdgemm/device_list.h"
#include "testing/xdgemm/run.h"

static int answer(const xdg_options_t *options)
{
    switch (options->ask) {
    case XDG_ASK_HELP:
        xdg_options_print_help(stdout);
        return XH_EXIT_PASSED;
    case XDG_ASK_VERSION:
        xdg_options_print_version(stdout);
        return XH_EXIT_PASSED;
    case XDG_ASK_DEVICES:
        return xdg_exit_status(xdg_device_list(stdout, options->json));
    default:
        return xdg_run(options);
    }
}

int main(int argc, char **argv)
{
    xdg_options_t options;
    int status;

    xh_log_identify("xdgemm", -1, "");
    if (xh_settings_load() != XH_OK ||
        xdg_options_parse(argc, argv, &options) != XH_OK)
        return XH_EXIT_INPUT;
    if (options.quiet)
        xh_log_limit(XH_LOG_WARNING);
    status = answer(&options);
    if (fflush(stdout) == 0)
        return status;
    xh_log_error("cannot write all of the report");
    return XH_EXIT_RUNTIME;
}
