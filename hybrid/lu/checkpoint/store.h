/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_STORE_H
#define HYB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The files of one process in a folder, named after its place in the grid:
 *
 *   xhpl-r0-c1.120          the checkpoint of iteration 120, whole
 *   xhpl-r0-c1.part         one that is being written
 *   xhpl-r0-c1.alive        when its process was last seen
 *   xhpl-r0-c1.done         the results are written: the others may go
 *
 * The folder is opened once, and checked; all names are relative to what was
 * opened, whatever its path leads to by now.
 */
enum { HYB_STORE_PATH = 4096, HYB_STORE_SUFFIX = 16, HYB_STORE_WHY = 200 };

typedef struct {
    const char *folder; /* outlives the store */
    int fd;
    int row, column; /* of the process */
} hyb_store_t;

/*
 * Open the folder, which exists. Only this user and root may be able to write
 * it.
 *
 * why_p  out  HYB_STORE_WHY bytes: why it cannot be used; set on failure
 */
bool hyb_store_begin(const char *folder, int row, int column,
                     hyb_store_t *store_p, char *why_p);
void hyb_store_end(hyb_store_t *store);

/* Are these the same folder? */
bool hyb_store_is_same(const hyb_store_t *a, const hyb_store_t *b);

/* For messages: HYB_STORE_PATH bytes. */
void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path_p);

/* The suffix of a checkpoint: HYB_STORE_SUFFIX bytes. */
void hyb_store_suffix(int first, char *suffix_p);

/*
 * A regular file of this user, and no link; O_TRUNC makes a new one. Returns
 * below 0 on failure: errno, EPERM: it is another kind of file.
 */
int hyb_store_open(const hyb_store_t *store, const char *suffix, int flags);
bool hyb_store_exists(const hyb_store_t *store, const char *suffix);
void hyb_store_unlink(const hyb_store_t *store, const char *suffix);

/* Rename, and have the names on the disk. False: errno */
bool hyb_store_rename(const hyb_store_t *store, const char *from,
                      const char *to);
bool hyb_store_sync(const hyb_store_t *store);

/* The newest checkpoint of this process before iteration `before`; 0: none. */
int hyb_store_newest(const hyb_store_t *store, int before);

/* Does the folder hold a checkpoint of any process? */
bool hyb_store_is_used(const hyb_store_t *store);

/* Remove what is unfinished, and all checkpoints of this process but `first`. */
void hyb_store_keep(const hyb_store_t *store, int first);

/* Write all bytes at offset. False: errno */
bool hyb_store_write(int file, const void *data, size_t bytes, int64_t offset);

/* Read all bytes from offset on; false: there are fewer. */
bool hyb_store_read(int file, void *data, size_t bytes, int64_t offset);

#endif
