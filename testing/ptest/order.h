/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_ORDER_H
#define XHPL_ORDER_H

#include <stdbool.h>
#include "testing/ptest/parameters.h"

/* what the user wants of the program; flat, so that a broadcast carries it */
typedef struct {
    bool run;        /* false: nothing is left to do */
    int exit_status; /* then the program's */
    bool quiet;
    bool upstream_exit;
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
