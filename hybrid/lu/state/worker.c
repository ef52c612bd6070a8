/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/state/worker.h"

#include "base/memory.h"
#include "hybrid/cpu/update/run.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/timer.h"

/* Doubles of one worker's rows of U, in whole pages. */
static size_t u_doubles(const hyb_resources_t *resources, int n, int nb)
{
    int64_t columns = hyb_resources_run_columns(resources, nb);

    return hyb_whole_pages(
        hyb_run_u_size(resources->kernel, Mmin(nb, n), columns));
}

size_t hyb_workers_bytes(const hyb_resources_t *resources, int n, int nb)
{
    return (size_t)hyb_team_size(resources->team) *
           u_doubles(resources, n, nb) * sizeof(double);
}

/* Each worker backs the pages of its own rows. */
static void touch_own(void *context, int member)
{
    const hyb_lu_t *lu = context;

    xh_memory_touch(lu->worker[member].u,
                    u_doubles(&lu->resources, lu->mat->n, lu->mat->nb) *
                        sizeof(double),
                    0, 1);
}

xh_status_t hyb_workers_create(hyb_lu_t *lu)
{
    int count = hyb_team_size(lu->resources.team), n = lu->mat->n;
    size_t bytes = (size_t)count * sizeof(*lu->worker);
    size_t own = u_doubles(&lu->resources, n, lu->mat->nb);
    double *u;

    lu->worker = aligned_alloc(_Alignof(hyb_worker_t), bytes);
    if (lu->worker == NULL)
        return XH_ERR_MEMORY;
    memset(lu->worker, 0, bytes);
    XH_TRY(xh_memory_allocate(hyb_workers_bytes(&lu->resources, n, lu->mat->nb),
                              (void **)&u));
    for (int i = 0; i < count; i++) {
        lu->worker[i].lu = lu;
        lu->worker[i].member = i;
        lu->worker[i].u = u + (size_t)i * own;
    }
    hyb_team_run(lu->resources.team, touch_own, lu);
    return XH_OK;
}

void hyb_workers_destroy(hyb_lu_t *lu)
{
    if (lu->worker == NULL)
        return;
    for (int i = 0; i < hyb_team_size(lu->resources.team); i++)
        hyb_timer_close(&lu->worker[i]);
    if (lu->worker[0].u != NULL)
        xh_memory_free(
            lu->worker[0].u,
            hyb_workers_bytes(&lu->resources, lu->mat->n, lu->mat->nb));
    free(lu->worker);
}

bool hyb_workers_have_left(const hyb_lu_t *lu, int k)
{
    for (int i = 1; i < hyb_team_size(lu->resources.team); i++)
        if (atomic_load(&lu->worker[i].iteration) < k)
            return false;
    return true;
}

void hyb_worker_toggle(const hyb_worker_t *me, int timer)
{
    if (me->member == 0)
        HPL_ptimer(timer);
}

/* ---- waiting ------------------------------------------------------------- */

static void poll(hyb_worker_t *me)
{
    if (me->member == 0)
        hyb_poller_poll(&me->lu->poller);
    else
        me->lu->assist(me);
}

void hyb_worker_poll(void *worker)
{
    hyb_timer_step(worker);
    poll(worker);
}

bool hyb_worker_turn(void *context)
{
    hyb_worker_t *me = context;

    poll(me);
    return me->lu->help(me);
}

/* Member 0 drives messages and devices. */
static void wait_until(hyb_worker_t *me, bool (*is_so)(void *context),
                       void *context)
{
    if (me->member == 0)
        hyb_wait_until(is_so, context, hyb_worker_turn, me);
    else
        hyb_wait_long_until(is_so, context, hyb_worker_turn, me);
}

void hyb_worker_wait_for(hyb_worker_t *me, hyb_activity_t activity, int k,
                         bool (*is_so)(void *context), void *context)
{
    if (is_so(context))
        return;
    hyb_timer_begin(me, activity, k);
    atomic_store_explicit(
        &me->awaits, atomic_load_explicit(&me->doing, memory_order_relaxed) + 1,
        memory_order_relaxed);
    wait_until(me, is_so, context);
    atomic_store_explicit(&me->awaits, 0, memory_order_relaxed);
    hyb_timer_end(me);
}

typedef struct {
    hyb_lu_t *lu;
    int k;
    bool (*is_so)(hyb_lu_t *lu, int k);
} awaited_t;

static bool has_come(void *awaited)
{
    const awaited_t *a = awaited;

    return a->is_so(a->lu, a->k);
}

void hyb_worker_wait(hyb_worker_t *me, hyb_activity_t activity, int k,
                     bool (*is_so)(hyb_lu_t *lu, int k))
{
    hyb_worker_wait_for(me, activity, k, has_come,
                        &(awaited_t){me->lu, k, is_so});
}

void hyb_worker_wait_within(hyb_worker_t *me, int k,
                            bool (*is_so)(hyb_lu_t *lu, int k))
{
    wait_until(me, has_come, &(awaited_t){me->lu, k, is_so});
}
