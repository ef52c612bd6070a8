/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_ORDER_H
#define XHPL_ORDER_H

#include <stdbool.h>
#include "testing/ptest/request.h"
#include "testing/ptest/parameters.h"

enum { XHPL_FILE_SIZE = 4096 }; /* of a file's name, with its 0 byte */

typedef enum {
    XHPL_TASK_TESTS,
    XHPL_TASK_PLAN,   /* say what to run */
    XHPL_TASK_PREDICT /* say how long the tests take */
} xhpl_task_t;

/* what the user wants of the program; flat, so that a broadcast carries it */
typedef struct {
    bool run;        /* false: nothing is left to do */
    int exit_status; /* then the program's */
    xhpl_task_t task;
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
 * Read settings, command line and HPL.dat into an order, answer --help and
 * --version, and say what is wrong. processes: how many the run has.
 * Order: on one process.
 */
void xhpl_order_read(int argc, char **argv, int processes,
                     xhpl_order_t *order_p);

#endif
