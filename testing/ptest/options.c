/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/options.h"

#include <stdlib.h>
#include <string.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"

/* the options that are no quantity */
enum {
    OPTION_DAT = XHPL_QUANTITIES,
    OPTION_SET,
    OPTION_CONF,
    OPTION_PRINT_CONFIG,
    OPTION_TRACE,
    OPTION_ITERATIONS,
    OPTION_JSON,
    OPTION_PROGRESS,
    OPTION_QUIET,
    OPTION_UPSTREAM_EXIT,
    OPTION_PLAN,
    OPTION_TIME,
    OPTION_MEMORY,
    OPTION_NODES,
    OPTION_RANKS_PER_NODE,
    OPTION_WRITE,
    OPTION_PREDICT,
    OPTION_HELP,
    OPTION_VERSION,
    OPTIONS
};

typedef struct {
    const char *name;
    const char *argument; /* its name in --help, NULL: takes none */
    const char *help;
} option_row_t;

static const option_row_t others[] = {
    {"dat", "FILE", "read FILE in place of HPL.dat"},
    {"set", "NAME=VALUE", "change one of the settings below"},
    {"conf", "FILE", "read settings from FILE in place of xhpl.conf"},
    {"print-config", NULL, "print the settings as such a file, and stop"},
    {"trace", "FILE", "write a time line of all processes, as Chrome trace"},
    {"iterations", "FILE.csv", "write a row for each iteration and process"},
    {"json", "FILE", "write a record of the run, of all that it depends on"},
    {"progress", "WHEN",
     "say on stderr how far the run is: auto, on, off or live"},
    {"quiet", NULL, "only warnings and errors on stderr"},
    {"upstream-exit", NULL, "exit 0 even if a residual failed"},
    {"plan", NULL,
     "measure, print the best choices for this machine, and stop"},
    {"time", "TIME", "with --plan: the longest a test may take: 90s, 10m, 2h"},
    {"memory", "AMOUNT", "with --plan: memory of a node to fill: 80%, 12G"},
    {"nodes", "NUMBER", "with --plan: how many nodes the run will have"},
    {"ranks-per-node", "NUMBER",
     "with --plan: how many processes each node will have"},
    {"write", "FILE", "with --plan: write the best choice to FILE, an HPL.dat"},
    {"predict", NULL, "measure, print what the tests should take, and stop"},
    {"help", NULL, "print this text"},
    {"version", NULL, "print the version"},
};

static const option_row_t *other(int option)
{
    return &others[option - XHPL_QUANTITIES];
}

/* NULL for a quantity that only HPL.dat can give. */
static const char *option_name(int option)
{
    return option < XHPL_QUANTITIES ? xhpl_quantity(option)->option
                                    : other(option)->name;
}

static void fill_getopt_table(struct option table[OPTIONS + 1])
{
    int rows = 0;

    for (int option = 0; option < OPTIONS; option++) {
        bool argument =
            option < XHPL_QUANTITIES || other(option)->argument != NULL;

        if (option_name(option) != NULL)
            table[rows++] = (struct option){
                option_name(option), argument ? required_argument : no_argument,
                NULL, option};
    }
    memset(&table[rows], 0, sizeof(table[rows]));
}

static xh_status_t refuse_value(xhpl_quantity_t quantity, const char *list,
                                size_t length)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    char token[80], allowed[256], nearest[32];

    snprintf(token, sizeof(token), "%.*s",
             length < sizeof(token) ? (int)length : (int)sizeof(token), list);
    xhpl_quantity_allowed(quantity, allowed, sizeof(allowed));
    xhpl_quantity_nearest(quantity, token, XHPL_NUMBERS_OR_WORDS, nearest,
                          sizeof(nearest));
    xh_log_error("%s%s: '%s' cannot be %s; allowed: %s; the nearest is %s",
                 xh_command_line_dashes(row->option), row->option, token,
                 row->what, allowed, nearest);
    return XH_ERR_INPUT;
}

/* Read "a,b,c" as the values of quantity. */
static xh_status_t parse_list(xhpl_quantity_t quantity, const char *text,
                              xhpl_options_t *options)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    int most = row->count_line == 0 ? 1 : XHPL_LIST_MOST;
    int count = 0;

    for (const char *token = text; token != NULL; count++) {
        size_t length = strcspn(token, ",");

        if (count == most) {
            xh_log_error("%s%s: '%.80s' has more values than the %d allowed",
                         xh_command_line_dashes(row->option), row->option, text,
                         most);
            return XH_ERR_INPUT;
        }
        if (xhpl_parameters_store(quantity, count, token, length,
                                  XHPL_NUMBERS_OR_WORDS,
                                  &options->values) != XH_OK)
            return refuse_value(quantity, token, length);
        token = token[length] == ',' ? token + length + 1 : NULL;
    }
    options->values.list[quantity].count = count;
    options->given[quantity] = true;
    return XH_OK;
}

/* An option that is a setting by another name. */
static xh_status_t set(const char *name, const char *value)
{
    char assignment[1280];

    snprintf(assignment, sizeof(assignment), "%s=%s", name, value);
    return xh_settings_assign(assignment);
}

/* Where the text of an option is kept, NULL for those that are no text. */
static const char **text_of(int option, xhpl_options_t *options)
{
    switch (option) {
    case OPTION_DAT:
        return &options->dat;
    case OPTION_CONF:
        return &options->conf;
    case OPTION_TRACE:
        return &options->trace;
    case OPTION_ITERATIONS:
        return &options->iterations;
    case OPTION_JSON:
        return &options->json;
    case OPTION_TIME:
        return &options->wanted.time;
    case OPTION_MEMORY:
        return &options->wanted.memory;
    case OPTION_NODES:
        return &options->wanted.nodes;
    case OPTION_RANKS_PER_NODE:
        return &options->wanted.ranks_per_node;
    case OPTION_WRITE:
        return &options->write;
    default:
        return NULL;
    }
}

static xhpl_ask_t ask_of(int option)
{
    switch (option) {
    case OPTION_PRINT_CONFIG:
        return XHPL_ASK_CONFIG;
    case OPTION_PLAN:
        return XHPL_ASK_PLAN;
    case OPTION_PREDICT:
        return XHPL_ASK_PREDICT;
    case OPTION_HELP:
        return XHPL_ASK_HELP;
    default:
        return XHPL_ASK_VERSION;
    }
}

static xh_status_t parse_other(int option, const char *argument,
                               xhpl_options_t *options)
{
    const char **text = text_of(option, options);

    if (text != NULL) {
        *text = argument;
        return XH_OK;
    }
    switch (option) {
    case OPTION_SET:
        return xh_settings_assign(argument);
    case OPTION_PROGRESS:
        return set("progress", argument);
    case OPTION_QUIET:
        options->quiet = true;
        return XH_OK;
    case OPTION_UPSTREAM_EXIT:
        options->upstream_exit = true;
        return XH_OK;
    default:
        options->ask = ask_of(option);
        return XH_OK;
    }
}

static xh_status_t parse(int option, const char *argument, void *options)
{
    return option < XHPL_QUANTITIES ? parse_list(option, argument, options)
                                    : parse_other(option, argument, options);
}

xh_status_t xhpl_options_parse(int argc, char **argv, xhpl_options_t *options_p)
{
    xhpl_options_t options = {.ask = XHPL_ASK_RUN};
    struct option table[OPTIONS + 1];
    xh_status_t status;

    xhpl_parameters_default(&options.values);
    fill_getopt_table(table);
    status = xh_command_line_read(argc, argv, table, parse, &options);
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

static void print_other(FILE *out, const option_row_t *row)
{
    fprintf(out, "  --%s%s%s\n      %s\n", row->name,
            row->argument == NULL ? "" : " ",
            row->argument == NULL ? "" : row->argument, row->help);
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
    for (int option = XHPL_QUANTITIES; option < OPTIONS; option++)
        print_other(out, other(option));
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
