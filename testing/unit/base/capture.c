/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/base/capture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static char text[1 << 16];
static int saved;
static int ends[2];

void capture_begin(void)
{
    fflush(stderr);
    saved = dup(STDERR_FILENO);
    /* a socket of this kind keeps the writes apart */
    if (saved < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) != 0 ||
        dup2(ends[1], STDERR_FILENO) < 0)
        abort();
}

const char *capture_end(int *writes_p)
{
    size_t used = 0;
    int writes = 0;
    ssize_t got;

    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    close(ends[1]);
    while ((got = recv(ends[0], text + used, sizeof(text) - 1 - used, 0)) > 0) {
        used += (size_t)got;
        writes++;
    }
    close(ends[0]);
    text[used] = '\0';
    if (writes_p != NULL)
        *writes_p = writes;
    return text;
}

int capture_lines(const char *of)
{
    int lines = 0;

    for (; *of != '\0'; of++)
        lines += *of == '\n';
    return lines;
}
