/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/status.h"

/*
 * A file that an option names, and that a run writes. The text is written to a
 * new file beside it, which is then renamed, so that a reader always finds a
 * complete text, old or new. A device, a pipe, and a file in a folder that
 * accepts no new file are written in place.
 *
 *     open  (begin  write  end)...  close
 *
 * open leaves no file behind. Order: one thread at a time.
 */
typedef struct {
    char *name;     /* after resolving links */
    char *fresh;    /* name of the new file between begin and end */
    FILE *in_place; /* NULL: the file is replaced */
    mode_t mode;    /* permissions of a new file */
    bool exists;    /* a non-empty file existed at open */
    bool once;      /* a pipe or device, which takes one text */
} xh_output_t;

/*
 * May the file be written? An existing one stays as it is until end.
 *
 * option  in  who names it, for messages: "--json"
 * mark    in  what each file of this option has among its first 4 KiB; NULL:
 *             any file may be replaced
 *
 * Errors: XH_ERR_INPUT  there is a file without the mark, of another user, or
 *                       behind another user's link; or it cannot be written:
 *                       reported
 *         XH_ERR_MEMORY
 */
xh_status_t xh_output_open(const char *option, const char *name,
                           const char *mark, xh_output_t *output_p);

/*
 * The same file, opened to be written while others read it, as a report is;
 * what it had is gone. Arguments and errors as above.
 */
xh_status_t xh_output_stream(const char *option, const char *name,
                             const char *mark, FILE **out_p);

/* Begin a new text. Returns NULL and sets errno if there is no file. */
FILE *xh_output_begin(xh_output_t *output);

/*
 * Put the new text in place; false and errno: the file is as before begin, or
 * incomplete if it is written in place.
 *
 * out       in  what begin returned; NULL: fails with begin's errno
 * is_whole  in  false: drop the text, with the caller's errno
 */
bool xh_output_end(xh_output_t *output, FILE *out, bool is_whole);

/* Free output, which may be all zero. Returns false and sets errno if a text
 * written in place is incomplete. */
bool xh_output_close(xh_output_t *output);
