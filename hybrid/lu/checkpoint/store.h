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
 *   xhpl-r0-c1.done         the results are written: the others may go
 *
 * Copies that its partner keeps are xhpl-r0-c1.copy-final, .copy-120 and
 * .copy-part.
 */
enum { HYB_STORE_PATH = 4096, HYB_STORE_MOST = 4, HYB_STORE_WHY = 200 };

typedef struct {
    const char *folder;
    int row, column; /* of the process */
    bool is_copy;
} hyb_store_t;

void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path);
void hyb_store_checkpoint_path(const hyb_store_t *store, int first, char *path);

/* Call see for each whole checkpoint in folder, whosever it is, with its
 * iteration. */
void hyb_store_each(const char *folder,
                    void (*see)(void *context, const hyb_store_t *store,
                                int first),
                    void *context);

/* Are these the same folder? */
bool hyb_store_is_same(const char *a, const char *b);

/* Remove that checkpoint and what is unfinished, without a look at the folder,
 * or all checkpoints but these. */
void hyb_store_remove(const hyb_store_t *store, int first);
void hyb_store_keep(const hyb_store_t *store, const int *first, int count);

/* Remove all of its files but the mark that it is done, and all copies in the
 * folder, whosever they are. */
void hyb_store_clear(const hyb_store_t *store);

/*
 * Make the folder, if it is not there, for this user alone. Only this user and
 * root may be able to write it.
 *
 * why_p  out  HYB_STORE_WHY bytes: why it cannot be used; set on failure
 */
bool hyb_store_make(const char *folder, char *why_p);

/* Close the folders that were used; the next use opens them again. */
void hyb_store_close(void);

/* Have the names of the folder's files on the disk. False: errno */
bool hyb_store_sync(const char *folder);

/*
 * open, unlink, rename and access of a path that is a folder and a name in it.
 * The folder is the one that was checked, whatever its path leads to by now.
 * What is opened is a regular file of this user, and no link; O_TRUNC makes a
 * new one. Failures: as those calls; errno EPERM: it is another kind of file.
 */
int hyb_store_open(const char *path, int flags);
int hyb_store_unlink(const char *path);
int hyb_store_rename(const char *from, const char *to);
bool hyb_store_exists(const char *path);

/* s since 1970, and of any run: what is more is no moment */
#define HYB_MOMENT_MOST 1e11

/* When a process was last seen; all 0: unknown. */
typedef struct {
    double moment;  /* s since 1970, by its host's clock */
    double elapsed; /* s of the run until then that clocks saw pass which are
                       never set */
} hyb_seen_t;

hyb_seen_t hyb_store_last_seen(const hyb_store_t *store);

/* Mark that the results of the run are written; is there such a mark? */
bool hyb_store_put_done(const hyb_store_t *store);
bool hyb_store_is_done(const hyb_store_t *store);
void hyb_store_remove_done(const hyb_store_t *store);

/* Write all bytes at offset. False: errno */
bool hyb_store_write(int file, const void *data, size_t bytes, int64_t offset);

/* Read all bytes from offset on; false: there are fewer. */
bool hyb_store_read(int file, void *data, size_t bytes, int64_t offset);

/* Bytes/s at which the folder takes a file of so many bytes now; 0: it does
 * not, which is said. */
double hyb_store_probe(const hyb_store_t *store, int64_t bytes);

#endif
