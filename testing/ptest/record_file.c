/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"

enum { FRESH_SIZE = XHPL_FILE_SIZE + 8 };

/* A new file beside file, or NULL; fresh_p has its name. */
static FILE *create_beside(const xhpl_record_file_t *file,
                           char fresh_p[FRESH_SIZE])
{
    FILE *out;
    int fd;

    snprintf(fresh_p, FRESH_SIZE, "%s.XXXXXX", file->name);
    fd = mkstemp(fresh_p);
    if (fd < 0)
        return NULL;
    out = fchmod(fd, file->mode) == 0 ? fdopen(fd, "w") : NULL;
    if (out == NULL) {
        close(fd);
        unlink(fresh_p);
    }
    return out;
}

static bool can_be_replaced(const xhpl_record_file_t *file)
{
    char fresh[FRESH_SIZE];
    FILE *out = create_beside(file, fresh);

    if (out == NULL)
        return false;
    fclose(out);
    return unlink(fresh) == 0;
}

/* The file is as it was, or absent, until there is a text to replace it by. */
static bool open_replaced(xhpl_record_file_t *file)
{
    struct stat about;

    if (file->name[0] == '\0')
        return false;
    if (lstat(file->name, &about) != 0) {
        mode_t mask = umask(0);

        umask(mask);
        file->mode = 0666 & ~mask;
        return can_be_replaced(file);
    }
    file->mode = about.st_mode & 0777;
    return S_ISREG(about.st_mode) && access(file->name, W_OK) == 0 &&
           can_be_replaced(file);
}

xh_status_t xhpl_record_file_open(const char *name, xhpl_record_file_t *file_p)
{
    xhpl_record_file_t file = {.in_place = NULL};
    struct stat about;

    snprintf(file.name, sizeof(file.name), "%s", name);
    if (!open_replaced(&file)) {
        int fd = open(name, O_WRONLY | O_CREAT, 0666);

        if (fd < 0 || fstat(fd, &about) != 0 ||
            (file.in_place = fdopen(fd, "w")) == NULL) {
            xh_log_error("--json: cannot write %s: %s", name, strerror(errno));
            if (fd >= 0)
                close(fd);
            return XH_ERR_INPUT;
        }
        file.once = !S_ISREG(about.st_mode);
    }
    *file_p = file;
    return XH_OK;
}

static bool print(const json_t *root, FILE *out)
{
    errno = EIO;
    return json_dumpf(root, out, JSON_INDENT(1)) == 0 &&
           fputc('\n', out) != EOF && fflush(out) == 0;
}

static bool replace(const xhpl_record_file_t *file, const json_t *root)
{
    char fresh[FRESH_SIZE];
    FILE *out = create_beside(file, fresh);
    bool is_complete;
    int saved;

    if (out == NULL)
        return false;
    is_complete = print(root, out);
    saved = errno;
    if (fclose(out) == 0 && is_complete && rename(fresh, file->name) == 0)
        return true;
    saved = is_complete ? errno : saved;
    unlink(fresh);
    errno = saved;
    return false;
}

bool xhpl_record_file_write(xhpl_record_file_t *file, const json_t *root)
{
    if (file->in_place == NULL)
        return replace(file, root);
    if (!file->once) {
        rewind(file->in_place);
        if (ftruncate(fileno(file->in_place), 0) != 0)
            return false;
    }
    return print(root, file->in_place);
}

bool xhpl_record_file_close(xhpl_record_file_t *file)
{
    return file->in_place == NULL || fclose(file->in_place) == 0;
}
