/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_ranks.h"

#include <stdbool.h>
#include <stdlib.h>
#include "testing/ptest/record_gather.h"
#include "testing/ptest/record_value.h"

/* what one process did; flat, so that a gather carries it */
typedef struct {
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

/* Null: the solver does not tell. */
static json_t *list_of(void *shares, int count)
{
    share_t *all = shares;
    json_t *list;

    if (!all[0].known)
        return json_null();
    list = json_array();
    qsort(all, (size_t)count, sizeof(*all), by_rank);
    for (int i = 0; i < count; i++)
        json_array_append_new(list, rank_at(&all[i]));
    return list;
}

/* ---- all together -------------------------------------------------------- */

json_t *xhpl_record_ranks(MPI_Comm comm, const hpl_system_t *system)
{
    share_t share = mine(system);

    return xhpl_record_gathered(comm, &share, sizeof(share), list_of);
}
