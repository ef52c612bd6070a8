/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

enum { MOST = 16384 }; /* processes of all tests before, a few MB */

/* what one process did; flat, so that a gather carries it */
typedef struct xhpl_share {
    int rank; /* in the job */
    bool known;
    hpl_work_t work;
} share_t;

static share_t mine(const hpl_system_t *system)
{
    share_t share = {.known = false};

    MPI_Comm_rank(MPI_COMM_WORLD, &share.rank);
    if (hpl_solver()->work != NULL)
        share.known = hpl_solver()->work(system, &share.work);
    return share;
}

static int by_rank(const void *a, const void *b)
{
    const share_t *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

void xhpl_ranks_gather(xhpl_ranks_t *ranks, MPI_Comm comm,
                       const hpl_system_t *system)
{
    share_t share = mine(system);

    xhpl_ranks_free(ranks);
    ranks->share = xhpl_record_gather(comm, &share, sizeof(share));
    MPI_Comm_size(comm, &ranks->count);
    if (ranks->share != NULL)
        qsort(ranks->share, (size_t)ranks->count, sizeof(share), by_rank);
}

void xhpl_ranks_free(xhpl_ranks_t *ranks)
{
    free(ranks->share);
    ranks->share = NULL;
}

/* ---- on process 0 -------------------------------------------------------- */

static json_t *rank_at(const share_t *share)
{
    const hpl_work_t *work = &share->work;
    json_t *object = json_object();

    xhpl_json_set_count(object, "rank", share->rank);
    xhpl_json_set_number(object, "panel", work->panel);
    xhpl_json_set_number(object, "swap", work->swap);
    xhpl_json_set_number(object, "solve", work->solve);
    xhpl_json_set_number(object, "update", work->update);
    xhpl_json_set_number(object, "broadcast", work->broadcast);
    xhpl_json_set_number(object, "exchange", work->exchange);
    xhpl_json_set_number(object, "wait", work->wait);
    xhpl_json_set_number(object, "gflop", work->flop * 1e-9);
    xhpl_json_set_number(object, "thread_gflops", work->rate * 1e-9);
    return object;
}

json_t *xhpl_ranks_take(xhpl_ranks_t *ranks)
{
    json_t *list;

    if (ranks->share == NULL || !ranks->share[0].known || ranks->taken >= MOST)
        return json_null();
    ranks->taken += ranks->count;
    list = json_array();
    for (int i = 0; i < ranks->count; i++)
        json_array_append_new(list, rank_at(&ranks->share[i]));
    return list;
}
