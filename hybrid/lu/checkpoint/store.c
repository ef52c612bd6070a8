/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/lu/checkpoint/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/owner.h"

enum { NAME = 64 };

hyb_store_t hyb_store_restart = {.fd = -1}, hyb_store_checkpoint = {.fd = -1};

/* ---- the folder ---------------------------------------------------------- */

bool hyb_store_begin(const char *folder, int row, int column,
                     hyb_store_t *store_p, char *why_p)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        snprintf(why_p, HYB_STORE_TEXT, "%s", strerror(errno));
        return false;
    }
    if (!xh_owner_is_trusted(fd, NULL, why_p)) {
        close(fd);
        return false;
    }
    *store_p = (hyb_store_t){folder, fd, row, column};
    return true;
}

void hyb_store_end(hyb_store_t *store)
{
    if (store->fd >= 0)
        close(store->fd);
    store->fd = -1;
}

bool hyb_store_is_same(const hyb_store_t *a, const hyb_store_t *b)
{
    struct stat stat_a, stat_b;

    return fstat(a->fd, &stat_a) == 0 && fstat(b->fd, &stat_b) == 0 &&
           stat_a.st_dev == stat_b.st_dev && stat_a.st_ino == stat_b.st_ino;
}

static void name_of(const hyb_store_t *store, int file, char *name)
{
    static const char *const words[] = {"part", "alive", "done"};
    int length =
        snprintf(name, NAME, "xhpl-r%d-c%d.", store->row, store->column);

    if (file > 0)
        snprintf(name + length, (size_t)(NAME - length), "%d", file);
    else
        snprintf(name + length, (size_t)(NAME - length), "%s", words[-file]);
}

void hyb_store_path(const hyb_store_t *store, int file, char *path)
{
    char name[NAME];

    name_of(store, file, name);
    snprintf(path, HYB_STORE_TEXT, "%.120s/%s", store->folder, name);
}

/* ---- list of checkpoints ------------------------------------------------- */

/* Return the iteration of the checkpoint called `name`, and its process's place
 * in the grid. Return 0 if `name` is not that of a checkpoint. */
static int read_name(const char *name, int *row_p, int *column_p)
{
    int first, length = 0;

    return sscanf(name, "xhpl-r%d-c%d.%d%n", row_p, column_p, &first,
                  &length) == 3 &&
                   name[length] == '\0' && first > 0
               ? first
               : 0;
}

static int newest(const hyb_store_t *store, bool of_any, int before)
{
    int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    int row, column, found = 0;

    while (list != NULL && (entry = readdir(list)) != NULL) {
        int first = read_name(entry->d_name, &row, &column);

        if (first > found && first < before &&
            (of_any || (row == store->row && column == store->column)))
            found = first;
    }
    if (list != NULL)
        closedir(list);
    else if (fd >= 0)
        close(fd);
    return found;
}

int hyb_store_newest_of_any(const hyb_store_t *store, int before)
{
    return newest(store, true, before);
}

void hyb_store_keep(const hyb_store_t *store, int first)
{
    int next = INT_MAX;

    hyb_store_unlink(store, HYB_STORE_PART);
    while ((next = newest(store, false, next)) > 0)
        if (next != first)
            hyb_store_unlink(store, next);
}

/* ---- files --------------------------------------------------------------- */

static bool is_own_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_nlink <= 1 &&
           (about.st_uid == geteuid() || about.st_uid == 0);
}

int hyb_store_open(const hyb_store_t *store, int file, int flags)
{
    char name[NAME];
    int fd;

    name_of(store, file, name);
    if ((flags & O_TRUNC) != 0) {
        unlinkat(store->fd, name, 0);
        flags = (flags & ~O_TRUNC) | O_CREAT | O_EXCL;
    }
    fd = openat(store->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                0600);
    if (fd < 0 || is_own_file(fd))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

bool hyb_store_exists(const hyb_store_t *store, int file)
{
    char name[NAME];

    name_of(store, file, name);
    return faccessat(store->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void hyb_store_unlink(const hyb_store_t *store, int file)
{
    char name[NAME];

    name_of(store, file, name);
    unlinkat(store->fd, name, 0);
}

/* Some file systems cannot sync a folder, and need no sync. */
bool hyb_store_name(const hyb_store_t *store, int first)
{
    char part[NAME], name[NAME];

    name_of(store, HYB_STORE_PART, part);
    name_of(store, first, name);
    return renameat(store->fd, part, store->fd, name) == 0 &&
           (fsync(store->fd) == 0 || errno == EINVAL);
}

static bool move(int fd, char *at, size_t bytes, int64_t offset, bool writes)
{
    ssize_t done;

    while (bytes > 0) {
        done = writes ? pwrite(fd, at, bytes, offset)
                      : pread(fd, at, bytes, offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        offset += done;
        bytes -= (size_t)done;
    }
    return true;
}

bool hyb_store_write(int fd, const void *data, size_t bytes, int64_t offset)
{
    return move(fd, (char *)data, bytes, offset, true);
}

bool hyb_store_read(int fd, void *data, size_t bytes, int64_t offset)
{
    return move(fd, data, bytes, offset, false);
}
