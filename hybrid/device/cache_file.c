/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cache_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"
#include "base/owner.h"

static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);

    return path != NULL && path[0] == '/' ? path : NULL;
}

xh_status_t hyb_cache_path(const char *model, const char *kind, char *path_p)
{
    const char *cache = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
    int folder, left;

    if (cache == NULL && home == NULL)
        return XH_ERR_INPUT;
    folder =
        snprintf(path_p, HYB_CACHE_PATH, "%s%s/xhpl/",
                 cache != NULL ? cache : home, cache != NULL ? "" : "/.cache");
    left = HYB_CACHE_PATH - folder;
    if (left <= 0 ||
        snprintf(path_p + folder, (size_t)left, "%s.%s", model, kind) >= left)
        return XH_ERR_INPUT;
    for (char *c = path_p + folder; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    return XH_OK;
}

static xh_status_t open_file(const char *model, const char *kind, FILE **file_p)
{
    char path[HYB_CACHE_PATH], why[XH_OWNER_WHY];
    xh_status_t status;

    XH_TRY(hyb_cache_path(model, kind, path));
    status = xh_trusted_open(path, NULL, file_p, why);
    if (status == XH_ERR_INPUT)
        xh_log_warning("%s is ignored: %s", path, why);
    return status;
}

void *hyb_cache_load(const char *model, const char *kind, size_t *bytes_p)
{
    struct stat is;
    FILE *file;
    char *data = NULL;

    if (open_file(model, kind, &file) != XH_OK)
        return NULL;
    if (fstat(fileno(file), &is) == 0)
        data = calloc((size_t)is.st_size + 1, 1);
    if (data != NULL)
        *bytes_p = fread(data, 1, (size_t)is.st_size, file);
    fclose(file);
    return data;
}

void hyb_cache_ignore(const char *model, const char *kind, const char *what)
{
    char path[HYB_CACHE_PATH];

    if (hyb_cache_path(model, kind, path) == XH_OK)
        xh_log_info("%s holds no %s of %s and is ignored", path, what, model);
}

/* Create the folders of `path`. A failure shows when the file is opened. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* Write a temporary file and rename it, so that `path` always names a complete
 * file. */
static bool replace(const char *path, const void *data, size_t bytes)
{
    char fresh[HYB_CACHE_PATH + sizeof(".XXXXXX")];
    bool ok;
    int fd;

    snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
    fd = mkstemp(fresh);
    if (fd < 0)
        return false;
    ok = write(fd, data, bytes) == (ssize_t)bytes;
    ok = close(fd) == 0 && ok && rename(fresh, path) == 0;
    if (!ok)
        unlink(fresh);
    return ok;
}

xh_status_t hyb_cache_store(const char *model, const char *kind,
                            const void *data, size_t bytes, const char *what)
{
    char path[HYB_CACHE_PATH];
    xh_status_t status = hyb_cache_path(model, kind, path);

    if (status != XH_OK) {
        xh_log_info("%s of %s are not kept: neither XDG_CACHE_HOME nor HOME "
                    "names a folder",
                    what, model);
        return status;
    }
    make_folders(path);
    if (replace(path, data, bytes))
        return XH_OK;
    xh_log_info("%s of %s are not kept: cannot write %s: %s", what, model, path,
                strerror(errno));
    return XH_ERR_IO;
}

void hyb_cache_remove(const char *model, const char *kind)
{
    char path[HYB_CACHE_PATH];

    if (hyb_cache_path(model, kind, path) == XH_OK)
        unlink(path);
}
