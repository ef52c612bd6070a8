/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "base/view.h"

/* The tasks that a user can request. */
typedef enum {
    XDG_ASK_RATES,
    XDG_ASK_TORTURE,
    XDG_ASK_DEVICES,    /* list the devices */
    XDG_ASK_PROBE,      /* measure only rates of devices and links */
    XDG_ASK_OPERATIONS, /* measure and check only operations of devices */
    XDG_ASK_TUNE,
    XDG_ASK_HELP,
    XDG_ASK_VERSION
} xdg_ask_t;

/* The command line. Texts point into argv; NULL: not given. */
typedef struct {
    xdg_ask_t ask;
    xh_gemm_t product; /* without data */
    int64_t m, n, k;   /* k with --tune: 0 means all depths */
    bool transa, transb;
    int64_t threads; /* size of the team; 0: chosen by the node */
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
