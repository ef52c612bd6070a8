/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/processes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "base/settings.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"

int xhpl_grid_rows(int processes)
{
    int rows = (int)sqrt(processes);

    while (processes % rows != 0)
        rows--;
    return rows;
}

MPI_Comm xhpl_node_comm(void)
{
    MPI_Comm node;

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                        &node);
    return node;
}

int xhpl_local_rank(void)
{
    MPI_Comm node = xhpl_node_comm();
    int rank = xhpl_rank(node);

    MPI_Comm_free(&node);
    return rank;
}

void xhpl_idle_barrier(MPI_Comm comm)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    MPI_Request request;
    int done = 0;

    MPI_Ibarrier(comm, &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&nap, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

/* A text is sent in pieces; the last one is not full, possibly empty. */
enum { TAG_PIECE = 1, PIECE = 1 << 20 };

void xhpl_text_send(MPI_Comm comm, const char *text, size_t size)
{
    size_t at = 0;

    for (; size - at >= PIECE; at += PIECE)
        MPI_Send(text + at, PIECE, MPI_BYTE, 0, TAG_PIECE, comm);
    MPI_Send(text + at, (int)(size - at), MPI_BYTE, 0, TAG_PIECE, comm);
}

/* Grow text so that one more piece fits after size bytes, and a 0 byte. */
static char *room_for_piece(char *text, size_t size)
{
    text = realloc(text, size + PIECE + 1);
    if (text == NULL)
        HPL_pabort(__LINE__, "xhpl_text_receive", "out of memory");
    return text;
}

void xhpl_text_receive(MPI_Comm comm, int process, char **text_p,
                       size_t *size_p)
{
    char *text = NULL;
    size_t size = 0;
    int length = PIECE;
    MPI_Status status;

    for (; length == PIECE; size += (size_t)length) {
        text = room_for_piece(text, size);
        MPI_Recv(text + size, PIECE, MPI_BYTE, process, TAG_PIECE, comm,
                 &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
    }
    text[size] = '\0';
    *text_p = text;
    *size_p = size;
}

void xhpl_settings_share(void)
{
    enum {
        ASSIGNMENT_SIZE = 2048
    }; /* longer than the longest name and value */
    char assignment[ASSIGNMENT_SIZE];
    int rank = xhpl_rank(MPI_COMM_WORLD);

    for (int i = 0; i < xh_settings_count(); i++) {
        const char *name = xh_settings_row(i)->name;

        snprintf(assignment, sizeof(assignment), "%s=%s", name,
                 xh_settings_text(name));
        MPI_Bcast(assignment, ASSIGNMENT_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (rank != 0 && xh_settings_assign(assignment) != XH_OK)
            hpl_abort_job();
    }
}
