/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_OPTIONS_H
#define XHPL_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"
#include "testing/ptest/request.h"
#include "testing/ptest/parameters.h"

/* what the user asks for */
typedef enum {
    XHPL_ASK_RUN,
    XHPL_ASK_PLAN,    /* what to run */
    XHPL_ASK_PREDICT, /* how long a run takes */
    XHPL_ASK_CONFIG,  /* the settings */
    XHPL_ASK_HELP,
    XHPL_ASK_VERSION
} xhpl_ask_t;

/* the command line; texts point into argv, NULL: not given */
typedef struct {
    xhpl_ask_t ask;
    const char *dat, *conf, *trace, *iterations, *json; /* files */
    const char *write;                                  /* of --plan */
    xhpl_request_words_t wanted;                        /* of --plan */
    bool quiet;
    bool upstream_exit;
    bool given[XHPL_QUANTITIES]; /* which values the user gave */
    xhpl_parameters_t values;    /* the others are defaults */
} xhpl_options_t;

/*
 * Read the command line. --set is applied to the settings at once.
 *
 * argv       in,out  reordered as getopt does
 * options_p  out
 *
 * Errors: XH_ERR_INPUT  an unknown option or value: reported with the nearest
 *                       valid one
 */
xh_status_t xhpl_options_parse(int argc, char **argv,
                               xhpl_options_t *options_p);

/*
 * Override parameters by the values that the options give.
 * Errors: XH_ERR_INPUT  the lists of P and Q differ in length: reported
 */
xh_status_t xhpl_options_override(const xhpl_options_t *options,
                                  xhpl_parameters_t *parameters);

/* True if the options alone describe a run: n, nb, p and q are given. */
bool xhpl_options_complete(const xhpl_options_t *options);

/* The answers to --help and --version. */
void xhpl_options_print_help(FILE *out);
void xhpl_options_print_version(FILE *out);

#endif
