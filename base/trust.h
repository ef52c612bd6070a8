/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_TRUST_H
#define XH_TRUST_H

#include <stdbool.h>
#include <stdio.h>

enum { XH_TRUST_WHY = 160 }; /* bytes of the longest reason, with its end */

/*
 * May nobody but this user and root have written an open file? Whoever may
 * write the program is trusted as well, if a program is given: what belongs to
 * it is installed by the same user, and for the same group.
 *
 * program  in   NULL: none
 * why_p    out  XH_TRUST_WHY bytes: who may; set on failure only
 */
bool xh_trust_file(int fd, const char *program, char *why_p);

#endif
