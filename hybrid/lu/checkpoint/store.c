/* SPDX-License-Identifier: BSD-3-Clause */
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
static bool read_name(const char *name, hyb_saved_t *s)
{
    int length = 0;

    s->is_copy = strstr(name, ".copy-") != NULL;
    return sscanf(name,
                  s->is_copy ? "xhpl-r%d-c%d.copy-%d%n" : "xhpl-r%d-c%d.%d%n",
                  &s->row, &s->column, &s->first, &length) == 3 &&
           name[length] == '\0' && s->first >= 0;
}

static bool is_of(const hyb_store_t *store, const hyb_saved_t *s)
{
    return s->row == store->row && s->column == store->column &&
           s->is_copy == store->is_copy;
}

size_t hyb_store_scan(const char *name, hyb_saved_t *list_p, size_t room)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    hyb_saved_t saved;
    size_t count = 0;

    if (folder == NULL)
        return 0;
    while ((entry = readdir(folder)) != NULL) {
        if (!read_name(entry->d_name, &saved))
            continue;
        if (count < room)
            list_p[count] = saved;
        count++;
    }
    closedir(folder);
    return count;
}

/* Keep the largest HYB_STORE_MOST in order. */
static int insert(int *list, int count, int value)
{
    int at = count < HYB_STORE_MOST ? count : HYB_STORE_MOST - 1;

    if (count == HYB_STORE_MOST && value < list[at])
        return count;
    for (; at > 0 && list[at - 1] < value; at--)
        list[at] = list[at - 1];
    list[at] = value;
    return count < HYB_STORE_MOST ? count + 1 : count;
}

int hyb_store_list(const hyb_store_t *store, int *first_p)
{
    DIR *folder = opendir(store->folder);
    struct dirent *entry;
    hyb_saved_t saved;
    int count = 0;

    if (folder == NULL)
        return 0;
    while ((entry = readdir(folder)) != NULL)
        if (read_name(entry->d_name, &saved) && is_of(store, &saved))
            count = insert(first_p, count, saved.first);
    closedir(folder);
    return count;
}

bool hyb_store_has_others(const char *name, int rows, int columns)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    hyb_saved_t saved;
    bool found = false;

    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL)
        found = read_name(entry->d_name, &saved) &&
                (saved.row >= rows || saved.column >= columns);
    closedir(folder);
    return found;
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
    unlink(path);
}

static bool is_kept(int value, const int *list, int count)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value)
            return true;
    return false;
}

void hyb_store_keep(const hyb_store_t *store, const int *first, int count)
{
    DIR *folder = opendir(store->folder);
    char path[HYB_STORE_PATH];
    struct dirent *entry;
    hyb_saved_t saved;

    remove_file(store, "part");
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        if (!read_name(entry->d_name, &saved) || !is_of(store, &saved) ||
            is_kept(saved.first, first, count))
            continue;
        hyb_store_checkpoint_path(store, saved.first, path);
        unlink(path);
    }
    closedir(folder);
}

void hyb_store_clear(const hyb_store_t *store)
{
    hyb_store_keep(store, NULL, 0);
    remove_file(store, "final");
    remove_file(store, "alive");
}

/* A copy, or a mark that a process left which was killed. */
static bool is_shared(const char *name)
{
    return strncmp(name, "xhpl-here-", 10) == 0 ||
           (strncmp(name, "xhpl-r", 6) == 0 && strstr(name, ".copy-") != NULL);
}

void hyb_store_clear_copies(const char *name)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    char path[HYB_STORE_PATH];

    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        if (!is_shared(entry->d_name))
            continue;
        snprintf(path, sizeof(path), "%.3000s/%.1000s", name, entry->d_name);
        unlink(path);
    }
    closedir(folder);
}

/* ---- the folder ---------------------------------------------------------- */

bool hyb_store_make(const char *folder)
{
    return mkdir(folder, 0777) == 0 || errno == EEXIST;
}

/* Some file systems cannot sync a folder, and need not. */
bool hyb_store_sync(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done;

    if (file < 0)
        return false;
    done = fsync(file) == 0 || errno == EINVAL;
    close(file);
    return done;
}

/* ---- moments ------------------------------------------------------------- */

double hyb_store_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double hyb_store_last_seen(const hyb_store_t *store)
{
    char path[HYB_STORE_PATH];
    double seen = 0.0;
    int file;

    hyb_store_path(store, "alive", path);
    file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || !hyb_store_read(file, &seen, sizeof(seen), 0))
        seen = 0.0;
    if (file >= 0)
        close(file);
    return seen;
}

/* ---- bytes --------------------------------------------------------------- */

bool hyb_store_write(int file, const void *data, size_t bytes, int64_t offset)
{
    const char *at = data;
    ssize_t done;

    while (bytes > 0) {
        done = pwrite(file, at, bytes, offset);
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

bool hyb_store_read(int file, void *data, size_t bytes, int64_t offset)
{
    char *at = data;
    ssize_t done;

    while (bytes > 0) {
        done = pread(file, at, bytes, offset);
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
    file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    done = file >= 0 && write_zeros(file, bytes);
    if (!done)
        xh_log_error("--checkpoint: cannot write %s: %s", path,
                     strerror(errno));
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    return done ? (double)bytes / (xh_clock_wall() - begun) : 0.0;
}
