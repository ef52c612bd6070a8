/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/exchange.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/node/units.h"

enum { MOVING_MOST = 8 };

struct hyb_exchange {
    int k;              /* iteration that is exchanged */
    hyb_blocks_t left;  /* groups that have not begun */
    hyb_blocks_t group; /* the one that is packed; none: from == to */
    hyb_blocks_t moving[MOVING_MOST]; /* those that travel */
    int count, together;              /* how many do, and may */
    int64_t blocks;                   /* of the first group ... */
    int64_t growth, most; /* ... and of the next one, times blocks; at most */
    int tag;              /* of the next exchange */
    hpl_exchange_t *at;   /* by a group's first block */
    hyb_blocks_t *last;   /* by block: its last group */

    hyb_units_t units; /* of its columns on the host: any worker packs some;
                          then of all others: any worker weighs some */
    bool weighs;

    int64_t rows;      /* of a column in the next three: nb, or less */
    double *gathered;  /* rows x columns: rows of U */
    double *displaced; /* likewise: top rows on their way to new places */
    double *u; /* likewise: U in columns, where someone reads it so; or NULL */
    size_t bytes; /* of all three, in one piece */
};

/* ---- memory -------------------------------------------------------------- */

/* Doubles of one of the buffers, and how many there are. */
static size_t buffer(int64_t nb, int64_t columns)
{
    return hyb_whole_pages(nb * columns);
}

static size_t buffers(const hyb_means_t *means)
{
    return hyb_means_need_columns(means) ? 3 : 2;
}

uint64_t hyb_exchange_bytes(const hyb_means_t *means, const hpl_shape_t *shape,
                            int places)
{
    if (shape->nprow == 1)
        return 0;
    return buffers(means) * sizeof(double) *
           buffer(Mmin(shape->nb, shape->n),
                  hpl_system_columns(shape) + places * HYB_CHECK_COLUMNS);
}

/* The pages are backed by all members, each its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->exchange->gathered, lu->exchange->bytes, member,
                    hyb_team_size(lu->means.team));
}

/* Groups grow where there are many rounds, and where some process has devices:
 * fewer and longer messages cost the leader less. */
static int64_t most_growth(const hyb_lu_t *lu)
{
    enum { TIMES = 8 };

    return lu->means.offloads || hyb_exchange_has_many_rounds(lu->grid->nprow)
               ? TIMES
               : 1;
}

/* Groups under way at the same time: one where columns live on devices. */
static int most_together(const hyb_lu_t *lu)
{
    return hyb_exchange_has_many_rounds(lu->grid->nprow) && !lu->homes.resident
               ? MOVING_MOST
               : 1;
}

xh_status_t hyb_exchange_create(hyb_lu_t *lu)
{
    int64_t nb = lu->mat->nb, rows = Mmax(Mmin(nb, lu->mat->n), 1);
    size_t one = buffer(rows, lu->ledger.columns);
    size_t blocks = (size_t)lu->ledger.blocks + 1;
    struct hyb_exchange *e;

    if (lu->grid->nprow == 1)
        return XH_OK;
    lu->exchange = e = calloc(1, sizeof(*e));
    if (e == NULL)
        return XH_ERR_MEMORY;
    e->blocks = hyb_exchange_columns(nb) / nb;
    e->most = most_growth(lu);
    e->together = most_together(lu);
    e->rows = rows;
    e->at = calloc(blocks, sizeof(*e->at));
    e->last = calloc(blocks, sizeof(*e->last));
    if (e->at == NULL || e->last == NULL)
        return XH_ERR_MEMORY;
    e->bytes = buffers(&lu->means) * one * sizeof(double);
    XH_TRY(xh_memory_allocate(e->bytes, (void **)&e->gathered));
    e->displaced = e->gathered + one;
    if (hyb_means_need_columns(&lu->means))
        e->u = e->displaced + one;
    hyb_team_run(lu->means.team, touch_share, lu);
    return XH_OK;
}

void hyb_exchange_destroy(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;

    if (e == NULL)
        return;
    free(e->last);
    free(e->at);
    xh_memory_free(e->gathered, e->bytes);
    free(e);
}

double *hyb_exchange_memory(const hyb_lu_t *lu, size_t *bytes_p)
{
    *bytes_p = lu->exchange != NULL ? lu->exchange->bytes : 0;
    return lu->exchange != NULL ? lu->exchange->gathered : NULL;
}

xh_view_t hyb_exchange_u(hyb_lu_t *lu, int k, hyb_run_t run)
{
    const struct hyb_exchange *e = lu->exchange;
    int64_t jb = hyb_lu_panel(lu, k)->hpl->jb;

    return (xh_view_t){e->u + run.from * e->rows, jb, run.count, jb};
}

/* ---- packing: all workers ------------------------------------------------ */

/* Columns that a worker packs at a time: it has about its part of the rows. */
static int unit(const hyb_lu_t *lu)
{
    enum { ALONE = 32 };

    return ALONE * lu->grid->nprow;
}

static hpl_exchange_t *current(struct hyb_exchange *e)
{
    return &e->at[e->group.from];
}

/* Units of block b: workers pack the team's; those of devices, which have come
 * down, they weigh. */
static int64_t units_of(const hyb_lu_t *lu, int64_t b)
{
    return hyb_ledger_is_teams(&lu->ledger, b) != lu->exchange->weighs
               ? xh_units(
                     hyb_ledger_columns(&lu->ledger, hyb_one_block(b)).count,
                     unit(lu))
               : 0;
}

static int64_t units_of_group(const hyb_lu_t *lu)
{
    hyb_blocks_t group = lu->exchange->group;
    int64_t count = 0;

    for (int64_t b = group.from; b < group.to; b++)
        count += units_of(lu, b);
    return count;
}

/* The columns of unit i. */
static hyb_run_t run_of(const hyb_lu_t *lu, int64_t i)
{
    int64_t b = lu->exchange->group.from;
    hyb_run_t block;

    for (; i >= units_of(lu, b); b++)
        i -= units_of(lu, b);
    block = hyb_ledger_columns(&lu->ledger, hyb_one_block(b));
    return (hyb_run_t){block.from + i * unit(lu),
                       Mmin(unit(lu), block.count - i * unit(lu))};
}

static void pack_unit(hyb_lu_t *lu, int member)
{
    struct hyb_exchange *e = lu->exchange;
    int64_t i = hyb_units_take(&e->units);
    hyb_run_t run;
    int from;

    if (i < 0)
        return;
    run = run_of(lu, i);
    from = (int)(run.from - hyb_ledger_first(&lu->ledger, e->group.from));
    if (!e->weighs)
        hpl_exchange_pack(current(e), from, (int)run.count);
    hyb_check_columns_packed(lu, member, current(e), from, (int)run.count,
                             run.from);
    hyb_units_settle(&e->units);
}

void hyb_exchange_assist(hyb_worker_t *me)
{
    hyb_lu_t *lu = me->lu;

    if (lu->exchange == NULL || !hyb_units_are_left(&lu->exchange->units))
        return;
    hyb_timer_begin(me, HYB_EXCHANGE, hyb_lu_opened(lu) - 1);
    pack_unit(lu, me->member);
    hyb_timer_end(me);
}

/* ---- groups: the leader -------------------------------------------------- */

void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    struct hyb_exchange *e = lu->exchange;

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
    const struct hyb_exchange *e = lu->exchange;
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
 * last group there has met that panel, too: then no device reads from there any
 * more.
 */
static bool is_possible(const hyb_lu_t *lu, hyb_blocks_t group)
{
    const struct hyb_exchange *e = lu->exchange;

    group.to = Mmax(group.to, e->last[group.to - 1].to);
    return hyb_ledger_reached(&lu->ledger, group, hyb_stage(e->k));
}

static void begin_group(hyb_lu_t *lu, hyb_blocks_t group)
{
    enum { TAGS = 32768 };
    struct hyb_exchange *e = lu->exchange;
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
    e->weighs = false;
    hyb_units_begin(&e->units, units_of_group(lu));
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->send_rows(lu->homes.place[i], current(e), group);
}

static void begin_next_group(hyb_lu_t *lu)
{
    hyb_blocks_t group;

    if (hyb_blocks_count(lu->exchange->left) == 0)
        return;
    group = next_group(lu);
    if (is_possible(lu, group))
        begin_group(lu, group);
}

static bool is_packed(const hyb_lu_t *lu)
{
    for (int i = 1; i < lu->homes.places; i++)
        if (!lu->homes.place[i]->has_sent_rows(lu->homes.place[i]))
            return false;
    return hyb_units_are_settled(&lu->exchange->units);
}

/* Those of devices are checked as they have come down. */
static bool is_weighed(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;

    if (!e->weighs && lu->check != NULL && !lu->means.device_mpi) {
        e->weighs = true;
        hyb_units_begin(&e->units, units_of_group(lu));
        pack_unit(lu, 0);
    }
    return hyb_units_are_settled(&e->units);
}

/* The group's rows leave, once they are packed. The leader lends a hand. */
static bool start_group(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;

    if (hyb_blocks_count(e->group) == 0)
        return false;
    pack_unit(lu, 0);
    if (!is_packed(lu) || !is_weighed(lu))
        return false;
    hyb_check_columns_leave(lu, current(e), e->group);
    hpl_exchange_start(current(e));
    e->moving[e->count++] = e->group;
    e->group = (hyb_blocks_t){0, 0};
    return true;
}

/* A group's rows are here. */
static void end_group(hyb_lu_t *lu, hyb_blocks_t group)
{
    hpl_exchange_t *x = &lu->exchange->at[group.from];

    hpl_schedule_end(x->schedule);
    hyb_check_columns_come(lu, x, group);
    hyb_ledger_queue_all(&lu->ledger, group, 1);
    for (int64_t b = group.from; b < group.to; b++)
        if (hyb_ledger_is_teams(&lu->ledger, b))
            hyb_ledger_complete_all(&lu->ledger, hyb_one_block(b), 1);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->put_rows(lu->homes.place[i], x, group);
}

static void move_groups(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    int left = 0;

    for (int i = 0; i < e->count; i++)
        if (hpl_schedule_poll(e->at[e->moving[i].from].schedule))
            end_group(lu, e->moving[i]);
        else
            e->moving[left++] = e->moving[i];
    e->count = left;
}

/* A group after the other, as far as that goes without waiting. */
static void begin_groups(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;

    do {
        if (hyb_blocks_count(e->group) == 0 && e->count < e->together)
            begin_next_group(lu);
    } while (start_group(lu));
}

static bool is_any_under_way(const struct hyb_exchange *e)
{
    return e->count > 0 || hyb_blocks_count(e->group) > 0;
}

void hyb_exchange_poll(void *context)
{
    hyb_lu_t *lu = context;
    struct hyb_exchange *e = lu->exchange;

    if (!is_any_under_way(e))
        begin_next_group(lu);
    if (!is_any_under_way(e))
        return;
    hyb_timer_begin(lu->worker, HYB_EXCHANGE, e->k);
    begin_groups(lu);
    move_groups(lu);
    hyb_timer_end(lu->worker);
}

bool hyb_exchange_is_over(const hyb_lu_t *lu)
{
    const struct hyb_exchange *e = lu->exchange;

    return e == NULL ||
           (!is_any_under_way(e) && hyb_blocks_count(e->left) == 0);
}

hyb_blocks_t hyb_exchange_group(const hyb_lu_t *lu, int64_t block)
{
    return lu->exchange->last[block];
}

const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p)
{
    const struct hyb_exchange *e = lu->exchange;
    int64_t block = hyb_ledger_block(&lu->ledger, run.from);
    int64_t first = e->last[block].from;

    *column_p = (int)(run.from - hyb_ledger_first(&lu->ledger, first));
    return &e->at[first];
}
