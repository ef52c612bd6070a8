/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/options.h"

#include <stddef.h>
#include <string.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"

#define AT(member) offsetof(xhpl_options_t, member)

/* clang-format off */
static const xh_option_t others[] = {
    {"dat", "FILE", XH_OPTION_TEXT, AT(dat),
     "read FILE in place of HPL.dat", 0, 0, 0},
    {"set", "NAME=VALUE", XH_OPTION_SET, 0,
     "change one of the settings below", 0, 0, 0},
    {"conf", "FILE", XH_OPTION_TEXT, AT(conf),
     "read settings from FILE in place of xhpl.conf", 0, 0, 0},
    {"print-config", NULL, XH_OPTION_CHOICE, AT(ask),
     "print the settings as such a file, and stop", 0, 0, XHPL_ASK_CONFIG},
    {"trace", "FILE", XH_OPTION_TEXT, AT(trace),
     "write a time line of all processes, as Chrome trace", 0, 0, 0},
    {"iterations", "FILE.csv", XH_OPTION_TEXT, AT(iterations),
     "write a row for each iteration and process", 0, 0, 0},
    {"json", "FILE", XH_OPTION_TEXT, AT(json),
     "write a record of the run, of all that it depends on", 0, 0, 0},
    {"progress", "WHEN", XH_OPTION_SETTING, 0,
     "say on stderr how far the run is: auto, on, off or live", 0, 0, 0},
    {"quiet", NULL, XH_OPTION_FLAG, AT(quiet),
     "only warnings and errors on stderr", 0, 0, 0},
    {"upstream-exit", NULL, XH_OPTION_FLAG, AT(upstream_exit),
     "exit 0 even if a residual failed", 0, 0, 0},
    {"plan", NULL, XH_OPTION_CHOICE, AT(ask),
     "measure, print the best choices for this machine, and stop", 0, 0,
     XHPL_ASK_PLAN},
    {"time", "TIME", XH_OPTION_TEXT, AT(wanted.time),
     "with --plan: the longest a test may take: 90s, 10m, 2h", 0, 0, 0},
    {"memory", "AMOUNT", XH_OPTION_TEXT, AT(wanted.memory),
     "with --plan: memory of a node to fill: 80%, 12G", 0, 0, 0},
    {"nodes", "NUMBER", XH_OPTION_TEXT, AT(wanted.nodes),
     "with --plan: how many nodes the run will have", 0, 0, 0},
    {"ranks-per-node", "NUMBER", XH_OPTION_TEXT, AT(wanted.ranks_per_node),
     "with --plan: how many processes each node will have", 0, 0, 0},
    {"write", "FILE", XH_OPTION_TEXT, AT(write),
     "with --plan: write the best choice to FILE, an HPL.dat", 0, 0, 0},
    {"predict", NULL, XH_OPTION_CHOICE, AT(ask),
     "measure, print what the tests should take, and stop", 0, 0,
     XHPL_ASK_PREDICT},
    {"help", NULL, XH_OPTION_CHOICE, AT(ask),
     "print this text", 0, 0, XHPL_ASK_HELP},
    {"version", NULL, XH_OPTION_CHOICE, AT(ask),
     "print the version", 0, 0, XHPL_ASK_VERSION},
};
/* clang-format on */

enum { OTHERS = sizeof(others) / sizeof(others[0]) };

static xh_status_t refuse_value(xhpl_quantity_t quantity, const char *token)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    char allowed[256], nearest[32];

    xhpl_quantity_allowed(quantity, allowed, sizeof(allowed));
    xhpl_quantity_nearest(quantity, token, XHPL_NUMBERS_OR_WORDS, nearest,
                          sizeof(nearest));
    xh_log_error("%s%s: '%.80s' cannot be %s; allowed: %s; the nearest is %s",
                 xh_command_line_dashes(row->option), row->option, token,
                 row->what, allowed, nearest);
    return XH_ERR_INPUT;
}

/* Read "a,b,c" as the values of quantity. */
static xh_status_t parse_list(int quantity, const char *text, void *context)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    xhpl_options_t *options = context;
    int most = row->count_line == 0 ? 1 : XHPL_LIST_MOST;
    int count = 0;

    for (const char *at = text; at != NULL; count++) {
        int length = (int)strcspn(at, ",");
        char token[256];

        if (count == most) {
            xh_log_error("%s%s: '%.80s' has more values than the %d allowed",
                         xh_command_line_dashes(row->option), row->option, text,
                         most);
            return XH_ERR_INPUT;
        }
        snprintf(token, sizeof(token), "%.*s", length, at);
        if (length >= (int)sizeof(token) ||
            xhpl_parameters_store(quantity, count, token, XHPL_NUMBERS_OR_WORDS,
                                  &options->values) != XH_OK)
            return refuse_value(quantity, token);
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    options->values.list[quantity].count = count;
    options->given[quantity] = true;
    return XH_OK;
}

xh_status_t xhpl_options_parse(int argc, char **argv, xhpl_options_t *options_p)
{
    xhpl_options_t options = {.ask = XHPL_ASK_RUN};
    xh_option_t rows[XHPL_QUANTITIES + OTHERS];
    xh_status_t status;

    xhpl_parameters_default(&options.values);
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        rows[q] = (xh_option_t){.name = xhpl_quantity(q)->option,
                                .argument = "LIST",
                                .kind = XH_OPTION_OTHER,
                                .choice = q};
    memcpy(rows + XHPL_QUANTITIES, others, sizeof(others));
    status = xh_command_line_read(argc, argv, rows, XHPL_QUANTITIES + OTHERS,
                                  parse_list, &options);
    if (status == XH_OK)
        *options_p = options;
    return status;
}

xh_status_t xhpl_options_override(const xhpl_options_t *options,
                                  xhpl_parameters_t *parameters)
{
    int rows, columns;

    for (int q = 0; q < XHPL_QUANTITIES; q++)
        if (options->given[q])
            parameters->list[q] = options->values.list[q];
    if (options->given[XHPL_THRESHOLD])
        parameters->threshold = options->values.threshold;
    rows = parameters->list[XHPL_P].count;
    columns = parameters->list[XHPL_Q].count;
    if (rows == columns)
        return XH_OK;
    xh_log_error("P has %d values and Q has %d; allowed: equally many", rows,
                 columns);
    return XH_ERR_INPUT;
}

bool xhpl_options_complete(const xhpl_options_t *options)
{
    return options->given[XHPL_N] && options->given[XHPL_NB] &&
           options->given[XHPL_P] && options->given[XHPL_Q];
}

static void print_quantity(FILE *out, xhpl_quantity_t quantity)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    char allowed[256];

    if (row->option == NULL)
        return;
    xhpl_quantity_allowed(quantity, allowed, sizeof(allowed));
    fprintf(out, "  %s%s %s\n      %s: %s\n",
            xh_command_line_dashes(row->option), row->option,
            row->count_line == 0 ? "VALUE" : "LIST", row->what, allowed);
}

void xhpl_options_print_help(FILE *out)
{
    fprintf(out,
            "Usage: mpirun -n PROCESSES xhpl [OPTION]...\n"
            "\n"
            "Solve random systems of linear equations and report the rate,\n"
            "as the High-Performance Linpack benchmark does. The tests are\n"
            "described by HPL.dat in the working directory, or by options,\n"
            "which go before it. With n, nb, p and q no file is needed.\n"
            "\n"
            "What to run; a LIST is one value or several with commas "
            "between:\n");
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        print_quantity(out, q);
    fprintf(out, "\nHow to run:\n");
    xh_command_line_print_help(others, OTHERS, out);
    fprintf(out, "\nSettings, for --set, as a variable XHPL_NAME of the "
                 "environment,\nor as a line NAME = VALUE of xhpl.conf; the "
                 "first of these goes first:\n");
    xh_settings_print_help(out);
    fprintf(out, "\nExit status: 0 all tests passed; 1 a residual failed; 2 "
                 "bad input, not enough\nmemory or a skipped test; 3 a failure "
                 "at run time.\n");
}

void xhpl_options_print_version(FILE *out)
{
    fprintf(out, "xhpl %s\n", XH_VERSION);
}
