/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The small text files in which the system describes itself, below /proc and
 * /sys. If a file is missing or has other contents, a function returns false
 * and leaves its output alone; that is not an error.
 *
 * folder  in  "/proc/self", or such a folder of another machine's copy
 * file    in  name below the folder
 */
enum { XH_SYSFILE_PATH = 4096 }; /* bytes of the longest path, with its end */

/* The first line, without its end, cut to size - 1 characters. */
bool xh_sysfile_line(const char *folder, const char *file, char *line_p,
                     size_t size);

/* The number that the file begins with; "max" and below 0 give false. */
bool xh_sysfile_number(const char *folder, const char *file, int64_t *number_p);

/*
 * What follows key at the start of a line, without separating blanks, colons
 * and tabs: "24355012 kB" of key "MemAvailable", cut to size - 1 characters.
 */
bool xh_sysfile_value(const char *folder, const char *file, const char *key,
                      char *value_p, size_t size);

/*
 * "folder/file" into path_p, of XH_SYSFILE_PATH bytes. False if it is longer;
 * path_p is then an empty text.
 */
bool xh_sysfile_path(const char *folder, const char *file, char *path_p);
