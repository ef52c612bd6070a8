/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/links.h"

#include <math.h>
#include <mpi.h>
#include <stddef.h>
#include "base/clock.h"
#include "base/memory.h"
#include "hpl/grid/agree.h"

enum {
    SHORT = 64,     /* bytes of a message whose time is latency */
    LONG = 1 << 21, /* ... and of one whose time is bandwidth */
    PLACES = 8,     /* in memory, by turns: rows come from everywhere */
    MOST_TURNS = 2000,
    TAG = 1
};

/* Who sends what to whom. */
typedef struct {
    int to, from;
    char *sent, *received;
} ring_t;

double xhpl_links_slowest(double value)
{
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return value;
}

/* Seconds of a message, mean of some turns. */
static double turns(const ring_t *ring, int bytes, int count)
{
    double begun;

    MPI_Barrier(MPI_COMM_WORLD);
    begun = xh_clock_now();
    for (int i = 0; i < count; i++) {
        size_t at = (size_t)(i % PLACES) * LONG;

        MPI_Sendrecv(ring->sent + at, bytes, MPI_CHAR, ring->to, TAG,
                     ring->received + at, bytes, MPI_CHAR, ring->from, TAG,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return xhpl_links_slowest((xh_clock_now() - begun) / count);
}

/* The same of as many as there is time for; the first ones warm up. */
static double message(const ring_t *ring, int bytes, double seconds)
{
    double once;

    turns(ring, bytes, PLACES);
    once = turns(ring, bytes, 1);
    return turns(ring, bytes, (int)fmin(MOST_TURNS, fmax(2.0, seconds / once)));
}

xh_status_t xhpl_links_measure(int step, double seconds, xhpl_link_t *link_p)
{
    enum { BYTES = PLACES * LONG };
    int rank, size;
    void *memory = NULL;
    xh_status_t status;
    ring_t ring;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    *link_p = (xhpl_link_t){0};
    if (size == 1)
        return XH_OK;
    status = hpl_agree(MPI_COMM_WORLD, xh_memory_allocate(2 * BYTES, &memory));
    if (status == XH_OK) {
        ring = (ring_t){.to = (rank + step) % size,
                        .from = (rank + size - step % size) % size,
                        .sent = memory,
                        .received = (char *)memory + BYTES};
        link_p->latency = message(&ring, SHORT, seconds / 2);
        link_p->bandwidth =
            LONG /
            fmax(1e-9, message(&ring, LONG, seconds / 2) - link_p->latency);
    }
    xh_memory_free(memory, 2 * BYTES);
    return status;
}
