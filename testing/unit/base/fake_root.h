/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A folder that stands for the root of another machine's file system, with
 * only the files that a test writes. One at a time.
 */

/* Make an empty one; returns its path, valid until the next create. */
const char *fake_root_create(void);

/* Write text to the file path below it, making folders. */
void fake_root_write(const char *path, const char *text);

/* Remove it with all that is in it. */
void fake_root_destroy(void);

/* The same as set-up and tear-down of a case; its path. */
extern const char *const fake_root;
int fake_root_open(void **state);
int fake_root_close(void **state);
