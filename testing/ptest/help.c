/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/help.h"

#include <stdbool.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "testing/ptest/parameters.h"

static const char everyday_options[] =
    " n nb p q dat json set progress quiet plan time memory write force "
    "trust predict help version ";
static const char everyday_settings[] =
    " threads bind devices home kernel predict watchdog ";

static bool is_in(const char *list, const char *name)
{
    char word[64];

    snprintf(word, sizeof(word), " %s ", name);
    return strstr(list, word) != NULL;
}

/* ---- topics -------------------------------------------------------------- */

xh_status_t xhpl_help_topic(const char *name, xhpl_topic_t *topic_p)
{
    static const char *const names[] = {"all", "devices", "testing"};
    int nearest = 0;

    if (name != NULL)
        nearest = xh_text_nearest(name, names, 3);
    if (name != NULL && strcmp(name, names[nearest]) != 0) {
        bool is_near = xh_text_is_near(name, names[nearest]);

        xh_log_error("--help: '%.80s' is no topic; allowed is all, devices, "
                     "testing%s%s",
                     name, is_near ? "; the nearest is " : "",
                     is_near ? names[nearest] : "");
        return XH_ERR_INPUT;
    }
    *topic_p = name == NULL ? XHPL_HELP_EVERYDAY
                            : (xhpl_topic_t)(XHPL_HELP_ALL + nearest);
    return XH_OK;
}

static bool is_of_tests(const xh_setting_t *row)
{
    return strcmp(row->folder, "hybrid/device/emu") == 0 ||
           strcmp(row->name, "message_chunk") == 0;
}

static bool is_of_runs(const xh_setting_t *row)
{
    return !is_of_tests(row);
}

static bool is_of_devices(const xh_setting_t *row)
{
    return (strncmp(row->folder, "hybrid/device", 13) == 0 &&
            !is_of_tests(row)) ||
           strcmp(row->name, "home") == 0 || strcmp(row->name, "panel") == 0;
}

/* ---- the frame of the text ----------------------------------------------- */

static void print_usage(FILE *out)
{
    fprintf(
        out,
        "Usage: xhpl [OPTION]..., on several nodes mpirun -n PROCESSES xhpl "
        "[OPTION]...\n"
        "Solve random systems of linear equations and report the rate: the "
        "benchmark HPL.\nHPL.dat in this folder says what to run. An option "
        "such as --nb 256 takes the\nplace of its line; with -n no file is "
        "needed.\n\n"
        "Type these three commands in this order:\n"
        "  xhpl --plan --time 10m --write my.dat               choose N, NB "
        "and the grid\n"
        "  xhpl --dat my.dat --set predict=on --json run.json  run, and "
        "predict the rate\n"
        "  hpl-report run.json                                 report.html: "
        "is it good?\n"
        "If a plan is WORTHLESS, the machine was busy: plan again once it is "
        "idle.\n"
        "For eight nodes, one process on each, put this before the first two "
        "commands:\n"
        "  mpirun -np 8 --map-by ppr:1:node --bind-to none\n"
        "(outside a batch job, add --hostfile FILE with one node per line); "
        "with Slurm:\n"
        "  srun -N 8 --ntasks-per-node=1 --cpu-bind=none --mpi=pmix\n\n");
}

static void print_endings(FILE *out)
{
    fprintf(out, "\nExit status: 0 all tests passed. 1 a residual or the "
                 "online check failed. 2 bad\ninput, not enough memory, a "
                 "skipped test, or a worthless plan (busy cores). 3\nthe run "
                 "failed, or the self-test found wrong results.\n"
                 "More: --help all; docs/QUICKSTART.md; hpl-report is beside "
                 "xhpl or in scripts/.\n");
}

/* ---- every day: a line each ---------------------------------------------- */

static void print_line(const char *name, const char *argument, const char *help,
                       FILE *out)
{
    char option[64];

    if (name == NULL || !is_in(everyday_options, name))
        return;
    snprintf(option, sizeof(option), "%s%s %s", xh_command_line_dashes(name),
             name, argument != NULL ? argument : "");
    fprintf(out, "  %-17s %s\n", option, help);
}

static void print_everyday(const xh_option_t *rows, int count, FILE *out)
{
    fprintf(out, "Options; a LIST is one value, or several separated by "
                 "commas:\n");
    for (int q = 0; q < XHPL_QUANTITIES; q++)
        print_line(xhpl_quantity(q)->option, "LIST", xhpl_quantity(q)->what,
                   out);
    for (int i = 0; i < count; i++)
        print_line(rows[i].name, rows[i].argument, rows[i].help, out);
    fprintf(
        out,
        "\nSettings, with their defaults; change one with --set NAME=VALUE:\n");
    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        if (is_in(everyday_settings, row->name))
            fprintf(out, "  %s=%-*s %s\n", row->name,
                    (int)(12 - strlen(row->name)), row->initial, row->help);
    }
}

/* ---- all: what is allowed, too ------------------------------------------- */

static void print_quantities(FILE *out)
{
    fprintf(
        out,
        "What to run. A LIST is one value, or several separated by commas:\n");
    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        const xhpl_quantity_row_t *row = xhpl_quantity(q);
        char allowed[256];

        if (row->option == NULL)
            continue;
        xhpl_quantity_allowed(row, allowed, sizeof(allowed));
        fprintf(out, "  %s%s %s\n      %s: %s\n",
                xh_command_line_dashes(row->option), row->option,
                row->count_line == 0 ? "VALUE" : "LIST", row->what, allowed);
    }
}

static bool is_set(const xh_setting_t *row)
{
    return is_of_runs(row) || xh_settings_changed(row->name);
}

void xhpl_help_print_values(FILE *out)
{
    xh_settings_print_values(is_set, out);
}

void xhpl_help_print(xhpl_topic_t topic, const xh_option_t *rows, int count,
                     FILE *out)
{
    static bool (*const wanted[])(const xh_setting_t *) = {
        [XHPL_HELP_ALL] = is_of_runs,
        [XHPL_HELP_DEVICES] = is_of_devices,
        [XHPL_HELP_TESTING] = is_of_tests};

    bool is_whole = topic == XHPL_HELP_EVERYDAY || topic == XHPL_HELP_ALL;

    if (is_whole)
        print_usage(out);
    if (topic == XHPL_HELP_EVERYDAY) {
        print_everyday(rows, count, out);
    } else {
        if (topic == XHPL_HELP_ALL) {
            print_quantities(out);
            fprintf(out, "\nHow to run:\n");
            xh_command_line_print_help(rows, count, out);
            fputc('\n', out);
        }
        fprintf(out, "Settings, for --set, as a variable XHPL_NAME of the "
                     "environment,\nor as a line NAME = VALUE of xhpl.conf; "
                     "the first of these wins:\n");
        xh_settings_print_help(wanted[topic], out);
    }
    if (is_whole)
        print_endings(out);
}
