/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/lu/checkpoint/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/owner.h"

/* ---- folders --------------------------------------------------------------
 */

/* Those of this run, --checkpoint and --restart; the leader opens them before
 * other threads use them. */
enum { FOLDERS = 4 };

static struct {
    char name[HYB_STORE_PATH];
    int fd;
} folders[FOLDERS];
static int folder_count;

/* The folder, open; below 0: errno. */
static int open_folder(const char *name)
{
    for (int i = 0; i < folder_count; i++)
        if (strcmp(folders[i].name, name) == 0)
            return folders[i].fd;
    if (folder_count == FOLDERS || strlen(name) >= HYB_STORE_PATH) {
        errno = ENAMETOOLONG;
        return -1;
    }
    folders[folder_count].fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folders[folder_count].fd < 0)
        return -1;
    strcpy(folders[folder_count].name, name);
    return folders[folder_count++].fd;
}

void hyb_store_close(void)
{
    while (folder_count > 0)
        close(folders[--folder_count].fd);
}

/* The folder of path, open, and the name in it. */
static int split(const char *path, const char **name_p)
{
    char folder[HYB_STORE_PATH];
    const char *slash = strrchr(path, '/');

    if (slash == NULL || slash == path || slash - path >= HYB_STORE_PATH) {
        errno = ENOENT;
        return -1;
    }
    snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
    *name_p = slash + 1;
    return open_folder(folder);
}

static bool is_own_file(int fd)
{
    struct stat about;

    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode) &&
           about.st_nlink <= 1 &&
           (about.st_uid == geteuid() || about.st_uid == 0);
}

int hyb_store_open(const char *path, int flags)
{
    const char *name;
    int folder = split(path, &name), fd;

    if (folder < 0)
        return -1;
    if ((flags & O_TRUNC) != 0) {
        unlinkat(folder, name, 0);
        flags = (flags & ~O_TRUNC) | O_CREAT | O_EXCL;
    }
    fd =
        openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 || is_own_file(fd))
        return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

int hyb_store_unlink(const char *path)
{
    const char *name;
    int folder = split(path, &name);

    return folder < 0 ? -1 : unlinkat(folder, name, 0);
}

int hyb_store_rename(const char *from, const char *to)
{
    const char *name, *new_name;
    int folder = split(from, &name), target = split(to, &new_name);

    return folder < 0 || target < 0 ? -1
                                    : renameat(folder, name, target, new_name);
}

bool hyb_store_exists(const char *path)
{
    const char *name;
    int folder = split(path, &name);

    return folder >= 0 &&
           faccessat(folder, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* To read the names in it. */
static DIR *list_folder(const char *name)
{
    int folder = open_folder(name), fd;
    DIR *list;

    if (folder < 0)
        return NULL;
    fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    list = fd >= 0 ? fdopendir(fd) : NULL;
    if (list == NULL && fd >= 0)
        close(fd);
    return list;
}

/* ---- names --------------------------------------------------------------- */

void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path)
{
    snprintf(path, HYB_STORE_PATH, "%.3900s/xhpl-r%d-c%d.%s%s", store->folder,
             store->row, store->column, store->is_copy ? "copy-" : "", suffix);
}

void hyb_store_checkpoint_path(const hyb_store_t *store, int first, char *path)
{
    char suffix[16];

    snprintf(suffix, sizeof(suffix), "%d", first);
    hyb_store_path(store, suffix, path);
}

/* The whole checkpoint of that name; false: it is none. */
static bool read_name(const char *name, hyb_store_t *s, int *first_p)
{
    int length = 0;

    s->is_copy = strstr(name, ".copy-") != NULL;
    return sscanf(name,
                  s->is_copy ? "xhpl-r%d-c%d.copy-%d%n" : "xhpl-r%d-c%d.%d%n",
                  &s->row, &s->column, first_p, &length) == 3 &&
           name[length] == '\0' && *first_p >= 0;
}

void hyb_store_each(const char *name,
                    void (*see)(void *context, const hyb_store_t *store,
                                int first),
                    void *context)
{
    DIR *folder = list_folder(name);
    struct dirent *entry;
    hyb_store_t store = {.folder = name};
    int first;

    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL)
        if (read_name(entry->d_name, &store, &first))
            see(context, &store, first);
    closedir(folder);
}

bool hyb_store_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;

    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* ---- removing ------------------------------------------------------------ */

static void remove_file(const hyb_store_t *store, const char *suffix)
{
    char path[HYB_STORE_PATH];

    hyb_store_path(store, suffix, path);
    hyb_store_unlink(path);
}

void hyb_store_remove(const hyb_store_t *store, int first)
{
    char path[HYB_STORE_PATH];

    remove_file(store, "part");
    hyb_store_checkpoint_path(store, first, path);
    hyb_store_unlink(path);
}

typedef struct {
    const hyb_store_t *store;
    const int *first;
    int count;
} kept_t;

static void remove_other(void *kept, const hyb_store_t *s, int first)
{
    const kept_t *k = kept;
    char path[HYB_STORE_PATH];

    if (s->row != k->store->row || s->column != k->store->column ||
        s->is_copy != k->store->is_copy)
        return;
    for (int i = 0; i < k->count; i++)
        if (k->first[i] == first)
            return;
    hyb_store_checkpoint_path(s, first, path);
    hyb_store_unlink(path);
}

void hyb_store_keep(const hyb_store_t *store, const int *first, int count)
{
    remove_file(store, "part");
    hyb_store_each(store->folder, remove_other, &(kept_t){store, first, count});
}

/* A copy, or a mark that a process left which was killed. */
static bool is_shared(const char *name)
{
    return strncmp(name, "xhpl-here-", 10) == 0 ||
           (strncmp(name, "xhpl-r", 6) == 0 && strstr(name, ".copy-") != NULL);
}

static void clear_copies(const char *name)
{
    DIR *folder = list_folder(name);
    struct dirent *entry;
    char path[HYB_STORE_PATH];

    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        if (!is_shared(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "%.3000s/%.1000s", name, entry->d_name);
        hyb_store_unlink(path);
    }
    closedir(folder);
}

void hyb_store_clear(const hyb_store_t *store)
{
    hyb_store_keep(store, NULL, 0);
    remove_file(store, "final");
    remove_file(store, "alive");
    clear_copies(store->folder);
}

/* ---- the folder ---------------------------------------------------------- */

bool hyb_store_make(const char *folder, char *why_p)
{
    int fd;

    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        fd = -1;
    else
        fd = open_folder(folder);
    if (fd < 0) {
        snprintf(why_p, HYB_STORE_WHY, "%s", strerror(errno));
        return false;
    }
    return xh_owner_is_trusted(fd, NULL, why_p);
}

/* Some file systems cannot sync a folder, and need not. */
bool hyb_store_sync(const char *folder)
{
    int fd = open_folder(folder);

    return fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);
}

/* ---- moments ------------------------------------------------------------- */

hyb_seen_t hyb_store_last_seen(const hyb_store_t *store)
{
    char path[HYB_STORE_PATH];
    hyb_seen_t seen = {0.0, 0.0};
    int file;

    hyb_store_path(store, "alive", path);
    file = hyb_store_open(path, O_RDONLY);
    if (file < 0 || !hyb_store_read(file, &seen, sizeof(seen), 0) ||
        !(seen.moment > 0.0 && seen.moment < HYB_MOMENT_MOST &&
          seen.elapsed >= 0.0 && seen.elapsed < HYB_MOMENT_MOST))
        seen = (hyb_seen_t){0.0, 0.0};
    if (file >= 0)
        close(file);
    return seen;
}

bool hyb_store_put_done(const hyb_store_t *store)
{
    char path[HYB_STORE_PATH];
    int file;

    hyb_store_path(store, "done", path);
    file = hyb_store_open(path, O_WRONLY | O_TRUNC);
    if (file >= 0)
        close(file);
    return file >= 0 && hyb_store_sync(store->folder);
}

bool hyb_store_is_done(const hyb_store_t *store)
{
    char path[HYB_STORE_PATH];

    hyb_store_path(store, "done", path);
    return hyb_store_exists(path);
}

void hyb_store_remove_done(const hyb_store_t *store)
{
    remove_file(store, "done");
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

/* ---- the disk ------------------------------------------------------------ */

static bool write_zeros(int file, int64_t bytes)
{
    static const char zeros[1 << 20];
    int64_t part;

    for (int64_t at = 0; at < bytes; at += part) {
        part = xh_smaller((int64_t)sizeof(zeros), bytes - at);
        if (!hyb_store_write(file, zeros, (size_t)part, at))
            return false;
    }
    return fdatasync(file) == 0;
}

double hyb_store_probe(const hyb_store_t *store, int64_t bytes)
{
    char path[HYB_STORE_PATH];
    double begun = xh_clock_wall();
    bool done;
    int file;

    hyb_store_path(store, "part", path);
    file = hyb_store_open(path, O_WRONLY | O_TRUNC);
    done = file >= 0 && write_zeros(file, bytes);
    if (!done)
        xh_log_error("--checkpoint: cannot write %s: %s", path,
                     strerror(errno));
    if (file >= 0) {
        close(file);
        hyb_store_unlink(path);
    }
    return done ? (double)bytes / (xh_clock_wall() - begun) : 0.0;
}
