/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/cgroup.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/sysfile.h"

typedef enum { VERSION_1, VERSION_2, VERSIONS } version_t;

/* Return the limit of one level; HUGE_VAL: none. */
typedef double (*level_fn_t)(const char *folder, version_t version);

static const struct {
    const char *limit, *usage;
    const char *inactive; /* line of memory.stat that includes descendants */
} memory_files[VERSIONS] = {
    [VERSION_1] = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                   "total_inactive_file"},
    [VERSION_2] = {"memory.max", "memory.current", "inactive_file"},
};

typedef struct { /* one controller of one version */
    const char *controller;
    version_t version;
    char group[XH_SYSFILE_PATH];      /* this process's group */
    char mount_root[XH_SYSFILE_PATH]; /* the group whose folder is mounted */
    char mount[XH_SYSFILE_PATH];      /* where it is mounted */
} hierarchy_t;

typedef bool (*parse_fn_t)(char *line, hierarchy_t *h);

/* Is `word` an element of `list`, a comma-separated list? */
static bool lists(const char *list, const char *word)
{
    char all[XH_SYSFILE_PATH], one[64];

    snprintf(all, sizeof(all), ",%.*s,", (int)strcspn(list, "\n"), list);
    snprintf(one, sizeof(one), ",%s,", word);
    return strstr(all, one) != NULL;
}

/* Set h->group from a line of /proc/self/cgroup if the line is about h. */
static bool parse_group(char *line, hierarchy_t *h)
{
    char *controllers = strchr(line, ':');
    char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;

    if (path == NULL)
        return false;
    *controllers++ = '\0';
    *path++ = '\0';
    if (h->version == VERSION_2 ? *controllers != '\0' || strcmp(line, "0") != 0
                                : !lists(controllers, h->controller))
        return false;
    snprintf(h->group, sizeof(h->group), "%.*s", (int)strcspn(path, "\n"),
             path);
    return true;
}

/* Undo the system's \ooo for blanks and similar characters. */
static void unescape(char *text)
{
    char *to = text;
    int length;
    unsigned int code;

    while (*text != '\0') {
        length = 0;
        sscanf(text, "\\%3o%n", &code, &length);
        *to++ = length == 4 ? (char)code : *text;
        text += length == 4 ? 4 : 1;
    }
    *to = '\0';
}

/* Set h->mount and h->mount_root from a line of /proc/self/mountinfo. */
static bool parse_mount(char *line, hierarchy_t *h)
{
    const char *tail = strstr(line, " - ");
    char type[32], options[256];

    if (tail == NULL || sscanf(tail, " - %31s %*s %255s", type, options) != 2 ||
        sscanf(line, "%*s %*s %*s %4095s %4095s", h->mount_root, h->mount) != 2)
        return false;
    unescape(h->mount_root);
    unescape(h->mount);
    if (h->version == VERSION_2)
        return strcmp(type, "cgroup2") == 0;
    return strcmp(type, "cgroup") == 0 && lists(options, h->controller);
}

static bool scan(const char *root, const char *file, parse_fn_t parse,
                 hierarchy_t *h)
{
    char path[XH_SYSFILE_PATH];
    FILE *in = xh_sysfile_path(root, file, path) ? fopen(path, "r") : NULL;
    char *line = NULL;
    size_t capacity = 0;
    bool found = false;

    if (in == NULL)
        return false;
    while (!found && getline(&line, &capacity, in) > 0)
        found = parse(line, h);
    free(line);
    fclose(in);
    return found;
}

/*
 * The group's path below the mount point, "" or "/...". In a container, the
 * mount may begin at a lower group than the path does, or contain no part of
 * the path.
 */
static const char *below_mount(const hierarchy_t *h)
{
    size_t length = strcmp(h->mount_root, "/") == 0 ? 0 : strlen(h->mount_root);

    if (strncmp(h->group, h->mount_root, length) != 0 ||
        h->group[length] != '/' || h->group[length + 1] == '\0' ||
        strstr(h->group, "/..") != NULL)
        return "";
    return h->group + length;
}

static double least_of_levels(const char *root, hierarchy_t *h,
                              level_fn_t level)
{
    char folder[XH_SYSFILE_PATH];
    double least = HUGE_VAL;
    size_t top;

    if (!scan(root, "proc/self/cgroup", parse_group, h) ||
        !scan(root, "proc/self/mountinfo", parse_mount, h) ||
        !xh_sysfile_path(root, h->mount + 1, folder))
        return HUGE_VAL;
    top = strlen(folder);
    snprintf(folder + top, sizeof(folder) - top, "%s", below_mount(h));
    for (;;) {
        least = fmin(least, level(folder, h->version));
        if (strlen(folder) <= top)
            return least;
        *strrchr(folder, '/') = '\0';
    }
}

static double least_of_all(const char *root, const char *controller,
                           level_fn_t level)
{
    hierarchy_t first = {.controller = controller, .version = VERSION_1};
    hierarchy_t second = {.controller = controller, .version = VERSION_2};

    return fmin(least_of_levels(root, &first, level),
                least_of_levels(root, &second, level));
}

static double memory_left(const char *folder, version_t version)
{
    int64_t limit, usage;
    char inactive[32] = "0";

    if (!xh_sysfile_number(folder, memory_files[version].limit, &limit) ||
        !xh_sysfile_number(folder, memory_files[version].usage, &usage))
        return HUGE_VAL;
    xh_sysfile_value(folder, "memory.stat", memory_files[version].inactive,
                     inactive, sizeof(inactive));
    usage -= strtoll(inactive, NULL, 10);
    return fmax(0.0, (double)limit - fmax(0.0, (double)usage));
}

static double cpu_quota(const char *folder, version_t version)
{
    char line[64];
    int64_t quota, period;

    if (version == VERSION_2) {
        if (!xh_sysfile_line(folder, "cpu.max", line, sizeof(line)) ||
            sscanf(line, "%" SCNd64 " %" SCNd64, &quota, &period) != 2)
            return HUGE_VAL;
    } else if (!xh_sysfile_number(folder, "cpu.cfs_quota_us", &quota) ||
               !xh_sysfile_number(folder, "cpu.cfs_period_us", &period)) {
        return HUGE_VAL;
    }
    return quota > 0 && period > 0 ? (double)quota / (double)period : HUGE_VAL;
}

uint64_t xh_cgroup_memory_left(const char *root)
{
    double left = least_of_all(root, "memory", memory_left);

    return left < 0x1p63 ? (uint64_t)left : UINT64_MAX;
}

double xh_cgroup_cpu_quota(const char *root)
{
    return least_of_all(root, "cpu", cpu_quota);
}
