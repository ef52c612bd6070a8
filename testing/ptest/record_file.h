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
 * The file of a record, which is written again and again. A new text is written
 * to another file, which then takes the name: a run that is killed leaves a
 * complete text. The file is written in place if it is a symbolic link or if
 * its folder takes no other file, and so is a pipe or a device, which gets only
 * one text.
 */
typedef struct {
    char name[XHPL_FILE_SIZE];
    FILE *in_place; /* NULL: the file is replaced */
    bool once;      /* only one text is written */
    mode_t mode;    /* permissions */
} xhpl_record_file_t;

/*
 * An existing file stays unchanged until it is written.
 * Errors: XH_ERR_INPUT  it cannot be written: reported
 */
xh_status_t xhpl_record_file_open(const char *name, xhpl_record_file_t *file_p);

/* Replace the contents by root; false and errno: the file is incomplete. */
bool xhpl_record_file_write(xhpl_record_file_t *file, const json_t *root);

/* false and errno: what was written is incomplete */
bool xhpl_record_file_close(xhpl_record_file_t *file);

#endif
