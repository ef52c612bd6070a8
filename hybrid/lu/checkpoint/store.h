/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_STORE_H
#define HYB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The files of one process in a folder, named after its place in the grid:
 *
 *   xhpl-r0-c1.final        rows of U, see format.h
 *   xhpl-r0-c1.120          the checkpoint of iteration 120, whole
 *   xhpl-r0-c1.part         one that is being written
 *   xhpl-r0-c1.alive        when its process was last seen
 */
enum { HYB_STORE_PATH = 4096, HYB_STORE_MOST = 4 };

typedef struct {
    const char *folder;
    int row, column; /* of the process */
} hyb_store_t;

void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path);
void hyb_store_checkpoint_path(const hyb_store_t *store, int first, char *path);

/* The iterations of its whole checkpoints, newest first; returns how many, at
 * most HYB_STORE_MOST. */
int hyb_store_list(const hyb_store_t *store, int *first_p);

/* Does the folder hold a checkpoint of a process outside of this grid? */
bool hyb_store_has_others(const char *folder, int rows, int columns);

/* Are these the same folder? */
bool hyb_store_is_same(const char *a, const char *b);

/* Remove all of its checkpoints but these, and what is unfinished. */
void hyb_store_keep(const hyb_store_t *store, const int *first, int count);

/* Remove all of its files. */
void hyb_store_clear(const hyb_store_t *store);

/* Make the folder, and have the names of its files on the disk. False: errno */
bool hyb_store_make(const char *folder);
bool hyb_store_sync(const char *folder);

/* Seconds since 1970, now, and when the process was last seen; 0: unknown. */
double hyb_store_now(void);
double hyb_store_last_seen(const hyb_store_t *store);

/* Write all bytes at offset. False: errno */
bool hyb_store_write(int file, const void *data, size_t bytes, int64_t offset);

/* Read all bytes from offset on; false: there are fewer. */
bool hyb_store_read(int file, void *data, size_t bytes, int64_t offset);

#endif
