/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_RIVALS_H
#define XH_RIVALS_H

typedef struct {
    char text[96];
} xh_rivals_t;

/*
 * The programs that use most of this machine's processors right now, other than
 * this one: "cc1plus, sh"; "" if none uses a tenth of a core, or the system
 * does not show them. Control characters are '?'.
 *
 * Cost: 0.2 s
 */
xh_rivals_t xh_rivals_now(void);

#endif
