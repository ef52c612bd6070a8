/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_ORDER_H
#define XHPL_ORDER_H

#include <stdbool.h>
#include "testing/ptest/options.h"

enum { XHPL_FILE_SIZE = 4096 }; /* of a file's name, with its 0 byte */

/* what the user wants; no pointers, so that it can be broadcast */
typedef struct {
    bool run;        /* false: the program ends ... */
    int exit_status; /* ... with this status */
    xhpl_ask_t ask;  /* a run, a plan or a prediction */
    bool quiet;
    bool upstream_exit;
    char trace[XHPL_FILE_SIZE]; /* file of --trace, "" for none */
    char iterations[XHPL_FILE_SIZE];
    char json[XHPL_FILE_SIZE];
    char write[XHPL_FILE_SIZE];
    xhpl_request_t wanted;       /* of a plan */
    bool given[XHPL_QUANTITIES]; /* which parameters options gave */
    xhpl_parameters_t parameters;
} xhpl_order_t;

/*
 * Read settings, command line and HPL.dat into an order for a run of
 * `processes`, answer --help and --version, and report errors.
 * Order: on one process.
 */
void xhpl_order_read(int argc, char **argv, int processes,
                     xhpl_order_t *order_p);

#endif
