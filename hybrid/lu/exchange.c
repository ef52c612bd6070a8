/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/exchange.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"

/* ---- memory --------------------------------------------------------------
 */

static int buffers(const hyb_means_t *means)
{
    return hyb_means_need_columns(means) ? 3 : 2;
}

uint64_t hyb_exchange_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    if (shape->nprow == 1)
        return 0;
    return (uint64_t)buffers(means) *
           hyb_whole_pages(Mmin(shape->nb, shape->n) *
                           hpl_system_columns(shape)) *
           sizeof(double);
}

/* Where devices stream, fewer and longer messages cost the leader less. */
static int64_t most_growth(const hyb_means_t *means)
{
    enum { TIMES = 8 };

    return means->offloads ? TIMES : 1;
}

static xh_status_t allocate(hyb_lu_t *lu)
{
    hyb_exchange_t *e = &lu->exchange;
    size_t one = hyb_whole_pages(e->rows * lu->ledger.columns);
    size_t blocks = (size_t)lu->ledger.blocks + 1;
    bool keeps_u = hyb_means_need_columns(&lu->means);

    e->bytes = (size_t)buffers(&lu->means) * one * sizeof(double);
    e->at = calloc(blocks, sizeof(*e->at));
    e->last = calloc(blocks, sizeof(*e->last));
    if (e->at == NULL || e->last == NULL ||
        xh_memory_allocate(e->bytes, (void **)&e->gathered) != XH_OK)
        return XH_ERR_MEMORY;
    e->displaced = e->gathered + one;
    e->u = keeps_u ? e->displaced + one : NULL;
    return XH_OK;
}

/* The pages are backed by all members, each its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->exchange.gathered, lu->exchange.bytes, member,
                    lu->workers.count);
}

xh_status_t hyb_exchange_create(hyb_lu_t *lu)
{
    hyb_exchange_t *e = &lu->exchange;

    e->blocks = hyb_exchange_columns(lu->mat->nb) / lu->mat->nb;
    e->most = most_growth(&lu->means);
    e->rows = Mmax(Mmin(lu->mat->nb, lu->mat->n), 1);
    if (lu->grid->nprow == 1)
        return XH_OK;
    if (allocate(lu) != XH_OK)
        return XH_ERR_MEMORY;
    hyb_team_run(lu->means.team, touch_share, lu);
    return XH_OK;
}

void hyb_exchange_destroy(hyb_exchange_t *e)
{
    free(e->last);
    free(e->at);
    if (e->gathered != NULL)
        xh_memory_free(e->gathered, e->bytes);
}

/* ---- packing: all workers ------------------------------------------------
 */

static hpl_exchange_t *current(hyb_exchange_t *e)
{
    return &e->at[e->group.from];
}

/* Of the group in flight: its first ones, which workers pack. */
static int64_t columns_on_host(const hyb_lu_t *lu)
{
    return hyb_ledger_columns(&lu->ledger,
                              hyb_homes_host(&lu->homes, lu->exchange.group))
        .count;
}

static void pack_unit(hyb_lu_t *lu)
{
    hyb_exchange_t *e = &lu->exchange;
    int64_t i = hyb_units_take(&e->units);
    hpl_exchange_t *x;
    int from;

    if (i < 0)
        return;
    x = current(e);
    from = (int)i * HYB_UNIT_COLUMNS;
    hpl_exchange_pack(x, from,
                      Mmin(HYB_UNIT_COLUMNS, (int)columns_on_host(lu) - from));
    hyb_units_settle(&e->units);
}

void hyb_exchange_assist(hyb_lu_t *lu, int member)
{
    hyb_timer_mark_t mark;

    if (!hyb_units_are_left(&lu->exchange.units))
        return;
    mark = hyb_timer_enter(lu->workers.timer, member, HYB_EXCHANGE,
                           atomic_load(&lu->open) - 1);
    pack_unit(lu);
    hyb_timer_leave(lu->workers.timer, member, mark);
}

/* ---- groups: the leader --------------------------------------------------
 */

void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    hyb_exchange_t *e = &lu->exchange;

    e->k = step->k;
    e->left = step->all;
    e->group = (hyb_blocks_t){0, 0};
    e->growth = 1;
}

/*
 * The next panel's columns are a group of their own. All others are one group,
 * or where their updates overlap are cut every so many blocks.
 */
static hyb_blocks_t next_group(hyb_lu_t *lu)
{
    const hyb_exchange_t *e = &lu->exchange;
    const hyb_step_t *step = hyb_lu_step(lu, e->k);
    hyb_blocks_t group = e->left;

    if (group.from < step->next.to)
        group.to = step->next.to;
    else if (!hyb_step_solves_first(step))
        group.to = xh_smaller(group.from + e->growth * e->blocks, group.to);
    return group;
}

/*
 * Have the group's columns met the panel before, and is the memory for their
 * rows free? Rows of a group lie between each other, so it is when the whole
 * last group there has met that panel, too.
 */
static bool is_possible(const hyb_lu_t *lu, hyb_blocks_t group)
{
    const hyb_exchange_t *e = &lu->exchange;

    group.to = Mmax(group.to, e->last[group.to - 1].to);
    return hyb_ledger_reached(&lu->ledger, hyb_homes_host(&lu->homes, group),
                              hyb_stage(e->k)) &&
           hyb_ledger_queued(&lu->ledger, hyb_homes_devices(&lu->homes, group),
                             hyb_stage(e->k));
}

static void begin_group(hyb_lu_t *lu, hyb_blocks_t group)
{
    enum { TAGS = 32768 };
    hyb_exchange_t *e = &lu->exchange;
    HPL_T_panel *panel = hyb_lu_panel(lu, e->k)->hpl;
    hyb_run_t columns = hyb_ledger_columns(&lu->ledger, group);
    int64_t b;

    for (b = group.from; b < group.to; b++)
        e->last[b] = group;
    e->at[group.from] = (hpl_exchange_t){
        .panel = panel,
        .a = Mptr(lu->mat->A, panel->ii, columns.from, lu->mat->ld),
        .columns = (int)columns.count,
        .tag = e->tag,
        .gathered = e->gathered + columns.from * e->rows,
        .displaced = e->displaced + columns.from * e->rows};
    e->tag = (e->tag + 1) % TAGS;
    if (group.from >= hyb_lu_step(lu, e->k)->next.to)
        e->growth = Mmin(2 * e->growth, e->most);
    e->group = group;
    e->left.from = group.to;
    e->packs = true;
    hyb_units_begin(&e->units, xh_units(columns_on_host(lu), HYB_UNIT_COLUMNS));
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->ops->send_rows(lu->homes.place[i], current(e),
                                           group);
}

static void begin_next_group(hyb_lu_t *lu)
{
    hyb_blocks_t group;

    if (hyb_blocks_count(lu->exchange.left) == 0)
        return;
    group = next_group(lu);
    if (is_possible(lu, group))
        begin_group(lu, group);
}

/* Are its rows packed? The leader lends a hand. */
static bool is_packed(hyb_lu_t *lu)
{
    pack_unit(lu);
    for (int i = 1; i < lu->homes.places; i++)
        if (!lu->homes.place[i]->ops->has_sent_rows(lu->homes.place[i]))
            return false;
    return hyb_units_are_settled(&lu->exchange.units);
}

static void move_group(hyb_lu_t *lu)
{
    hyb_exchange_t *e = &lu->exchange;
    hpl_exchange_t *x = current(e);
    hyb_stages_t arrived = {hyb_stage(e->k),
                            hyb_stage_after(e->k, HYB_STEP_ARRIVE)};

    if (e->packs) {
        if (!is_packed(lu))
            return;
        hpl_exchange_start(x);
        e->packs = false;
    }
    if (!hpl_schedule_poll(x->schedule))
        return;
    hpl_schedule_end(x->schedule);
    hyb_ledger_queue_all(&lu->ledger, e->group, arrived);
    hyb_ledger_complete_all(&lu->ledger, hyb_homes_host(&lu->homes, e->group),
                            arrived);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->ops->put_rows(lu->homes.place[i], x, e->group);
    e->group = (hyb_blocks_t){0, 0};
}

void hyb_exchange_poll(void *context)
{
    hyb_lu_t *lu = context;
    hyb_timer_mark_t mark;

    if (hyb_blocks_count(lu->exchange.group) == 0)
        begin_next_group(lu);
    if (hyb_blocks_count(lu->exchange.group) == 0)
        return;
    mark = hyb_timer_enter(lu->workers.timer, 0, HYB_EXCHANGE, lu->exchange.k);
    move_group(lu);
    hyb_timer_leave(lu->workers.timer, 0, mark);
}

bool hyb_exchange_is_over(const hyb_exchange_t *e)
{
    return hyb_blocks_count(e->group) == 0 && hyb_blocks_count(e->left) == 0;
}

hyb_blocks_t hyb_exchange_group(const hyb_exchange_t *e, int64_t block)
{
    return e->last[block];
}

const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p)
{
    const hyb_exchange_t *e = &lu->exchange;
    int64_t block = hyb_ledger_block(&lu->ledger, run.from);
    int64_t first = e->last[block].from;

    *column_p = (int)(run.from - hyb_ledger_first(&lu->ledger, first));
    return &e->at[first];
}
