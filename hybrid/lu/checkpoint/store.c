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

/* ---- names ---------------------------------------------------------------
 */

void hyb_store_path(const hyb_store_t *store, const char *suffix, char *path)
{
    snprintf(path, HYB_STORE_PATH, "%.3900s/xhpl-r%d-c%d.%s", store->folder,
             store->row, store->column, suffix);
}

void hyb_store_checkpoint_path(const hyb_store_t *store, int first, char *path)
{
    char suffix[16];

    snprintf(suffix, sizeof(suffix), "%d", first);
    hyb_store_path(store, suffix, path);
}

/* The iteration of a whole checkpoint of that name, and whose it is; -1: it is
 * none. */
static int iteration_of(const char *name, hyb_store_t *whose)
{
    int first, length = 0;

    if (sscanf(name, "xhpl-r%d-c%d.%d%n", &whose->row, &whose->column, &first,
               &length) < 3 ||
        name[length] != '\0')
        return -1;
    return first;
}

static bool is_of(const hyb_store_t *a, const hyb_store_t *b)
{
    return a->row == b->row && a->column == b->column;
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
    hyb_store_t whose;
    int count = 0, first;

    if (folder == NULL)
        return 0;
    while ((entry = readdir(folder)) != NULL) {
        first = iteration_of(entry->d_name, &whose);
        if (first >= 0 && is_of(store, &whose))
            count = insert(first_p, count, first);
    }
    closedir(folder);
    return count;
}

bool hyb_store_has_others(const char *name, int rows, int columns)
{
    DIR *folder = opendir(name);
    struct dirent *entry;
    hyb_store_t whose;
    bool found = false;

    if (folder == NULL)
        return false;
    while (!found && (entry = readdir(folder)) != NULL)
        found = iteration_of(entry->d_name, &whose) >= 0 &&
                (whose.row >= rows || whose.column >= columns);
    closedir(folder);
    return found;
}

bool hyb_store_is_same(const char *a, const char *b)
{
    struct stat of_a, of_b;

    return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 &&
           of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
}

/* ---- removing ------------------------------------------------------------
 */

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
    hyb_store_t whose;
    int found;

    remove_file(store, "part");
    if (folder == NULL)
        return;
    while ((entry = readdir(folder)) != NULL) {
        found = iteration_of(entry->d_name, &whose);
        if (found < 0 || !is_of(store, &whose) || is_kept(found, first, count))
            continue;
        hyb_store_checkpoint_path(store, found, path);
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

/* ---- the folder ----------------------------------------------------------
 */

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

/* ---- moments -------------------------------------------------------------
 */

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

/* ---- bytes ---------------------------------------------------------------
 */

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
