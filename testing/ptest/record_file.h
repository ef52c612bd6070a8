/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_FILE_H
#define XHPL_RECORD_FILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/status.h"
#include "testing/ptest/order.h"

/*
 * The file that holds a record. It is written again and again, and a kill at
 * any time leaves one of the texts as a whole: the next one is written beside
 * it and takes its name. What a symbolic link leads to, and a file in a folder
 * where no other can be made, is written in place; so is what is no file, a
 * pipe or a device, which gets one text.
 */
typedef struct {
    char name[XHPL_FILE_SIZE];
    FILE *in_place; /* NULL: it is replaced */
    bool once;      /* it takes one text */
    mode_t mode;    /* of the file */
} xhpl_record_file_t;

/*
 * A file that exists stays as it is until it is written.
 * Errors: XH_ERR_INPUT  it cannot be written: said
 */
xh_status_t xhpl_record_file_open(const char *name, xhpl_record_file_t *file_p);

/* root, in place of what the file held; false, and errno: it is not complete */
bool xhpl_record_file_write(xhpl_record_file_t *file, const json_t *root);

/* false, and errno: what was written is not complete */
bool xhpl_record_file_close(xhpl_record_file_t *file);

#endif
