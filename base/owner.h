/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_OWNER_H
#define XH_OWNER_H

#include <stdbool.h>
#include <stdio.h>

enum { XH_OWNER_WHY = 160 }; /* bytes of the longest reason, with its end */

/*
 * May nobody but this user and root have written an open file? Whoever may
 * write the program is trusted as well, if a program is given: what belongs to
 * it is installed by the same user, and for the same group.
 *
 * program  in   NULL: none
 * why_p    out  XH_OWNER_WHY bytes: who may; set on failure only
 */
bool xh_owner_is_trusted(int fd, const char *program, char *why_p);

#endif
