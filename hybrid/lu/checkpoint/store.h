/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The files of one process in a folder, named after the process's place in the
 * grid. The folder is opened once, and checked; all names are relative to the
 * opened folder, even if its path leads elsewhere later.
 *
 * A file is named by the iteration of its checkpoint (> 0), or by
 */
enum {
    HYB_STORE_PART = 0,   /* a checkpoint that is being written */
    HYB_STORE_ALIVE = -1, /* the process's last sign of life */
    HYB_STORE_DONE = -2   /* mark: the run's results are saved */
};

typedef struct {
    const char *folder; /* must outlive the store */
    int fd;
    int row, column; /* place of the process in the grid */
} hyb_store_t;

/* The folders of --restart and --checkpoint. They stay open from before the
 * factorization until its results are saved. */
extern hyb_store_t hyb_store_restart, hyb_store_checkpoint;

enum { HYB_STORE_TEXT = 200 }; /* bytes of a reason, or of a path in messages */

/*
 * Open an existing folder. Only this user and root may have write permission.
 * Returns false if the folder cannot be used; why_p then says why.
 */
bool hyb_store_begin(const char *folder, int row, int column,
                     hyb_store_t *store_p, char *why_p);

/* Close the folder if it is open. */
void hyb_store_end(hyb_store_t *store);
/* Are `a` and `b` the same folder? */
bool hyb_store_is_same(const hyb_store_t *a, const hyb_store_t *b);

/* Set path_p to the path of a file, for messages. */
void hyb_store_path(const hyb_store_t *store, int file, char *path_p);

/*
 * Open a file, which must be a regular file of this user or root without other
 * links; O_TRUNC creates a new file. Returns a descriptor, or < 0 on failure:
 * errno says why, and EPERM means another kind of file.
 */
int hyb_store_open(const hyb_store_t *store, int file, int flags);
bool hyb_store_exists(const hyb_store_t *store, int file);
void hyb_store_unlink(const hyb_store_t *store, int file);

/* Rename PART to the checkpoint of iteration `first`, on the disk. Returns
 * false on failure: errno. */
bool hyb_store_name(const hyb_store_t *store, int first);

/* Return the newest checkpoint before iteration `before` of any process; 0:
 * there is none. */
int hyb_store_newest_of_any(const hyb_store_t *store, int before);

/* Remove the unfinished checkpoint, and all checkpoints of this process except
 * that of iteration `first`. */
void hyb_store_keep(const hyb_store_t *store, int first);

/* Write or read all bytes at `offset`. Returns false on failure: errno says
 * why, or the file has fewer bytes. */
bool hyb_store_write(int fd, const void *data, size_t bytes, int64_t offset);
bool hyb_store_read(int fd, void *data, size_t bytes, int64_t offset);
