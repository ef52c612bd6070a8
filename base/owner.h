/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include "base/status.h"

enum { XH_OWNER_WHY = 160 }; /* bytes of the longest reason, its end included */

/*
 * Can only this user and root have written an open file or folder? If a program
 * is given, users who may write to it are trusted, too, because the same user
 * and group install what belongs to it. So is a group with the user's name,
 * which many systems create for each user.
 *
 * program  in   NULL: none
 * why_p    out  XH_OWNER_WHY bytes: who else can; set on failure only
 */
bool xh_owner_is_trusted(int fd, const char *program, char *why_p);

/*
 * Open for reading a regular file that passes this check, as does the link if
 * path is one. Whatever is read without being named by the user, or decides
 * which code runs, is opened here. Never waits, as a pipe would.
 *
 * why_p  out  XH_OWNER_WHY bytes: why it is refused; set on XH_ERR_INPUT only
 *
 * Errors: XH_ERR_IO     there is no such file, or it cannot be read: errno
 *         XH_ERR_INPUT  it is refused; not logged
 */
xh_status_t xh_trusted_open(const char *path, const char *program,
                            FILE **file_p, char *why_p);
