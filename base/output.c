/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/log.h"

enum { HEAD = 4096, WHY = 320, LINKS_MOST = 40 };

/* ---- beside -------------------------------------------------------------- */

/* Create a new file beside output's; its name is in output->fresh. Returns NULL
 * and sets errno on failure. */
static FILE *create_beside(xh_output_t *output)
{
    FILE *out;
    int fd;

    if (asprintf(&output->fresh, "%s.XXXXXX", output->name) < 0) {
        output->fresh = NULL;
        errno = ENOMEM;
        return NULL;
    }
    fd = mkostemp(output->fresh, O_CLOEXEC);
    out = fd >= 0 && fchmod(fd, output->mode) == 0 ? fdopen(fd, "w") : NULL;
    if (out != NULL)
        return out;
    if (fd >= 0) {
        close(fd);
        unlink(output->fresh);
    }
    free(output->fresh);
    output->fresh = NULL;
    return NULL;
}

static void forget_fresh(xh_output_t *output)
{
    unlink(output->fresh);
    free(output->fresh);
    output->fresh = NULL;
}

static bool can_be_replaced(xh_output_t *output)
{
    FILE *out = create_beside(output);

    if (out == NULL)
        return false;
    fclose(out);
    forget_fresh(output);
    return true;
}

/* ---- open ---------------------------------------------------------------- */

/* Replace output's name, which is a link, by its target. */
static bool follow_link(xh_output_t *output, char *why_p)
{
    char target[PATH_MAX], *slash = strrchr(output->name, '/'), *next;
    ssize_t length = readlink(output->name, target, sizeof(target) - 1);
    int folder = slash != NULL ? (int)(slash + 1 - output->name) : 0;

    if (length < 0 || asprintf(&next, "%.*s%.*s", target[0] != '/' ? folder : 0,
                               output->name, (int)length, target) < 0) {
        snprintf(why_p, WHY, "%s", strerror(errno));
        return false;
    }
    free(output->name);
    output->name = next;
    return true;
}

/* Follow links of this user or of root, but not those of other users. */
static bool follow_links(xh_output_t *output, char *why_p)
{
    struct stat about;

    for (int links = 0; links < LINKS_MOST; links++) {
        if (lstat(output->name, &about) != 0 || !S_ISLNK(about.st_mode))
            return true;
        if (about.st_uid != geteuid() && about.st_uid != 0) {
            snprintf(why_p, WHY, "%s is a link of user %u", output->name,
                     (unsigned)about.st_uid);
            return false;
        }
        if (!follow_link(output, why_p))
            return false;
    }
    snprintf(why_p, WHY, "%s", strerror(ELOOP));
    return false;
}

/* Does the regular file behind fd contain `mark`? */
static bool has_mark(int fd, const char *mark, off_t size)
{
    char head[HEAD];
    ssize_t length =
        size > 0 && mark != NULL ? pread(fd, head, sizeof(head), 0) : 0;

    return size == 0 || mark == NULL ||
           (length > 0 &&
            memmem(head, (size_t)length, mark, strlen(mark)) != NULL);
}

/* May the regular file behind fd be replaced? */
static bool check_existing(int fd, const char *mark, const struct stat *about,
                           char *why_p)
{
    if (about->st_uid != geteuid() && geteuid() != 0)
        snprintf(why_p, WHY, "it belongs to user %u", (unsigned)about->st_uid);
    else if (!has_mark(fd, mark, about->st_size))
        snprintf(why_p, WHY,
                 "that file holds something else; name another file, or add "
                 "--force to replace it");
    else
        return true;
    return false;
}

/* Open a device or a pipe, or a file in a folder that accepts no new file. */
static bool open_in_place(xh_output_t *output, char *why_p)
{
    int fd = open(output->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);

    output->in_place = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (output->in_place != NULL)
        return true;
    snprintf(why_p, WHY, "%s", strerror(errno));
    if (fd >= 0)
        close(fd);
    return false;
}

/* Is the name below /proc, where names belong to open files? */
static bool is_open_file(const char *name)
{
    return strncmp(name, "/dev/", 5) == 0 || strncmp(name, "/proc/", 6) == 0;
}

static bool open_regular(xh_output_t *output, const char *mark, char *why_p)
{
    struct stat about;
    int fd = open(output->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_good;

    if (fd < 0 || fstat(fd, &about) != 0) {
        snprintf(why_p, WHY, "%s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return false;
    }
    is_good = check_existing(fd, mark, &about, why_p);
    close(fd);
    output->mode = about.st_mode & 0777;
    output->exists = about.st_size > 0;
    return is_good && (can_be_replaced(output) || open_in_place(output, why_p));
}

static bool open_new(xh_output_t *output, char *why_p)
{
    mode_t mask = umask(0);

    umask(mask);
    output->mode = 0666 & ~mask;
    if (can_be_replaced(output))
        return true;
    snprintf(why_p, WHY, "%s", strerror(errno));
    return false;
}

static bool open_name(xh_output_t *output, const char *mark, char *why_p)
{
    struct stat about;

    if (!is_open_file(output->name) && !follow_links(output, why_p))
        return false;
    if (stat(output->name, &about) != 0) {
        if (errno == ENOENT)
            return open_new(output, why_p);
        snprintf(why_p, WHY, "%s", strerror(errno));
        return false;
    }
    if (S_ISREG(about.st_mode) && !is_open_file(output->name))
        return open_regular(output, mark, why_p);
    output->once = true;
    return open_in_place(output, why_p);
}

xh_status_t xh_output_open(const char *option, const char *name,
                           const char *mark, xh_output_t *output_p)
{
    xh_output_t output = {.name = strdup(name)};
    char why[WHY];

    if (output.name == NULL)
        return XH_ERR_MEMORY;
    if (name[0] == '\0')
        snprintf(why, sizeof(why), "its name is empty");
    else if (open_name(&output, mark, why)) {
        *output_p = output;
        return XH_OK;
    }
    xh_log_error("%s: cannot write %s: %s", option, name, why);
    free(output.name);
    return XH_ERR_INPUT;
}

xh_status_t xh_output_stream(const char *option, const char *name,
                             const char *mark, FILE **out_p)
{
    xh_output_t output;
    FILE *out;
    int fd;

    XH_TRY(xh_output_open(option, name, mark, &output));
    out = output.in_place;
    output.in_place = NULL;
    if (out == NULL) {
        fd = open(output.name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
                  0666);
        out = fd >= 0 ? fdopen(fd, "w") : NULL;
    }
    if (out == NULL || (!output.once && ftruncate(fileno(out), 0) != 0)) {
        xh_log_error("%s: cannot write %s: %s", option, name, strerror(errno));
        xh_output_close(&output);
        return XH_ERR_INPUT;
    }
    xh_output_close(&output);
    *out_p = out;
    return XH_OK;
}

/* ---- writing ------------------------------------------------------------- */

FILE *xh_output_begin(xh_output_t *output)
{
    if (output->in_place == NULL)
        return create_beside(output);
    if (!output->once) {
        rewind(output->in_place);
        if (ftruncate(fileno(output->in_place), 0) != 0)
            return NULL;
    }
    return output->in_place;
}

/* Write everything to the disk. Returns false if anything is missing. */
static bool flush(FILE *out, bool is_whole)
{
    bool had_error = ferror(out) != 0;

    if (had_error && is_whole)
        errno = EIO;
    return fflush(out) == 0 && !had_error && is_whole;
}

bool xh_output_end(xh_output_t *output, FILE *out, bool is_whole)
{
    int saved;
    bool is_written;

    if (out == NULL)
        return false;
    is_written = flush(out, is_whole);
    if (out == output->in_place)
        return is_written;
    is_written = is_written && fsync(fileno(out)) == 0;
    saved = errno;
    if (fclose(out) == 0 && is_written &&
        rename(output->fresh, output->name) == 0) {
        free(output->fresh);
        output->fresh = NULL;
        return true;
    }
    errno = is_written ? errno : saved;
    saved = errno;
    forget_fresh(output);
    errno = saved;
    return false;
}

bool xh_output_close(xh_output_t *output)
{
    bool is_good = output->in_place == NULL || fclose(output->in_place) == 0;

    free(output->name);
    free(output->fresh);
    *output = (xh_output_t){.name = NULL};
    return is_good;
}
