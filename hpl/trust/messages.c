/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/trust/trust.h"

#include <string.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/sequence.h"
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "hpl/comm/waits.h"
#include "hpl/grid/peers.h"
#include "hpl/pauxil/map.h"

enum { MOST = HPL_TRUST_MOST, FACTOR = 8, SIDES = HPL_TRUST_SIDES };

/* What processes of comm send each other, and the expected. */
typedef struct {
    xh_exact_t *checks;
    const HPL_T_grid *grid;
    hpl_neighbourhood_t of;
    MPI_Comm comm;
    int me, size;
    double *out, *in[SIDES], *expected;
    const hpl_trust_memory_t *memory; /* NULL: these are sent and received */
} exchange_t;

static void fill(int process, size_t count, double *data)
{
    xh_lanes_t lanes = xh_lanes();

    xh_sequence_run(&lanes, (uint64_t)process + 1, (int64_t)count, data);
}

/* The process before me, or after me, in the ring. */
static int neighbour(const exchange_t *x, int side)
{
    return (x->me + (side == 0 ? x->size - 1 : 1)) % x->size;
}

static void send_and_receive(const exchange_t *x, size_t count)
{
    hpl_schedule_t *messages = hpl_schedule_create(x->comm, 0);

    for (int side = 0; side < SIDES; side++) {
        double *in = x->memory != NULL ? x->memory->in[side] : x->in[side];
        double *out = x->memory != NULL ? x->memory->out : x->out;

        hpl_schedule_receive(messages, in, count, neighbour(x, side));
        hpl_schedule_send(messages, out, count, neighbour(x, side));
    }
    hpl_schedule_begin(messages);
    hpl_schedule_end(messages);
}

static void compare(const exchange_t *x, int side, size_t count)
{
    const double *found = x->in[side];
    char sender[HPL_PEER_SIZE];
    size_t wrong = 0;

    fill(neighbour(x, side), count, x->expected);
    while (wrong < count &&
           memcmp(found + wrong, x->expected + wrong, sizeof(double)) == 0)
        wrong++;
    if (wrong == count || atomic_fetch_add(&x->checks->wrong, 1) > 0)
        return;
    hpl_peer_name(x->grid, x->of, neighbour(x, side), sender);
    xh_log_error("trust: a message was damaged: %zu bytes from %s: byte %zu: "
                 "expected %.17g, found %.17g",
                 count * sizeof(double), sender, wrong * sizeof(double),
                 x->expected[wrong], found[wrong]);
}

static bool put(const exchange_t *x, size_t count)
{
    fill(x->me, count, x->out);
    return x->memory == NULL ||
           x->memory->store(x->memory->context, x->out, count);
}

static bool get(const exchange_t *x, int side, size_t count)
{
    return x->memory == NULL ||
           x->memory->load(x->memory->context, side, x->in[side], count);
}

/* All of comm take as many sizes. */
static void exchange(exchange_t *x, size_t most)
{
    uint64_t longest = most;

    MPI_Comm_rank(x->comm, &x->me);
    MPI_Comm_size(x->comm, &x->size);
    if (x->size < 2)
        return;
    hpl_waits_allreduce(&longest, 1, MPI_UINT64_T, MPI_MAX, x->comm);
    for (size_t count = 1;; count = Mmin(FACTOR * count, longest)) {
        bool is_there = put(x, count);

        send_and_receive(x, count);
        for (int side = 0; side < SIDES; side++)
            if (is_there && get(x, side, count))
                compare(x, side, count);
        if (count >= longest)
            return;
    }
}

/* Host memory for what is sent, received and expected. */
static double *prepare(exchange_t *x)
{
    enum { VECTORS = SIDES + 2 };
    double *memory = malloc(VECTORS * MOST * sizeof(double));

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_trust_messages", "out of memory");
    x->out = memory;
    x->expected = memory + MOST;
    for (int side = 0; side < SIDES; side++)
        x->in[side] = memory + (2 + side) * MOST;
    return memory;
}

static void exchange_in_column(exchange_t *x, size_t most)
{
    x->comm = x->grid->exchange_comm;
    x->of = HPL_IN_MY_COLUMN;
    exchange(x, Mmin(most, (size_t)MOST));
}

void hpl_trust_messages(xh_exact_t *checks, const HPL_T_grid *grid, size_t most)
{
    exchange_t x = {.checks = checks, .grid = grid};
    double *memory = prepare(&x);

    x.comm = grid->bcast_comm;
    x.of = HPL_IN_MY_ROW;
    exchange(&x, Mmin(most, (size_t)MOST));
    exchange_in_column(&x, most);
    free(memory);
}

void hpl_trust_messages_in(xh_exact_t *checks, const HPL_T_grid *grid,
                           size_t most, const hpl_trust_memory_t *memory)
{
    exchange_t x = {.checks = checks, .grid = grid, .memory = memory};
    double *host = prepare(&x);

    exchange_in_column(&x, most);
    free(host);
}

size_t hpl_trust_panel(const HPL_T_grid *grid, int n, int nb)
{
    hpl_map_t map = hpl_map(nb, grid->nprow, grid->myrow);
    int64_t rows = hpl_map_count(&map, n);

    return (size_t)(xh_larger(rows, 1) * nb + (int64_t)nb * nb + nb);
}
