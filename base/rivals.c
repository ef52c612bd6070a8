/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/rivals.h"

#include <ctype.h>
#include <dirent.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "base/sysfile.h"
#include "base/text.h"

enum {
    PROGRAMS = 4096, /* programs examined, at most */
    NAME = 16,       /* bytes of a name, which the system cuts */
    NAMED = 3,
    SHOWN = 40,  /* letters of a name, and of a user's, at most */
    USERS = 4096 /* bytes of an entry of a user */
};

static const double pause_seconds = 0.2, noticeable = 0.1; /* of a core */

typedef struct {
    long process;
    unsigned long ticks;
    uid_t user;
    char name[NAME];
} program_t;

/* Read one process from "12 (name of it) R 1 ..."; its ticks are in fields 14
 * and 15. */
static bool look(const char *process, program_t *program_p)
{
    char folder[64], file[64], line[512] = "", *name, *end;
    unsigned long user, kernel;
    struct stat about;

    snprintf(folder, sizeof(folder), "/proc/%.20s", process);
    snprintf(file, sizeof(file), "%.20s/stat", process);
    xh_sysfile_line("/proc", file, line, sizeof(line));
    name = strchr(line, '(');
    end = strrchr(line, ')');
    if (name == NULL || end == NULL ||
        sscanf(end + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu",
               &user, &kernel) != 2 ||
        stat(folder, &about) != 0)
        return false;
    *end = '\0';
    program_p->process = strtol(line, NULL, 10);
    program_p->ticks = user + kernel;
    program_p->user = about.st_uid;
    snprintf(program_p->name, NAME, "%s", name + 1);
    return true;
}

/* May the program belong to this job? */
static bool is_like(const program_t *own, const program_t *program)
{
    return strcmp(program->name, own->name) == 0 && program->user == own->user;
}

/* List all programs except those of this name and user, in the system's order.
 */
static int look_at_all(program_t *programs)
{
    DIR *folder = opendir("/proc");
    program_t own = {.name = ""};
    struct dirent *entry;
    int count = 0;

    look("self", &own);
    while (folder != NULL && count < PROGRAMS &&
           (entry = readdir(folder)) != NULL)
        if (isdigit((unsigned char)entry->d_name[0]) &&
            look(entry->d_name, &programs[count]) &&
            !is_like(&own, &programs[count]))
            count++;
    if (folder != NULL)
        closedir(folder);
    return count;
}

static unsigned long ticks_before(const program_t *before, int count,
                                  const program_t *now)
{
    for (int i = 0; i < count; i++)
        if (before[i].process == now->process)
            return before[i].ticks < now->ticks ? before[i].ticks : now->ticks;
    return now->ticks; /* the process has just begun */
}

static int busiest_first(const void *a, const void *b)
{
    unsigned long of_a = ((const program_t *)a)->ticks;
    unsigned long of_b = ((const program_t *)b)->ticks;

    return (of_a < of_b) - (of_a > of_b);
}

/* Give each program the ticks of all its processes since `before`; they are
 * counted for its busiest process. */
static void take_since(const program_t *before, int earlier, program_t *now,
                       int count)
{
    for (int i = 0; i < count; i++)
        now[i].ticks -= ticks_before(before, earlier, &now[i]);
    qsort(now, (size_t)count, sizeof(*now), busiest_first);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && now[i].ticks > 0; j++)
            if (now[j].ticks > 0 && strcmp(now[i].name, now[j].name) == 0) {
                now[i].ticks += now[j].ticks;
                now[j].ticks = 0;
            }
}

/* Complete the name if a file on the command line begins with it: the program
 * or its script. */
static void complete_name(const program_t *program, char *name_p, size_t size)
{
    char path[64], words[1024];
    size_t length;
    FILE *file;

    snprintf(name_p, size, "%s", program->name);
    snprintf(path, sizeof(path), "/proc/%ld/cmdline", program->process);
    if (strlen(program->name) < NAME - 1 || (file = fopen(path, "r")) == NULL)
        return;
    length = fread(words, 1, sizeof(words) - 1, file);
    words[length] = '\0';
    fclose(file);
    for (const char *word = words; word < words + length;
         word += strlen(word) + 1) {
        const char *base = strrchr(word, '/');

        base = base != NULL ? base + 1 : word;
        if (strncmp(base, program->name, NAME - 1) == 0) {
            snprintf(name_p, size, "%s", base);
            return;
        }
    }
}

/* Write " of eva"; "" if the system does not report the user. */
static void name_user(uid_t id, char *text_p, size_t size)
{
    char names[USERS];
    struct passwd user, *found = NULL;

    text_p[0] = '\0';
    if (getpwuid_r(id, &user, names, USERS, &found) == 0 && found != NULL)
        snprintf(text_p, size, " of %s", user.pw_name);
}

static void name_most(program_t *programs, int count, xh_rivals_t *rivals)
{
    double least = noticeable * pause_seconds * (double)sysconf(_SC_CLK_TCK);

    for (int n = 0; n < NAMED && count > 0; n++) {
        program_t *most = &programs[0];
        char name[SHOWN], user[SHOWN];

        for (int i = 1; i < count; i++)
            if (programs[i].ticks > most->ticks)
                most = &programs[i];
        if ((double)most->ticks < least)
            break;
        complete_name(most, name, sizeof(name));
        name_user(most->user, user, sizeof(user));
        xh_text_append(rivals->text, sizeof(rivals->text), "%s%s PID %ld%s",
                       n > 0 ? ", " : "", name, most->process, user);
        most->ticks = 0;
    }
    for (char *at = rivals->text; *at != '\0'; at++)
        *at = isprint((unsigned char)*at) ? *at : '?';
}

xh_rivals_t xh_rivals_now(void)
{
    const struct timespec pause = {.tv_nsec = (long)(1e9 * pause_seconds)};
    program_t *before = malloc(2 * PROGRAMS * sizeof(*before));
    xh_rivals_t rivals = {.text = ""};
    int earlier, count;

    if (before == NULL)
        return rivals;
    earlier = look_at_all(before);
    nanosleep(&pause, NULL);
    count = look_at_all(before + PROGRAMS);
    take_since(before, earlier, before + PROGRAMS, count);
    name_most(before + PROGRAMS, count, &rivals);
    free(before);
    return rivals;
}
