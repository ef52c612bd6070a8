/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

typedef struct {
    char text[256];
} xh_rivals_t;

/*
 * Find the programs that currently use the machine's processors most, except
 * those of this program's name and user; each is given with its busiest process
 * and its user: "cc1plus PID 41 of eva, sh PID 7 of root"; "" if none uses a
 * tenth of a core, or the system does not show them. Control characters are
 * '?'.
 *
 * Cost: 0.2 s
 */
xh_rivals_t xh_rivals_now(void);
