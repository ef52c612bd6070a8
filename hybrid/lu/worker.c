/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/worker.h"

#include "base/clock.h"
#include "base/memory.h"
#include "hybrid/cpu/update/chunk.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/share.h"

/* Doubles of one worker's rows of U: whole pages. */
static size_t u_doubles(const hyb_means_t *means, int n, int nb)
{
    int64_t columns = hyb_means_run_columns(means, nb);

    return hyb_whole_pages(
        hyb_chunk_u_size(means->kernel, Mmin(nb, n), columns));
}

size_t hyb_workers_bytes(const hyb_means_t *means, int n, int nb)
{
    return (size_t)hyb_team_size(means->team) * u_doubles(means, n, nb) *
           sizeof(double);
}

/* Zeroed, on cache lines of their own. */
static void *make(int count, size_t size)
{
    enum { LINE = 64 };
    size_t bytes = ((size_t)count * size + LINE - 1) / LINE * LINE;
    void *memory = aligned_alloc(LINE, bytes);

    return memory != NULL ? memset(memory, 0, bytes) : NULL;
}

/* Each worker backs the pages of its own rows. */
static void touch_own(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->workers.worker[member].u,
                    lu->workers.bytes / (size_t)lu->workers.count, 0, 1);
}

xh_status_t hyb_workers_create(hyb_lu_t *lu)
{
    hyb_workers_t *w = &lu->workers;
    int i;

    w->count = hyb_team_size(lu->means.team);
    w->run_columns = hyb_means_run_columns(&lu->means, lu->mat->nb);
    w->worker = make(w->count, sizeof(*w->worker));
    w->timer = make(w->count, sizeof(*w->timer));
    w->pace = make(w->count, sizeof(*w->pace));
    w->bytes = hyb_workers_bytes(&lu->means, lu->mat->n, lu->mat->nb);
    if (w->worker == NULL || w->timer == NULL || w->pace == NULL ||
        xh_memory_allocate(w->bytes, (void **)&w->u) != XH_OK)
        return XH_ERR_MEMORY;
    for (i = 0; i < w->count; i++) {
        w->worker[i].lu = lu;
        w->worker[i].member = i;
        w->worker[i].u =
            w->u + (size_t)i * u_doubles(&lu->means, lu->mat->n, lu->mat->nb);
    }
    hyb_team_run(lu->means.team, touch_own, lu);
    return XH_OK;
}

void hyb_workers_destroy(hyb_workers_t *w)
{
    int i;

    for (i = 0; w->pace != NULL && i < w->count; i++)
        hyb_pace_end(&w->pace[i]);
    if (w->u != NULL)
        xh_memory_free(w->u, w->bytes);
    free(w->pace);
    free(w->timer);
    free(w->worker);
}

bool hyb_workers_have_left(const hyb_workers_t *w, int k)
{
    int i;

    for (i = 1; i < w->count; i++)
        if (atomic_load(&w->worker[i].iteration) < k)
            return false;
    return true;
}

/* ---- waiting -------------------------------------------------------------
 */

/* The leader polls, as others wait for what it receives; others pack rows, and
 * copy L2 for devices that hold columns while the leader opens an iteration. */
static void poll_or_pack(hyb_worker_t *me)
{
    hyb_lu_t *lu = me->lu;

    if (me->member == 0) {
        hyb_poller_poll(&lu->poller);
        return;
    }
    hyb_exchange_assist(lu, me->member);
    if (hyb_homes_resident(&lu->homes))
        hyb_l2_columns_fill(lu->panel.l2, atomic_load(&lu->open));
}

static bool long_turn(void *context)
{
    hyb_worker_t *me = context;

    poll_or_pack(me);
    return hyb_share_help(me, HYB_HELPS);
}

bool hyb_worker_turn(void *context)
{
    hyb_worker_t *me = context;

    poll_or_pack(me);
    return hyb_share_help(me, HYB_HELPS_SHORT);
}

void hyb_worker_wait(hyb_worker_t *me, hyb_activity_t activity, int k,
                     hyb_patience_t patience, hyb_awaited_t *awaited)
{
    hyb_timer_t *timer = me->lu->workers.timer;
    double started;

    awaited->lu = me->lu;
    awaited->k = k;
    if (awaited->is_so(awaited))
        return;
    started = xh_clock_now();
    hyb_timer_begin(timer, me->member, activity, k);
    hyb_wait_until(awaited->is_so, awaited,
                   patience == HYB_HELPS ? long_turn : hyb_worker_turn, me);
    hyb_timer_end(timer, me->member, activity, k, started);
}

static bool have_reached(void *context)
{
    const hyb_awaited_t *awaited = context;

    return hyb_ledger_reached(&awaited->lu->ledger, awaited->blocks,
                              awaited->stage);
}

void hyb_worker_wait_columns(hyb_worker_t *me, int k, hyb_patience_t patience,
                             hyb_blocks_t blocks, int64_t stage)
{
    hyb_worker_wait(me, HYB_WAIT_COLUMNS, k, patience,
                    &(hyb_awaited_t){.is_so = have_reached,
                                     .blocks = blocks,
                                     .stage = stage});
}
