/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

typedef struct {
    char text[256];
} xh_rivals_t;

/*
 * The programs that use most of this machine's processors right now, other than
 * those of this one's name and user, each with its busiest process and that
 * one's user: "cc1plus PID 41 of eva, sh PID 7 of root"; "" if none uses a
 * tenth of a core, or the system does not show them. Control characters are
 * '?'.
 *
 * Cost: 0.2 s
 */
xh_rivals_t xh_rivals_now(void);
