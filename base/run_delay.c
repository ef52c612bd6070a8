/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/run_delay.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/sysfile.h"

/* Parse two numbers: ns on a core, and ns on a run queue. */
static xh_run_delay_t parse(const char *text)
{
    char *second;
    double ran = 1e-9 * (double)strtoull(text, &second, 10);

    return (xh_run_delay_t){ran, 1e-9 * (double)strtoull(second, NULL, 10)};
}

bool xh_run_delay_read(int *file, xh_run_delay_t *delay_p)
{
    char text[80];
    ssize_t length = 0;

    if (*file == 0)
        *file = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (*file > 0)
        length = pread(*file, text, sizeof(text) - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    *delay_p = parse(text);
    return length > 0;
}

xh_run_delay_t xh_run_delay_of_process(void)
{
    DIR *tasks = opendir("/proc/self/task");
    xh_run_delay_t all = {0}, one;
    struct dirent *task;
    char path[300], text[80];

    while (tasks != NULL && (task = readdir(tasks)) != NULL) {
        snprintf(path, sizeof(path), "/proc/self/task/%s", task->d_name);
        if (!xh_sysfile_line(path, "schedstat", text, sizeof(text)))
            continue;
        one = parse(text);
        all.ran += one.ran;
        all.waited += one.waited;
    }
    if (tasks != NULL)
        closedir(tasks);
    return all;
}

double xh_run_delay_of_others(const xh_run_delay_t *from,
                              const xh_run_delay_t *to)
{
    double waited = to->waited - from->waited;
    double all = waited + to->ran - from->ran;

    return all > 0.0 && waited > 0.0 ? waited / all : 0.0;
}
