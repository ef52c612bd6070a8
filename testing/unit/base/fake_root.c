/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* nftw */
#include "testing/unit/base/fake_root.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/fake-root-XXXXXX";
const char *const fake_root = root;

const char *fake_root_create(void)
{
    strcpy(root + strlen(root) - 6, "XXXXXX");
    if (mkdtemp(root) == NULL)
        abort();
    return root;
}

static void make_folders(char *path)
{
    char *slash = path + strlen(root);

    while ((slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        mkdir(path, 0700);
        *slash = '/';
    }
}

void fake_root_write(const char *path, const char *text)
{
    char full[4096];
    FILE *out;

    snprintf(full, sizeof(full), "%s/%s", root, path);
    make_folders(full);
    out = fopen(full, "w");
    if (out == NULL || fputs(text, out) < 0 || fclose(out) != 0)
        abort();
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

void fake_root_destroy(void)
{
    nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int fake_root_open(void **state)
{
    (void)state;
    fake_root_create();
    return 0;
}

int fake_root_close(void **state)
{
    (void)state;
    fake_root_destroy();
    return 0;
}
