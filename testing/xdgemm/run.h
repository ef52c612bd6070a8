/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_RUN_H
#define XDG_RUN_H

#include "testing/xdgemm/options.h"

/*
 * Do what options, which ask for rates, torture or a probe, describe; report
 * on stdout and into the files they name.
 * Returns the exit status.
 */
int xdg_run(const xdg_options_t *options);

/* The exit status that status stands for; XH_EXIT_PASSED for XH_OK. */
int xdg_exit_status(xh_status_t status);

#endif
