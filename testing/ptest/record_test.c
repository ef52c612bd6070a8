/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdbool.h>
#include <stdlib.h>
#include "testing/json/json.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/report.h"

/* HPL's name of a variant, such as WR11C2R4. */
static json_t *tag_of(char pmap, const xhpl_test_t *test)
{
    return json_sprintf(
        "W%c%d%d%c%d%c%d", pmap, test->depth, test->bcast,
        xhpl_quantity(XHPL_RFACT)->forms[test->rfact][0], test->ndiv,
        xhpl_quantity(XHPL_PFACT)->forms[test->pfact][0], test->nbmin);
}

json_t *xhpl_record_test(char pmap, const xhpl_test_t *test)
{
    return XH_JSON_OBJECT(
        {"tag", tag_of(pmap, test)}, {"n", json_integer(test->n)},
        {"nb", json_integer(test->nb)}, {"p", json_integer(test->nprow)},
        {"q", json_integer(test->npcol)}, {"status", json_string("SKIPPED")},
        {"start", NULL}, {"end", NULL}, {"seconds", NULL}, {"gflops", NULL},
        {"ranks", NULL}, {"clocks", NULL}, {"energy", NULL}, {"residual", NULL},
        {"norms", NULL});
}

json_t *xhpl_record_prediction(const xhpl_test_t *test, double seconds,
                               double ceiling)
{
    double rate = xhpl_report_rate(test->n, seconds);

    return XH_JSON_OBJECT({"seconds", xh_json_number(seconds)},
                          {"gflops", xh_json_number(rate)},
                          {"ceiling_gflops", xh_json_number(ceiling * 1e-9)});
}

json_t *xhpl_record_norms(const hpl_norms_t *norms)
{
    return XH_JSON_OBJECT({"a_inf", xh_json_number(norms->a_inf)},
                          {"a_one", xh_json_number(norms->a_one)},
                          {"b_inf", xh_json_number(norms->b_inf)},
                          {"x_inf", xh_json_number(norms->x_inf)},
                          {"x_one", xh_json_number(norms->x_one)},
                          {"r_inf", xh_json_number(norms->r_inf)});
}

/* ---- what each process did ----------------------------------------------- */

/* no pointers, so that it can be gathered */
typedef struct {
    int rank; /* in the job */
    bool known;
    hpl_work_t work;
} share_t;

static share_t mine(const hpl_system_t *system)
{
    share_t share = {.rank = xhpl_rank(MPI_COMM_WORLD)};

    if (hpl_solver()->work != NULL)
        share.known = hpl_solver()->work(system, &share.work);
    return share;
}

static int by_rank(const void *a, const void *b)
{
    const share_t *x = a, *y = b;

    return (x->rank > y->rank) - (x->rank < y->rank);
}

static json_t *rank_at(const share_t *share)
{
    const hpl_work_t *work = &share->work;

    return XH_JSON_OBJECT({"rank", json_integer(share->rank)},
                          {"panel", xh_json_number(work->panel)},
                          {"swap", xh_json_number(work->swap)},
                          {"solve", xh_json_number(work->solve)},
                          {"update", xh_json_number(work->update)},
                          {"broadcast", xh_json_number(work->broadcast)},
                          {"exchange", xh_json_number(work->exchange)},
                          {"wait", xh_json_number(work->wait)},
                          {"gflop", xh_json_number(work->flop * 1e-9)},
                          {"thread_gflops", xh_json_number(work->rate * 1e-9)});
}

json_t *xhpl_record_ranks(MPI_Comm comm, const hpl_system_t *system)
{
    share_t share = mine(system);
    share_t *all = xhpl_gather(comm, &share, sizeof(share));
    int processes = xhpl_size(comm);
    json_t *list;

    if (all == NULL)
        return NULL;
    list = all[0].known ? json_array() : json_null();
    qsort(all, (size_t)processes, sizeof(*all), by_rank);
    for (int i = 0; json_is_array(list) && i < processes; i++)
        json_array_append_new(list, rank_at(&all[i]));
    free(all);
    return list;
}
