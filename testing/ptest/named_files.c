/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/named_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "base/log.h"
#include "testing/ptest/command_line.h"

static bool is_null_device(const struct stat *about)
{
    struct stat null;

    return S_ISCHR(about->st_mode) && stat("/dev/null", &null) == 0 &&
           about->st_rdev == null.st_rdev;
}

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
           !is_null_device(a);
}

/* The folder that contains name; false: there is none. */
static bool stat_folder(const char *name, struct stat *about_p)
{
    char folder[XHPL_FILE_SIZE + 2];
    const char *slash = strrchr(name, '/');
    int length = slash != NULL ? (int)(slash - name) : 0;

    snprintf(folder, sizeof(folder), "%.*s%s", length, name,
             slash != NULL ? "/" : ".");
    return stat(folder, about_p) == 0;
}

static const char *last_part(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash != NULL ? slash + 1 : name;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat of_a, of_b;
    bool is_a = stat(a, &of_a) == 0, is_b = stat(b, &of_b) == 0;

    if (is_a && is_b)
        return is_same_inode(&of_a, &of_b);
    return is_a == is_b && strcmp(last_part(a), last_part(b)) == 0 &&
           stat_folder(a, &of_a) && stat_folder(b, &of_b) &&
           is_same_inode(&of_a, &of_b);
}

static xh_status_t check_name(const xhpl_named_file_t *file)
{
    size_t length = strlen(file->name);

    if (length == 0 || length >= XHPL_FILE_SIZE)
        xh_log_error(
            "%s: the name of the file has %zu characters; allowed: 1 to %d",
            file->what, length, XHPL_FILE_SIZE - 1);
    else if (strcmp(file->name, "-") == 0)
        xh_log_error("%s -: stdout has the report and nothing else; allowed: "
                     "the name of a file",
                     file->what);
    else
        return XH_OK;
    return XH_ERR_INPUT;
}

static xh_status_t check_pair(const xhpl_named_file_t *a,
                              const xhpl_named_file_t *b)
{
    if (a->name == NULL || b->name == NULL ||
        (a->use == XHPL_READ && b->use == XHPL_READ) ||
        !is_same_file(a->name, b->name))
        return XH_OK;
    xh_log_error("%s and %s both name %s; give them two different files",
                 a->what, b->what, b->name);
    return XH_ERR_INPUT;
}

xh_status_t xhpl_named_files_check(const xhpl_named_file_t *files, int count)
{
    for (int i = 0; i < count; i++) {
        if (files[i].name != NULL && files[i].use == XHPL_WRITTEN)
            XH_TRY(check_name(&files[i]));
        for (int j = 0; j < i; j++)
            XH_TRY(check_pair(&files[j], &files[i]));
    }
    return XH_OK;
}
