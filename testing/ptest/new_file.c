/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/new_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"

enum { NAME_SIZE = 4096 + 32 };

/* errno says why not. */
static xh_status_t refuse(const char *name)
{
    bool exists = errno == EEXIST;

    xh_log_error("--write: %s%s%s", name,
                 exists ? " exists, and is left as it is"
                        : " cannot be written: ",
                 exists ? "" : strerror(errno));
    return XH_ERR_INPUT;
}

/* A name beside it that no other process has. */
static void name_beside(const char *name, char beside[NAME_SIZE])
{
    snprintf(beside, NAME_SIZE, "%s.%ld", name, (long)getpid());
}

static bool exists(const char *name)
{
    struct stat about;

    if (lstat(name, &about) != 0)
        return false;
    errno = EEXIST;
    return true;
}

static bool put(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(name, "w");
    bool done;

    if (file == NULL)
        return false;
    done = fwrite(text, 1, size, file) == size;
    return fclose(file) == 0 && done;
}

/* Some file systems have no links, and only there the name could have been
 * taken in between. */
static bool give_name(const char *from, const char *name)
{
    return link(from, name) == 0 ||
           (errno != EEXIST && !exists(name) && rename(from, name) == 0);
}

/* errno survives. */
static void drop(const char *name)
{
    int error = errno;

    unlink(name);
    errno = error;
}

xh_status_t xhpl_new_file_check(const char *name)
{
    char beside[NAME_SIZE];
    bool could;

    name_beside(name, beside);
    could = !exists(name) && put(beside, "", 0);
    drop(beside);
    return could ? XH_OK : refuse(name);
}

xh_status_t xhpl_new_file_write(const char *name, const char *text, size_t size)
{
    char beside[NAME_SIZE];
    bool done;

    name_beside(name, beside);
    done = !exists(name) && put(beside, text, size) && give_name(beside, name);
    drop(beside);
    return done ? XH_OK : refuse(name);
}
