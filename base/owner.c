/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/owner.h"

#include <sys/stat.h>
#include <unistd.h>

static bool owner_is_trusted(const struct stat *file,
                             const struct stat *program)
{
    return file->st_uid == geteuid() || file->st_uid == 0 ||
           (program != NULL && file->st_uid == program->st_uid);
}

/* Nobody of the group may write, or the program's group is that. */
static bool group_is_trusted(const struct stat *file,
                             const struct stat *program)
{
    return (file->st_mode & S_IWGRP) == 0 ||
           (program != NULL && (program->st_mode & S_IWGRP) != 0 &&
            file->st_gid == program->st_gid);
}

bool xh_owner_is_trusted(int fd, const char *program, char *why_p)
{
    struct stat file, of_program, *trusted = NULL;

    if (program != NULL && stat(program, &of_program) == 0)
        trusted = &of_program;
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
