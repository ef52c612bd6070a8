/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/command_line.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "base/command_line.h"
#include "base/log.h"
#include "base/settings.h"
#include "testing/ptest/dat_file.h"
#include "testing/ptest/launcher.h"
#include "testing/ptest/named_files.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/test_list.h"

static const double usual_share =
    0.8; /* fraction of the memory, if --memory is missing */
static const char default_dat[] = "HPL.dat", default_conf[] = "xhpl.conf";

/* ---- the command line ---------------------------------------------------- */

#define AT(member) offsetof(xhpl_command_t, member)

/* clang-format off */
static const xh_option_t plain_options[] = {
    {"dat", "FILE", XH_OPTION_TEXT, AT(dat),
     "read FILE in place of HPL.dat", 0, 0, 0},
    {"set", "NAME=VALUE", XH_OPTION_SET, 0,
     "change a setting, such as devices=none: listed below", 0, 0, 0},
    {"conf", "FILE", XH_OPTION_TEXT, AT(conf),
     "read settings from FILE in place of xhpl.conf", 0, 0, 0},
    {"print-config", NULL, XH_OPTION_CHOICE, AT(ask),
     "print the settings as such a file, and stop", 0, 0, XHPL_ASK_CONFIG},
    {"trace", "FILE", XH_OPTION_TEXT, AT(trace),
     "write a time line of all processes, as Chrome trace", 0, 0, 0},
    {"iterations", "FILE.csv", XH_OPTION_TEXT, AT(iterations),
     "write a row for each iteration and process", 0, 0, 0},
    {"json", "FILE", XH_OPTION_TEXT, AT(json),
     "write a record of the run, replacing an earlier record", 0, 0, 0},
    {"progress", "WHEN", XH_OPTION_SETTING, 0,
     "show progress on stderr: auto, on, off or live", 0, 0, 0},
    {"checkpoint", "DIR", XH_OPTION_SETTING, 0,
     "write checkpoints to DIR; the run pauses for each", 0, 0, 0},
    {"every", "TIME", XH_OPTION_SETTING, 0,
     "time between checkpoints: 90s, 30m, 2h", 0, 0, 0},
    {"restart", "DIR", XH_OPTION_SETTING, 0,
     "continue from the newest checkpoint in DIR", 0, 0, 0},
    {"weights", "HOW", XH_OPTION_SETTING, 0,
     "columns by speed: measure, off, or a file of rates", 0, 0, 0},
    {"runs", "COUNT", XH_OPTION_INT, AT(runs),
     "run each test COUNT times; print mean, spread and best", 1, 1000, 0},
    {"quiet", NULL, XH_OPTION_FLAG, AT(quiet),
     "only warnings and errors on stderr", 0, 0, 0},
    {"force", NULL, XH_OPTION_FLAG, AT(force),
     "let --json replace any file; allow a plan on a busy machine", 0, 0, 0},
    {"upstream-exit", NULL, XH_OPTION_FLAG, AT(upstream_exit),
     "exit 0 even if a residual failed", 0, 0, 0},
    {"plan", NULL, XH_OPTION_CHOICE, AT(ask),
     "measure, print the best choices for this machine, and stop", 0, 0,
     XHPL_ASK_PLAN},
    {"time", "TIME", XH_OPTION_OTHER, 0,
     "with --plan: the longest a test may take: 90s, 10m, 2h", 0, 0,
     XHPL_QUANTITIES + XHPL_TIME},
    {"memory", "AMOUNT", XH_OPTION_OTHER, 0,
     "with --plan: memory of a node to fill: 80%, 12G", 0, 0,
     XHPL_QUANTITIES + XHPL_MEMORY},
    {"nodes", "NUMBER", XH_OPTION_OTHER, 0,
     "with --plan: how many nodes the run will have", 0, 0,
     XHPL_QUANTITIES + XHPL_NODES},
    {"ranks-per-node", "NUMBER", XH_OPTION_OTHER, 0,
     "with --plan: how many processes each node will have", 0, 0,
     XHPL_QUANTITIES + XHPL_RANKS_PER_NODE},
    {"write", "FILE", XH_OPTION_TEXT, AT(write),
     "with --plan: write the choice to FILE, which must not exist", 0, 0, 0},
    {"simulate", NULL, XH_OPTION_FLAG, AT(simulate),
     "with --plan: simulate the best choice, other grids and slow nodes",
     0, 0, 0},
    {"trust", NULL, XH_OPTION_CHOICE, AT(ask),
     "check that the results of this machine are right, and stop", 0, 0,
     XHPL_ASK_TRUST},
    {"predict", NULL, XH_OPTION_CHOICE, AT(ask),
     "measure, print how long each test should take, and stop", 0, 0,
     XHPL_ASK_PREDICT},
    {"help", "[TOPIC]", XH_OPTION_OTHER, 0,
     "print this text; more with a topic: all, devices, testing", 0, 0,
     XHPL_QUANTITIES + XHPL_HELP},
    {"version", NULL, XH_OPTION_CHOICE, AT(ask),
     "print the version", 0, 0, XHPL_ASK_VERSION},
};
/* clang-format on */

enum { PLAIN_OPTIONS = sizeof(plain_options) / sizeof(plain_options[0]) };

/* Read "a,b,c" as the values of quantity. */
static xh_status_t read_list(int quantity, const char *text,
                             xhpl_command_t *command)
{
    const xhpl_quantity_row_t *row = xhpl_quantity(quantity);
    const char *dashes = xh_command_line_dashes(row->option);
    int most = row->count_line == 0 ? 1 : XHPL_LIST_MOST;
    int count = 0;

    for (const char *at = text; at != NULL; count++) {
        int length = (int)strcspn(at, ",");
        char token[256], advice[320];

        if (count == most) {
            xh_log_error("%s%s: '%.80s' has more values than the %d allowed",
                         dashes, row->option, text, most);
            return XH_ERR_INPUT;
        }
        if (at > text && at[0] == '0' && isdigit((unsigned char)at[1])) {
            xh_log_error("%s%s: '%.80s' has a comma within a number; commas "
                         "separate values",
                         dashes, row->option, text);
            return XH_ERR_INPUT;
        }
        snprintf(token, sizeof(token), "%.*s", length, at);
        if (length >= (int)sizeof(token) ||
            xhpl_parameters_store(quantity, count, token, XHPL_NUMBERS_OR_WORDS,
                                  &command->parameters) != XH_OK) {
            xhpl_quantity_advice(row, token, XHPL_NUMBERS_OR_WORDS, advice,
                                 sizeof(advice));
            xh_log_error("%s%s: '%.80s' cannot be %s; %s", dashes, row->option,
                         token, row->what, advice);
            return XH_ERR_INPUT;
        }
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    command->parameters.list[quantity].count = count;
    command->is_given[quantity] = true;
    return XH_OK;
}

/* choice  in  a quantity; or XHPL_QUANTITIES + a limit of a plan; or help */
static xh_status_t read_plain_option(int choice, const char *text,
                                     void *context)
{
    xhpl_command_t *command = context;

    if (choice == XHPL_QUANTITIES + XHPL_HELP) {
        command->ask = XHPL_ASK_HELP;
        return xhpl_help_topic(text, &command->topic);
    }
    return choice < XHPL_QUANTITIES
               ? read_list(choice, text, command)
               : xhpl_plan_option_read(choice - XHPL_QUANTITIES, text,
                                       &command->plan_options);
}

xh_status_t xhpl_options_parse(int argc, char **argv, xhpl_command_t *command_p)
{
    xh_option_t rows[XHPL_QUANTITIES + PLAIN_OPTIONS];

    *command_p =
        (xhpl_command_t){.exit_status = XH_EXIT_INPUT, .ask = XHPL_ASK_RUN};
    xhpl_parameters_default(&command_p->parameters);
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        rows[q] = (xh_option_t){.name = xhpl_quantity(q)->option,
                                .argument = "LIST",
                                .kind = XH_OPTION_OTHER,
                                .choice = q};
    memcpy(rows + XHPL_QUANTITIES, plain_options, sizeof(plain_options));
    return xh_command_line_read(argc, argv, rows,
                                XHPL_QUANTITIES + PLAIN_OPTIONS,
                                read_plain_option, command_p);
}

/* ---- the parameters ------------------------------------------------------ */

xh_status_t xhpl_options_complete(xhpl_command_t *command,
                                  const xhpl_parameters_t *file)
{
    xhpl_parameters_t all = *file;

    for (int q = 0; q < XHPL_QUANTITIES; q++)
        if (command->is_given[q])
            all.list[q] = command->parameters.list[q];
    if (command->is_given[XHPL_THRESHOLD])
        all.threshold = command->parameters.threshold;
    all.runs = command->runs > 0 ? (int)command->runs : 1;
    command->parameters = all;
    if (all.list[XHPL_P].count == all.list[XHPL_Q].count)
        return XH_OK;
    xh_log_error("P has %d values and Q has %d; allowed: equally many",
                 all.list[XHPL_P].count, all.list[XHPL_Q].count);
    return XH_ERR_INPUT;
}

/* Choose and report parameters that neither an option nor HPL.dat gives. */
static void choose(xhpl_command_t *command, int processes)
{
    xhpl_parameters_t *p = &command->parameters;
    bool has_grid = command->is_given[XHPL_P] || command->is_given[XHPL_Q];

    if (!has_grid) {
        p->list[XHPL_P].value[0] = xhpl_grid_rows(processes);
        p->list[XHPL_Q].value[0] = processes / xhpl_grid_rows(processes);
    }
    if (!command->quiet && (!has_grid || !command->is_given[XHPL_NB]))
        xh_log_info("%s not found: using NB = %d and %d x %d processes; xhpl "
                    "--plan finds better values",
                    default_dat, p->list[XHPL_NB].value[0],
                    p->list[XHPL_P].value[0], p->list[XHPL_Q].value[0]);
}

/* Read HPL.dat; without that file N is enough. */
static xh_status_t read_dat(xhpl_command_t *command, int processes)
{
    const char *dat = command->dat != NULL ? command->dat : default_dat;
    xhpl_parameters_t file = command->parameters;
    bool is_enough = command->is_given[XHPL_N] &&
                     command->is_given[XHPL_P] == command->is_given[XHPL_Q];
    bool is_read = command->dat != NULL || !is_enough || access(dat, F_OK) == 0;

    if (is_read)
        XH_TRY(xhpl_dat_read(dat, &file));
    XH_TRY(xhpl_options_complete(command, &file));
    if (!is_read)
        choose(command, processes);
    return XH_OK;
}

/* If NB is not below N, the matrix is one block, and one process has all of it.
 */
static void warn_of_wide_blocks(const xhpl_parameters_t *parameters)
{
    const xhpl_list_t *n = &parameters->list[XHPL_N];
    const xhpl_list_t *nb = &parameters->list[XHPL_NB];

    for (int i = 0; i < n->count; i++)
        for (int j = 0; j < nb->count; j++)
            if (n->value[i] > 0 && nb->value[j] > n->value[i]) {
                xh_log_warning("NB = %d is larger than N = %d: the matrix is "
                               "one panel, so one process computes all of it",
                               nb->value[j], n->value[i]);
                return;
            }
}

static xh_status_t check_grids(const xhpl_parameters_t *parameters,
                               int processes)
{
    int64_t largest = xhpl_parameters_processes(parameters);

    if (largest > processes) {
        xh_log_error("Need at least %" PRId64 " processes for these tests "
                     "(there are %d): start as many, or take a smaller grid: "
                     "-p 1 -q %d, or what xhpl --plan --write FILE chooses",
                     largest, processes, processes);
        return XH_ERR_INPUT;
    }
    warn_of_wide_blocks(parameters);
    for (int grid = 0; grid < parameters->list[XHPL_P].count; grid++) {
        int p = parameters->list[XHPL_P].value[grid];
        int q = parameters->list[XHPL_Q].value[grid];

        if (p * q < processes)
            xh_log_warning("the grid %d x %d leaves %d of %d processes idle", p,
                           q, processes - p * q, processes);
    }
    return XH_OK;
}

/* ---- the whole ----------------------------------------------------------- */

/* The settings file may be missing, unless --conf names it. */
static xh_status_t read_conf(const xhpl_command_t *command)
{
    const char *conf = command->conf != NULL ? command->conf : default_conf;
    bool exists = access(conf, F_OK) == 0;

    if (command->conf != NULL)
        XH_TRY(xh_settings_read_file(conf));
    else
        XH_TRY(xh_settings_read_default(conf));
    if (exists && command->ask == XHPL_ASK_RUN && !command->quiet)
        xh_log_info("settings come from %s", conf);
    return XH_OK;
}

/* Check that the options can be combined. */
static xh_status_t check_task(const xhpl_command_t *command)
{
    const xhpl_plan_options_t *limits = &command->plan_options;
    bool plans = command->ask == XHPL_ASK_PLAN;
    bool files = command->json != NULL || command->trace != NULL ||
                 command->iterations != NULL;
    const struct {
        bool is_there;
        const char *text;
    } wrong[] = {
        {!plans && limits->seconds > 0.0, "--time needs --plan"},
        {!plans && limits->memory_share + limits->memory_bytes > 0.0,
         "--memory needs --plan"},
        {!plans && limits->nodes > 0, "--nodes needs --plan"},
        {!plans && limits->ranks_per_node > 0, "--ranks-per-node needs --plan"},
        {!plans && command->write != NULL, "--write needs --plan"},
        {!plans && command->simulate, "--simulate needs --plan"},
        {plans && command->runs > 0, "--runs cannot be combined with --plan"},
        {plans && command->dat != NULL, "--dat cannot be combined with --plan"},
        {plans && command->is_given[XHPL_N], "-n: --plan chooses it"},
        {plans && command->is_given[XHPL_P], "-p: --plan chooses it"},
        {plans && command->is_given[XHPL_Q], "-q: --plan chooses it"},
        {files && command->ask > XHPL_ASK_TRUST,
         "--json, --trace and --iterations need a run: they cannot be combined "
         "with --plan or --predict"},
    };

    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        if (wrong[i].is_there) {
            xh_log_error("%s", wrong[i].text);
            return XH_ERR_INPUT;
        }
    return XH_OK;
}

/* The file to which the report goes; NULL: stderr. */
static const char *report_file(const xhpl_parameters_t *parameters)
{
    int device = xhpl_parameters_value(parameters, XHPL_DEVICE);

    if (device == XHPL_DEVICE_STDERR)
        return NULL;
    return device == XHPL_DEVICE_STDOUT ? "/dev/stdout" : parameters->output;
}

/* Check that no written file is named twice. report is NULL until HPL.dat,
 * which names it, has been read. */
static xh_status_t check_files(const xhpl_command_t *command,
                               const char *report)
{
    const char *dat = command->dat != NULL ? command->dat : default_dat;
    const xhpl_named_file_t files[] = {
        {"the input", command->ask != XHPL_ASK_PLAN ? dat : NULL, XHPL_READ},
        {"the settings", command->conf != NULL ? command->conf : default_conf,
         XHPL_READ},
        {"the report", report, XHPL_REPORT},
        {"--trace", command->trace, XHPL_WRITTEN},
        {"--iterations", command->iterations, XHPL_WRITTEN},
        {"--json", command->json, XHPL_WRITTEN},
        {"--write", command->write, XHPL_WRITTEN}};

    return xhpl_named_files_check(files, sizeof(files) / sizeof(files[0]));
}

static bool is(const char *setting, const char *value)
{
    return strcmp(xh_settings_text(setting), value) == 0;
}

/* Checkpoints are possible for one test with the hybrid solver. */
static xh_status_t check_checkpoints(const xhpl_parameters_t *parameters)
{
    int64_t tests = xhpl_test_count(parameters);

    if (is("checkpoint", "") && is("restart", ""))
        return XH_OK;
    if (tests > 1)
        xh_log_error(
            "--checkpoint and --restart need exactly one test, not %" PRId64,
            tests);
    else if (!is("solver", "hybrid"))
        xh_log_error("--checkpoint and --restart need solver=hybrid");
    else
        return XH_OK;
    return XH_ERR_INPUT;
}

/* Read settings and parameters; returns whether the task can be done. */
static bool read_task(xhpl_command_t *command, int processes)
{
    xhpl_plan_options_t *limits = &command->plan_options;

    if (limits->memory_share + limits->memory_bytes == 0.0)
        limits->memory_share = usual_share;
    if (read_conf(command) != XH_OK)
        return false;
    if (command->ask == XHPL_ASK_PLAN)
        return true;
    if (read_dat(command, processes) != XH_OK)
        return false;
    if (check_files(command, report_file(&command->parameters)) != XH_OK) {
        command->json = NULL; /* it may be the report's file */
        return false;
    }
    return command->ask == XHPL_ASK_PREDICT || /* it runs no test */
           (check_checkpoints(&command->parameters) == XH_OK &&
            check_grids(&command->parameters, processes) == XH_OK);
}

/* Do a task other than a run; returns whether it succeeded. */
static bool answer(const xhpl_command_t *command)
{
    if (command->ask == XHPL_ASK_HELP)
        xhpl_help_print(command->topic, plain_options, PLAIN_OPTIONS, stdout);
    else if (command->ask == XHPL_ASK_VERSION)
        printf("xhpl %s\n", XH_VERSION);
    else if (read_conf(command) == XH_OK)
        xhpl_help_print_values(stdout);
    else
        return false;
    return true;
}

void xhpl_command_read(int argc, char **argv, int processes,
                       xhpl_command_t *command_p)
{
    bool loaded = xh_settings_load() == XH_OK, done = false;
    bool is_read = xhpl_options_parse(argc, argv, command_p) == XH_OK && loaded;
    bool asks = is_read && command_p->ask > XHPL_ASK_PREDICT;

    if (asks)
        done = answer(command_p);
    if (is_read && !asks && xhpl_launcher_check(processes) == XH_OK &&
        check_task(command_p) == XH_OK && check_files(command_p, NULL) == XH_OK)
        done = command_p->run = read_task(command_p, processes);
    else
        command_p->json = NULL; /* only runs have a record */
    command_p->exit_status = done ? XH_EXIT_PASSED : XH_EXIT_INPUT;
}
