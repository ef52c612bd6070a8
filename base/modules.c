/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "base/modules.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { PATH_SIZE = 4096 };

/* which of those that fit is looked for */
typedef struct {
    const char *prefix;
    int before; /* how many come before it */
    char path[PATH_SIZE];
} search_t;

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
    search_t *search = argument;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;

    (void)size;
    if (strncmp(name, search->prefix, strlen(search->prefix)) != 0)
        return 0;
    if (search->before-- > 0)
        return 0;
    snprintf(search->path, sizeof(search->path), "%s", info->dlpi_name);
    return 1;
}

/* The list of libraries is locked while it is gone through: one at a time. */
int xh_modules_keep(const char *prefix)
{
    int count;

    for (count = 0;; count++) {
        search_t search = {.prefix = prefix, .before = count};

        if (dl_iterate_phdr(visit, &search) == 0)
            return count;
        dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
    }
}
