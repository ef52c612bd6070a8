/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/rate_table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"

/* ---- interpolation ------------------------------------------------------- */

/* A line over log x through (x0, y0) and (x1, y1), x0 < x1; constant below. */
static double between(double x, double x0, double y0, double x1, double y1)
{
    return x <= x0 ? y0 : y0 + (y1 - y0) * log(x / x0) / log(x1 / x0);
}

/* The rate at size along what is known of one depth. */
static double rate_along(const double rate[HYB_RATE_SIZES], double size)
{
    int s = 0;

    while (s + 1 < HYB_RATE_SIZES && rate[s + 1] > 0.0 &&
           (double)hyb_rate_size(s + 1) <= size)
        s++;
    if (s + 1 == HYB_RATE_SIZES || rate[s + 1] == 0.0)
        return rate[s];
    return between(size, (double)hyb_rate_size(s), rate[s],
                   (double)hyb_rate_size(s + 1), rate[s + 1]);
}

double hyb_rate_table_rate(const hyb_rate_table_t *table, int64_t rows,
                           int64_t cols, int64_t depth)
{
    double size =
        2.0 * (double)rows * (double)cols / ((double)rows + (double)cols);
    int d = 0;

    while (d + 1 < HYB_RATE_DEPTHS && table->rate[d + 1][0] > 0.0 &&
           hyb_rate_depth(d + 1) <= depth)
        d++;
    if (d + 1 == HYB_RATE_DEPTHS || table->rate[d + 1][0] == 0.0)
        return rate_along(table->rate[d], size);
    return between((double)depth, (double)hyb_rate_depth(d),
                   rate_along(table->rate[d], size),
                   (double)hyb_rate_depth(d + 1),
                   rate_along(table->rate[d + 1], size));
}

/* ---- the file ------------------------------------------------------------ */

static const char *absolute(const char *variable)
{
    const char *path = getenv(variable);

    return path != NULL && path[0] == '/' ? path : NULL;
}

xh_status_t hyb_rate_table_path(const char *model, char *path_p)
{
    const char *cache = absolute("XDG_CACHE_HOME"), *home = absolute("HOME");
    char path[HYB_RATE_PATH];
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
    if (all >= (int)sizeof(path))
        return XH_ERR_INPUT;
    for (c = path + folder; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    memcpy(path_p, path, (size_t)all + 1);
    return XH_OK;
}

/* The table as text, whose length is returned; as snprintf. */
static int print(const hyb_rate_table_t *table, const char *model,
                 char text[HYB_RATE_TEXT])
{
    int d, s,
        used = snprintf(text, HYB_RATE_TEXT,
                        "tile rates 4\n%s\n%.6g bytes/s each way\n"
                        "%.6g bytes/s committed by a thread\n"
                        "flop/s of sizes, a line a depth:\n",
                        model, table->link_rate, table->commit_rate);

    for (d = 0; d < HYB_RATE_DEPTHS; d++)
        for (s = 0; s < HYB_RATE_SIZES && used < HYB_RATE_TEXT; s++)
            used += snprintf(text + used, (size_t)(HYB_RATE_TEXT - used),
                             "%.6g%c", table->rate[d][s],
                             s + 1 < HYB_RATE_SIZES ? ' ' : '\n');
    return used;
}

static bool is_rate(double x)
{
    return x >= 0.0 && isfinite(x);
}

static const char *next_line(const char *text)
{
    const char *end = strchr(text, '\n');

    return end == NULL ? text + strlen(text) : end + 1;
}

/* Whatever is not exactly as print would write it is refused in the end. */
static bool parse(const char *text, const char *model,
                  hyb_rate_table_t *table_p)
{
    const char *link = next_line(next_line(text)), *commit = next_line(link);
    char *at = (char *)(uintptr_t)next_line(next_line(commit));
    hyb_rate_table_t table = {.link_rate = strtod(link, NULL),
                              .commit_rate = strtod(commit, NULL)};
    bool good = is_rate(table.link_rate) && is_rate(table.commit_rate);
    char again[HYB_RATE_TEXT];

    for (int d = 0; d < HYB_RATE_DEPTHS; d++)
        for (int s = 0; s < HYB_RATE_SIZES; s++) {
            table.rate[d][s] = strtod(at, &at);
            good = good && is_rate(table.rate[d][s]);
        }
    if (!good || print(&table, model, again) >= HYB_RATE_TEXT ||
        strcmp(again, text) != 0)
        return false;
    *table_p = table;
    return true;
}

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

xh_status_t hyb_rate_table_load(const char *model, hyb_rate_table_t *table_p)
{
    char path[HYB_RATE_PATH], text[HYB_RATE_TEXT + 1];
    xh_status_t status = hyb_rate_table_path(model, path);

    if (status == XH_OK)
        status = read_text(path, text, sizeof(text));
    if (status != XH_OK)
        return status;
    if (parse(text, model, table_p))
        return XH_OK;
    xh_log_info("%s holds no tile rates of %s and is ignored", path, model);
    return XH_ERR_INPUT;
}

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
    char fresh[HYB_RATE_PATH + sizeof(".XXXXXX")];
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

xh_status_t hyb_rate_table_save(const char *model,
                                const hyb_rate_table_t *table)
{
    char path[HYB_RATE_PATH], text[HYB_RATE_TEXT];
    xh_status_t status = hyb_rate_table_path(model, path);

    if (status != XH_OK) {
        xh_log_info("the tile rates of %s are not kept: neither "
                    "XDG_CACHE_HOME nor HOME names a folder",
                    model);
        return status;
    }
    if (print(table, model, text) >= HYB_RATE_TEXT)
        return XH_ERR_ARG;
    make_folders(path);
    if (!replace(path, text)) {
        xh_log_info("the tile rates of %s are not kept: cannot write %s: %s",
                    model, path, strerror(errno));
        return XH_ERR_IO;
    }
    return XH_OK;
}
