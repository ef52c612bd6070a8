/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "testing/ptest/help.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/plan_options.h"

enum { XHPL_FILE_SIZE = 4096 }; /* bytes of a file name, its 0 byte included */

typedef enum {
    XHPL_ASK_RUN,
    XHPL_ASK_TRUST,   /* check this machine, and end before the tests */
    XHPL_ASK_PLAN,    /* plan what to run */
    XHPL_ASK_PREDICT, /* predict how long a run takes */
    XHPL_ASK_CONFIG,  /* print the settings */
    XHPL_ASK_HELP,
    XHPL_ASK_VERSION
} xhpl_ask_t;

/*
 * What the user wants. Process 0 reads it and broadcasts it unchanged: the
 * other processes may compare names of files with NULL (none), but not read
 * them.
 */
typedef struct {
    bool run;        /* false: the program ends */
    int exit_status; /* of a program that ends */
    xhpl_ask_t ask;
    xhpl_topic_t topic; /* of --help */
    bool quiet;
    bool upstream_exit;
    bool force; /* written files may replace any file */
    const char *dat, *conf, *trace, *iterations, *json;
    const char *write; /* file for the choice of --plan */
    bool simulate;     /* simulate the best choice of a plan */
    int64_t runs;      /* runs of each test; 0: not given, so one */
    xhpl_plan_options_t plan_options; /* limits of a plan */
    bool is_given[XHPL_QUANTITIES];   /* by quantity: did an option give it? */
    xhpl_parameters_t parameters;
} xhpl_command_t;

/*
 * Read settings, command line and HPL.dat into a command for a run of
 * `processes`, answer --help and --version, and report errors.
 *
 * argv  in  must outlive the command
 *
 * Order: on one process.
 */
void xhpl_command_read(int argc, char **argv, int processes,
                       xhpl_command_t *command_p);

/* ---- its parts ----------------------------------------------------------- */

/*
 * Read the command line; parameters that it does not give get defaults. --set
 * is applied to the settings at once.
 *
 * Errors: XH_ERR_INPUT  an unknown option or value: reported with the nearest
 *                       valid one
 */
xh_status_t xhpl_options_parse(int argc, char **argv,
                               xhpl_command_t *command_p);

/*
 * Take from file the parameters that no option gave.
 * Errors: XH_ERR_INPUT  the lists of P and Q differ in length: reported
 */
xh_status_t xhpl_options_complete(xhpl_command_t *command,
                                  const xhpl_parameters_t *file);
