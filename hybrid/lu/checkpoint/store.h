/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The files of one process in a folder, named after its place in the grid. The
 * folder is opened once, and checked; all names are relative to what was
 * opened, whatever its path leads to by now.
 *
 * A checkpoint is told by its iteration, above 0; the other files are
 */
enum {
    HYB_STORE_PART = 0,   /* one that is being written */
    HYB_STORE_ALIVE = -1, /* when the process was last seen */
    HYB_STORE_DONE = -2   /* the results are written: the others may go */
};

typedef struct {
    const char *folder; /* outlives the store */
    int fd;
    int row, column; /* of the process */
} hyb_store_t;

/* The folders of --restart and --checkpoint: open from before the factorization
 * until its results are kept. */
extern hyb_store_t hyb_store_restart, hyb_store_checkpoint;

enum { HYB_STORE_TEXT = 200 }; /* bytes of a reason, or of a path in messages */

/*
 * Open the folder, which exists. Only this user and root may be able to write
 * it. False: why_p says why it cannot be used.
 */
bool hyb_store_begin(const char *folder, int row, int column,
                     hyb_store_t *store_p, char *why_p);
void hyb_store_end(hyb_store_t *store); /* if it is open */

/* Are these the same folder? */
bool hyb_store_is_same(const hyb_store_t *a, const hyb_store_t *b);

/* For messages. */
void hyb_store_path(const hyb_store_t *store, int file, char *path_p);

/*
 * A regular file of this user, and no link; O_TRUNC makes a new one. Returns
 * below 0 on failure: errno, EPERM: it is another kind of file.
 */
int hyb_store_open(const hyb_store_t *store, int file, int flags);
bool hyb_store_exists(const hyb_store_t *store, int file);
void hyb_store_unlink(const hyb_store_t *store, int file);

/* PART becomes the checkpoint of iteration first, on the disk. False: errno */
bool hyb_store_name(const hyb_store_t *store, int first);

/* The newest checkpoint of this process, or of any, before an iteration; 0:
 * there is none. */
int hyb_store_newest(const hyb_store_t *store, int before);
int hyb_store_newest_of_any(const hyb_store_t *store, int before);

/* Remove what is unfinished, and all checkpoints of this process but `first`.
 */
void hyb_store_keep(const hyb_store_t *store, int first);

/* Write or read all bytes at offset. False: errno, or there are fewer */
bool hyb_store_write(int fd, const void *data, size_t bytes, int64_t offset);
bool hyb_store_read(int fd, void *data, size_t bytes, int64_t offset);
