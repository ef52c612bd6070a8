/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_cache.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"

enum { PATH = 4096 };

/* ---- path ---------------------------------------------------------------- */

static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);

    return path != NULL && path[0] == '/' ? path : NULL;
}

xh_status_t hyb_rate_cache_path(const char *model, char *path_p, size_t size)
{
    const char *cache = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
    char path[PATH];
    int folder, all;
    char *c;

    if (cache == NULL && home == NULL)
        return XH_ERR_INPUT;
    folder =
        snprintf(path, sizeof(path), "%s%s/xhpl/", cache != NULL ? cache : home,
                 cache != NULL ? "" : "/.cache");
    if (folder < 0 || folder >= (int)sizeof(path))
        return XH_ERR_INPUT;
    all = folder + snprintf(path + folder, sizeof(path) - (size_t)folder,
                            "%s.tiles", model);
    if (all >= (int)sizeof(path) || (size_t)all >= size)
        return XH_ERR_INPUT;
    for (c = path + folder; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    memcpy(path_p, path, (size_t)all + 1);
    return XH_OK;
}

/* ---- load ---------------------------------------------------------------- */

/* A text file of at most size - 1 bytes; longer ones and NULs are cut. */
static xh_status_t read_text(const char *path, char *text_p, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t length;
    bool ok;

    if (file == NULL)
        return XH_ERR_IO;
    length = fread(text_p, 1, size - 1, file);
    ok = ferror(file) == 0;
    text_p[length] = '\0';
    fclose(file);
    return ok ? XH_OK : XH_ERR_IO;
}

xh_status_t hyb_rate_cache_load(const char *model, hyb_rate_table_t *table_p)
{
    char path[PATH], text[HYB_RATE_TEXT + 1];
    xh_status_t status = hyb_rate_cache_path(model, path, sizeof(path));

    if (status == XH_OK)
        status = read_text(path, text, sizeof(text));
    if (status != XH_OK)
        return status;
    status = hyb_rate_table_parse(text, model, table_p);
    if (status != XH_OK)
        xh_log_info("%s holds no tile rates of %s and is ignored", path, model);
    return status;
}

/* ---- save ---------------------------------------------------------------- */

/* The folders of path; if one cannot be made, opening the file will say so. */
static void make_folders(char *path)
{
    char *slash;

    for (slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

static bool write_text(int fd, const char *text)
{
    FILE *file = fdopen(fd, "w");
    bool ok;

    if (file == NULL) {
        close(fd);
        return false;
    }
    ok = fputs(text, file) >= 0;
    return fclose(file) == 0 && ok;
}

/* Through a file of its own, so that path always names a whole one. */
static bool replace(const char *path, const char *text)
{
    char fresh[PATH + sizeof(".XXXXXX")];
    int fd;

    snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
    fd = mkstemp(fresh);
    if (fd < 0)
        return false;
    if (write_text(fd, text) && rename(fresh, path) == 0)
        return true;
    unlink(fresh);
    return false;
}

xh_status_t hyb_rate_cache_save(const char *model,
                                const hyb_rate_table_t *table)
{
    char path[PATH], text[HYB_RATE_TEXT];
    xh_status_t status = hyb_rate_cache_path(model, path, sizeof(path));

    if (status != XH_OK) {
        xh_log_info("the tile rates of %s are not kept: neither "
                    "XDG_CACHE_HOME nor HOME names a folder",
                    model);
        return status;
    }
    status = hyb_rate_table_print(table, model, text, sizeof(text));
    if (status != XH_OK)
        return status;
    make_folders(path);
    if (!replace(path, text)) {
        xh_log_info("the tile rates of %s are not kept: cannot write %s: %s",
                    model, path, strerror(errno));
        return XH_ERR_IO;
    }
    return XH_OK;
}
