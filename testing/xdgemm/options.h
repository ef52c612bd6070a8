/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "base/view.h"

/* what the user asks for */
typedef enum {
    XDG_ASK_RATES,
    XDG_ASK_TORTURE,
    XDG_ASK_DEVICES,    /* list the devices */
    XDG_ASK_PROBE,      /* rates of devices and links alone */
    XDG_ASK_OPERATIONS, /* operations of devices alone, checked */
    XDG_ASK_TUNE,
    XDG_ASK_HELP,
    XDG_ASK_VERSION
} xdg_ask_t;

/* the command line; texts point into argv; NULL: not given */
typedef struct {
    xdg_ask_t ask;
    xh_gemm_t product; /* without data */
    int64_t m, n, k;   /* k with --tune: 0 means all depths */
    bool transa, transb;
    int64_t threads; /* of the team; 0: the node chooses */
    int64_t repeat;  /* 0 with torture */
    double torture;  /* seconds */
    double tune;     /* seconds */
    bool verify;
    bool quiet;
    const char *json, *map;
    bool force; /* json and map may replace any file */
} xdg_options_t;

/*
 * Read the command line; settings are assigned at once. Missing options get
 * their defaults, so that the product is complete.
 *
 * Errors: XH_ERR_INPUT  an unknown option or value: reported with the nearest
 *                       valid one
 */
xh_status_t xdg_options_parse(int argc, char **argv, xdg_options_t *options_p);

/* Print the answer to --help. */
void xdg_options_print_help(FILE *out);
