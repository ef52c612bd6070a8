/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 4096 }; /* bytes of a user's or group's entry */

static bool owner_is_trusted(const struct stat *file,
                             const struct stat *program)
{
    return file->st_uid == geteuid() || file->st_uid == 0 ||
           (program != NULL && file->st_uid == program->st_uid);
}

/* Is this the group that a system creates for one user, with equal number and
 * name? */
static bool is_group_of_owner(const struct stat *file)
{
    char user_names[NAMES], group_names[NAMES];
    struct passwd user, *of_user = NULL;
    struct group group, *of_group = NULL;

    return file->st_gid == file->st_uid &&
           getpwuid_r(file->st_uid, &user, user_names, NAMES, &of_user) == 0 &&
           getgrgid_r(file->st_gid, &group, group_names, NAMES, &of_group) ==
               0 &&
           of_user != NULL && of_group != NULL &&
           strcmp(user.pw_name, group.gr_name) == 0;
}

/* Nobody of the group may write, or the group is trusted. */
static bool group_is_trusted(const struct stat *file,
                             const struct stat *program)
{
    return (file->st_mode & S_IWGRP) == 0 || is_group_of_owner(file) ||
           (program != NULL && (program->st_mode & S_IWGRP) != 0 &&
            file->st_gid == program->st_gid);
}

/* What is known of the program; NULL: none is given, or there. */
static const struct stat *look_at(const char *program, struct stat *about)
{
    return program != NULL && stat(program, about) == 0 ? about : NULL;
}

bool xh_owner_is_trusted(int fd, const char *program, char *why_p)
{
    struct stat file, of_program;
    const struct stat *trusted = look_at(program, &of_program);

    if (fstat(fd, &file) != 0)
        snprintf(why_p, XH_OWNER_WHY, "its owner cannot be read");
    else if (!owner_is_trusted(&file, trusted))
        snprintf(why_p, XH_OWNER_WHY, "it belongs to user %u",
                 (unsigned)file.st_uid);
    else if ((file.st_mode & S_IWOTH) != 0)
        snprintf(why_p, XH_OWNER_WHY, "everybody may write it");
    else if (!group_is_trusted(&file, trusted))
        snprintf(why_p, XH_OWNER_WHY, "group %u may write it",
                 (unsigned)file.st_gid);
    else
        return true;
    return false;
}

/* The owner of the link, whatever it leads to. */
static bool link_is_trusted(const char *path, const char *program, char *why_p)
{
    struct stat link, of_program;

    if (lstat(path, &link) != 0 || !S_ISLNK(link.st_mode) ||
        owner_is_trusted(&link, look_at(program, &of_program)))
        return true;
    snprintf(why_p, XH_OWNER_WHY, "it is a link of user %u",
             (unsigned)link.st_uid);
    return false;
}

static bool file_is_trusted(int fd, const struct stat *about,
                            const char *program, char *why_p)
{
    if (S_ISREG(about->st_mode))
        return xh_owner_is_trusted(fd, program, why_p);
    snprintf(why_p, XH_OWNER_WHY, "it is not a regular file");
    return false;
}

xh_status_t xh_trusted_open(const char *path, const char *program,
                            FILE **file_p, char *why_p)
{
    xh_status_t status = XH_ERR_IO;
    struct stat about;
    FILE *file = NULL;
    int fd, saved;

    if (!link_is_trusted(path, program, why_p))
        return XH_ERR_INPUT;
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return XH_ERR_IO;
    if (fstat(fd, &about) == 0)
        status =
            file_is_trusted(fd, &about, program, why_p) ? XH_OK : XH_ERR_INPUT;
    if (status == XH_OK && (file = fdopen(fd, "r")) != NULL) {
        *file_p = file;
        return XH_OK;
    }
    saved = errno;
    close(fd);
    errno = saved;
    return status == XH_OK ? XH_ERR_IO : status;
}
