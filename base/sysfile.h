/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The small text files in which the system describes itself, below /proc and
 * /sys. If a file is missing or has other contents, a function returns false
 * and leaves its output unchanged; that is not an error.
 *
 * folder  in  "/proc/self", or a folder with a copy of another machine's
 * file    in  name below the folder
 */
enum { XH_SYSFILE_PATH = 4096 }; /* bytes of a path, its end included */

/* Read the first line, without its end, cut to size - 1 characters. */
bool xh_sysfile_line(const char *folder, const char *file, char *line_p,
                     size_t size);

/* Read the number at the start of the file; false for "max" and negative
 * numbers. */
bool xh_sysfile_number(const char *folder, const char *file, int64_t *number_p);

/*
 * Read the value of the line that begins with `key`, without separating blanks,
 * colons and tabs: "24355012 kB" for key "MemAvailable", cut to size - 1
 * characters.
 */
bool xh_sysfile_value(const char *folder, const char *file, const char *key,
                      char *value_p, size_t size);

/*
 * Write "folder/file" into path_p, of XH_SYSFILE_PATH bytes. Returns false,
 * with an empty text, if it is longer.
 */
bool xh_sysfile_path(const char *folder, const char *file, char *path_p);
