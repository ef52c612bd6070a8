/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/trust.h"
#include "hybrid/device/rates.h"

static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);

    return path != NULL && path[0] == '/' ? path : NULL;
}

xh_status_t hyb_rate_table_path(const char *model, char *path_p)
{
    const char *cache = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
    int folder, left;

    if (cache == NULL && home == NULL)
        return XH_ERR_INPUT;
    folder =
        snprintf(path_p, HYB_RATE_PATH, "%s%s/xhpl/",
                 cache != NULL ? cache : home, cache != NULL ? "" : "/.cache");
    left = HYB_RATE_PATH - folder;
    if (left <= 0 ||
        snprintf(path_p + folder, (size_t)left, "%s.tiles", model) >= left)
        return XH_ERR_INPUT;
    for (char *c = path_p + folder; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    return XH_OK;
}

static void print(const hyb_rate_table_t *table, const char *model, FILE *out)
{
    fprintf(out,
            "tile rates 4\n%s\n%.6g bytes/s each way\n"
            "%.6g bytes/s committed by a thread\n"
            "flop/s of sizes, a line a depth:\n",
            model, table->link_rate, table->commit_rate);
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++)
            fprintf(out, "%.6g%c", table->rate[d][s],
                    s + 1 < HYB_RATE_SIZES ? ' ' : '\n');
}

static bool is_rate(double x)
{
    return x >= 0.0 && isfinite(x);
}

/* Whatever is not exactly as print would write it is refused in the end. */
static bool parse(char *text, const char *model, hyb_rate_table_t *table_p)
{
    char again[HYB_RATE_TEXT] = "", *at;
    FILE *out = fmemopen(again, sizeof(again), "w");
    hyb_rate_table_t table;
    int used = 0;
    bool good = sscanf(text,
                       "%*[^\n]\n%*[^\n]\n%lf bytes/s each way\n"
                       "%lf%*[^\n]\n%*[^\n]\n%n",
                       &table.link_rate, &table.commit_rate, &used) == 2 &&
                is_rate(table.link_rate) && is_rate(table.commit_rate);

    at = text + used;
    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++) {
            table.rate[d][s] = strtod(at, &at);
            good = good && is_rate(table.rate[d][s]);
        }
    if (out == NULL)
        return false;
    if (good)
        print(&table, model, out);
    good = fclose(out) == 0 && good && strcmp(again, text) == 0;
    if (good)
        *table_p = table;
    return good;
}

xh_status_t hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p)
{
    char path[HYB_RATE_PATH], text[HYB_RATE_TEXT + 1], why[XH_TRUST_WHY];
    FILE *file;

    XH_TRY(hyb_rate_table_path(model, path));
    file = fopen(path, "r");
    if (file == NULL)
        return XH_ERR_IO;
    if (!xh_trust_file(fileno(file), NULL, why)) {
        fclose(file);
        xh_log_warning("%s is ignored: %s", path, why);
        return XH_ERR_INPUT;
    }
    text[fread(text, 1, HYB_RATE_TEXT, file)] = '\0'; /* the rest is cut */
    fclose(file);
    if (parse(text, model, table_p))
        return XH_OK;
    xh_log_info("%s holds no tile rates of %s and is ignored", path, model);
    return XH_ERR_INPUT;
}

/* The folders of path; if one cannot be made, opening the file will say so. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}

/* Through a file of its own, so that path always names a whole one. */
static bool replace(const char *path, const hyb_rate_table_t *table,
                    const char *model)
{
    char fresh[HYB_RATE_PATH + sizeof(".XXXXXX")];
    FILE *file;
    bool ok;
    int fd;

    snprintf(fresh, sizeof(fresh), "%s.XXXXXX", path);
    fd = mkstemp(fresh);
    file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (file == NULL) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    print(table, model, file);
    ok = ferror(file) == 0;
    ok = fclose(file) == 0 && ok && rename(fresh, path) == 0;
    if (!ok)
        unlink(fresh);
    return ok;
}

xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table)
{
    char path[HYB_RATE_PATH];
    xh_status_t status = hyb_rate_table_path(model, path);

    if (status != XH_OK) {
        xh_log_info("the tile rates of %s are not kept: neither "
                    "XDG_CACHE_HOME nor HOME names a folder",
                    model);
        return status;
    }
    make_folders(path);
    if (replace(path, table, model))
        return XH_OK;
    xh_log_info("the tile rates of %s are not kept: cannot write %s: %s", model,
                path, strerror(errno));
    return XH_ERR_IO;
}
