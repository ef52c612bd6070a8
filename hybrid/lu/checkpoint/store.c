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

/* ---- the folder ---------------------------------------------------------- */

bool hyb_store_begin(const char *folder, int row, int column,
                     hyb_store_t *store_p, char *why_p)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) {
        snprintf(why_p, HYB_STORE_WHY, "%s", strerror(errno));
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
    struct stat of_a, of_b;

    return fstat(a->fd, &of_a) == 0 && fstat(b->fd, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* ---- names --------------------------------------------------------------- */

enum { NAME = 64 };

static void name_of(const hyb_store_t *store, const char *suffix, char *name)
{
    snprintf(name, NAME, "xhpl-r%d-c%d.%s", store->row, store->column, suffix);
}

void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path)
{
    char name[NAME];

    name_of(store, suffix, name);
    snprintf(path, HYB_STORE_PATH, "%.3900s/%s", store->folder, name);
}

void hyb_store_suffix(int first, char *suffix)
{
    snprintf(suffix, HYB_STORE_SUFFIX, "%d", first);
}

/* Call see for each whole checkpoint, whosever it is, with its iteration. */
static void each(const hyb_store_t *store,
                 void (*see)(void *context, int row, int column, int first),
                 void *context)
{
    int fd = openat(store->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    struct dirent *entry;
    int row, column, first, length;

    if (list == NULL && fd >= 0)
        close(fd);
    while (list != NULL && (entry = readdir(list)) != NULL) {
        const char *name = entry->d_name;

        length = 0;
        if (sscanf(name, "xhpl-r%d-c%d.%d%n", &row, &column, &first, &length) ==
                3 &&
            name[length] == '\0' && first > 0)
            see(context, row, column, first);
    }
    if (list != NULL)
        closedir(list);
}

typedef struct {
    const hyb_store_t *store;
    int limit, found;
} search_t;

static void see_newest(void *context, int row, int column, int first)
{
    search_t *s = context;

    if (row == s->store->row && column == s->store->column &&
        first < s->limit && first > s->found)
        s->found = first;
}

int hyb_store_newest(const hyb_store_t *store, int before)
{
    search_t search = {store, before, 0};

    each(store, see_newest, &search);
    return search.found;
}

static void see_any(void *found, int row, int column, int first)
{
    (void)row, (void)column, (void)first;
    *(bool *)found = true;
}

bool hyb_store_is_used(const hyb_store_t *store)
{
    bool found = false;

    each(store, see_any, &found);
    return found;
}

/* ---- files --------------------------------------------------------------- */

static bool is_own_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_nlink <= 1 &&
           (about.st_uid == geteuid() || about.st_uid == 0);
}

int hyb_store_open(const hyb_store_t *store, const char *suffix, int flags)
{
    char name[NAME];
    int fd;

    name_of(store, suffix, name);
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

bool hyb_store_exists(const hyb_store_t *store, const char *suffix)
{
    char name[NAME];

    name_of(store, suffix, name);
    return faccessat(store->fd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

void hyb_store_unlink(const hyb_store_t *store, const char *suffix)
{
    char name[NAME];

    name_of(store, suffix, name);
    unlinkat(store->fd, name, 0);
}

bool hyb_store_rename(const hyb_store_t *store, const char *from,
                      const char *to)
{
    char name[NAME], new_name[NAME];

    name_of(store, from, name);
    name_of(store, to, new_name);
    return renameat(store->fd, name, store->fd, new_name) == 0 &&
           hyb_store_sync(store);
}

/* Some file systems cannot sync a folder, and need not. */
bool hyb_store_sync(const hyb_store_t *store)
{
    return fsync(store->fd) == 0 || errno == EINVAL;
}

/* From the newest on: names that are removed change no search for others. */
void hyb_store_keep(const hyb_store_t *store, int first)
{
    char suffix[HYB_STORE_SUFFIX];
    int next = INT_MAX;

    hyb_store_unlink(store, "part");
    while ((next = hyb_store_newest(store, next)) > 0) {
        hyb_store_suffix(next, suffix);
        if (next != first)
            hyb_store_unlink(store, suffix);
    }
}

/* ---- bytes --------------------------------------------------------------- */

static bool move(int file, char *at, size_t bytes, int64_t offset, bool writes)
{
    ssize_t done;

    while (bytes > 0) {
        done = writes ? pwrite(file, at, bytes, offset)
                      : pread(file, at, bytes, offset);
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

bool hyb_store_write(int file, const void *data, size_t bytes, int64_t offset)
{
    return move(file, (char *)data, bytes, offset, true);
}

bool hyb_store_read(int file, void *data, size_t bytes, int64_t offset)
{
    return move(file, data, bytes, offset, false);
}
