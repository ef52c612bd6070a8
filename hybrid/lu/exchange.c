/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/exchange.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/tuner/home.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/node/units.h"

enum {
    MOVING_MOST = 8,
    SLOTS = 6 /* parcels of wide panels that have room at the same time */
};

/* Parcels of guests begin by turns with those of all others, so that links and
 * devices are busy at the same time. */
enum { GUESTS, OTHERS, STREAMS };

/* Who has a slot, until its blocks have met the panels up to `to`. */
typedef struct {
    hyb_blocks_t blocks;
    int to;
} holder_t;

struct hyb_exchange {
    int k;                      /* iteration that is exchanged */
    hyb_blocks_t left[STREAMS]; /* blocks of parcels that have not begun */
    int64_t all[STREAMS];       /* so many were left */
    bool l2_is_left;            /* nor has L2's */
    hyb_parcel_t *packed;       /* the one that is packed, or NULL */
    hyb_parcel_t *moving[MOVING_MOST]; /* those that travel */
    int count, together;               /* how many do, and may */
    int64_t blocks;                    /* of the first parcel ... */
    int64_t growth, most; /* ... and of the next one, times blocks; at most */
    int tag;              /* of the next exchange */
    hyb_parcel_t *at;     /* by first block; L2's behind all */
    hyb_blocks_t *last;   /* by block: those of its last parcel */

    hyb_units_t units; /* of its columns on the host: any worker packs some;
                          then of all others: any worker weighs some */
    bool weighs;
    bool *packs; /* by block: workers pack its rows: they are in host memory */

    int64_t rows;      /* of a column in the next three: nb, or less */
    double *gathered;  /* rows x columns: rows of U; then slots */
    double *displaced; /* likewise: top rows on their way to new places */
    double *u; /* likewise: U in columns, where someone reads it so; or NULL */
    size_t bytes;         /* of all three, in one piece */
    int64_t slot;         /* doubles of a slot */
    holder_t held[SLOTS]; /* slots */
    int next_slot;
};

/* ---- memory -------------------------------------------------------------- */

int64_t hyb_exchange_slot(int64_t nb, int64_t wide, int64_t columns)
{
    enum { TIMES = 16 }; /* the first parcel of one panel */
    int64_t some = xh_smaller(TIMES * hyb_exchange_columns(nb), columns / 2);

    return wide > nb ? xh_larger(nb * wide, some * nb) : 0;
}

int64_t hyb_exchange_slots(int64_t nb, int64_t wide, int64_t columns)
{
    return SLOTS * hyb_exchange_slot(nb, wide, columns) +
           (wide > nb ? HYB_WIDE * nb * wide : 0);
}

/* Doubles of one of the buffers, and how many there are. */
static size_t buffer(int64_t nb, int64_t wide, int64_t columns)
{
    return hyb_whole_pages(nb * columns +
                           hyb_exchange_slots(nb, wide, columns));
}

static size_t buffers(const hyb_means_t *means)
{
    return hyb_means_need_columns(means) ? 3 : 2;
}

uint64_t hyb_exchange_bytes(const hyb_means_t *means, const hpl_shape_t *shape,
                            int places)
{
    int64_t nb = Mmin(shape->nb, shape->n);
    int64_t width =
        means->resident ? hyb_home_group(&means->figures, shape) : 1;

    if (shape->nprow == 1)
        return 0;
    return buffers(means) * sizeof(double) *
           buffer(nb, width * nb,
                  hpl_system_columns(shape) + places * HYB_CHECK_COLUMNS);
}

/* The pages are backed by all members, each its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->exchange->gathered, lu->exchange->bytes, member,
                    hyb_team_size(lu->means.team));
}

/* Parcels grow where there are many rounds, and where some process has devices:
 * fewer and longer messages cost the leader less. */
static int64_t most_growth(const hyb_lu_t *lu)
{
    enum { TIMES = 8 };

    return lu->means.offloads || hyb_exchange_has_many_rounds(lu->grid->nprow)
               ? TIMES
               : 1;
}

/* Parcels under way at the same time: one where columns live on devices. */
static int most_together(const hyb_lu_t *lu)
{
    return hyb_exchange_has_many_rounds(lu->grid->nprow) && !lu->homes.resident
               ? MOVING_MOST
               : 1;
}

xh_status_t hyb_exchange_create(hyb_lu_t *lu)
{
    int64_t nb = lu->mat->nb, rows = Mmax(Mmin(nb, lu->mat->n), 1);
    int64_t wide = lu->groups.width * rows;
    size_t one = buffer(rows, wide, lu->ledger.columns);
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
    e->slot = hyb_exchange_slot(rows, wide, lu->ledger.columns);
    e->at = calloc(blocks, sizeof(*e->at));
    e->last = calloc(blocks, sizeof(*e->last));
    e->packs = calloc(blocks, sizeof(*e->packs));
    if (e->at == NULL || e->last == NULL || e->packs == NULL)
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
    free(e->packs);
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

/* Units of block b: workers pack what is in host memory; what has come down
 * from devices they weigh. */
static int64_t units_of(const hyb_lu_t *lu, int64_t b)
{
    return lu->exchange->packs[b] != lu->exchange->weighs
               ? xh_units(
                     hyb_ledger_columns(&lu->ledger, hyb_one_block(b)).count,
                     unit(lu))
               : 0;
}

static int64_t units_of_parcel(const hyb_lu_t *lu)
{
    hyb_blocks_t blocks = lu->exchange->packed->blocks;
    int64_t count = 0;

    for (int64_t b = blocks.from; b < blocks.to; b++)
        count += units_of(lu, b);
    return count;
}

/* The columns of unit i. */
static hyb_run_t run_of(const hyb_lu_t *lu, int64_t i)
{
    int64_t b = lu->exchange->packed->blocks.from;
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
    from =
        (int)(run.from - hyb_ledger_first(&lu->ledger, e->packed->blocks.from));
    if (!e->weighs)
        hpl_exchange_pack(&e->packed->x, from, (int)run.count);
    hyb_check_columns_packed(lu, member, &e->packed->x, from, (int)run.count,
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

/* ---- parcels: the leader ------------------------------------------------- */

/* Behind blocks that meet nothing in this iteration. */
static void pass_over(const hyb_lu_t *lu, hyb_blocks_t *left)
{
    int k = lu->exchange->k;

    while (left->from < left->to && hyb_lu_met(lu, left->from, k) ==
                                        hyb_lu_met_before(lu, left->from, k))
        left->from++;
}

void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    struct hyb_exchange *e = lu->exchange;
    int64_t guests =
        xh_larger(step->all.from, xh_smaller(lu->homes.guests, step->all.to));

    e->k = step->k;
    e->left[GUESTS] = (hyb_blocks_t){step->all.from, guests};
    e->left[OTHERS] = (hyb_blocks_t){guests, step->all.to};
    e->l2_is_left = lu->homes.resident &&
                    step->k > lu->groups.of[step->k].first &&
                    hyb_blocks_count(step->all) > 0;
    e->packed = NULL;
    e->growth = 1;
    for (int i = 0; i < STREAMS; i++) {
        pass_over(lu, &e->left[i]);
        e->all[i] = hyb_blocks_count(e->left[i]);
    }
}

static bool are_any_left(const struct hyb_exchange *e)
{
    return hyb_blocks_count(e->left[GUESTS]) > 0 ||
           hyb_blocks_count(e->left[OTHERS]) > 0;
}

/* Of which more of its part is left; the next panel's columns are first. */
static hyb_blocks_t *next_left(struct hyb_exchange *e)
{
    int64_t guests = hyb_blocks_count(e->left[GUESTS]);
    int64_t others = hyb_blocks_count(e->left[OTHERS]);

    return &e->left[guests > 0 &&
                            guests * e->all[OTHERS] >= others * e->all[GUESTS]
                        ? GUESTS
                        : OTHERS];
}

/* Up to here blocks meet the same as the first one. */
static int64_t alike(const hyb_lu_t *lu, hyb_blocks_t blocks)
{
    int k = lu->exchange->k, from = hyb_lu_met_before(lu, blocks.from, k);
    int to = hyb_lu_met(lu, blocks.from, k);
    int64_t b = blocks.from + 1;

    while (b < blocks.to && hyb_lu_met_before(lu, b, k) == from &&
           hyb_lu_met(lu, b, k) == to)
        b++;
    return b;
}

/*
 * The next panel's columns are a parcel of their own. All others are one, or
 * where their updates overlap are cut every so many blocks. Those that meet a
 * wide panel have room in a slot.
 */
static hyb_blocks_t next_blocks(hyb_lu_t *lu, hyb_blocks_t blocks)
{
    const struct hyb_exchange *e = lu->exchange;
    const hyb_step_t *step = hyb_lu_step(lu, e->k);
    int64_t most = blocks.to, width;

    if (blocks.from < step->next.to)
        most = step->next.to;
    else if (!hyb_step_solves_first(step))
        most = blocks.from + e->growth * e->blocks;
    width = hyb_lu_met(lu, blocks.from, e->k) -
            hyb_lu_met_before(lu, blocks.from, e->k);
    if (width > 1)
        most = xh_smaller(most,
                          blocks.from + e->slot / (width * e->rows * e->rows));
    blocks.to = xh_smaller(blocks.to, most);
    blocks.to = alike(lu, blocks);
    return blocks;
}

static bool has_met(const hyb_lu_t *lu, hyb_blocks_t blocks, int panels)
{
    return hyb_ledger_reached(&lu->ledger, blocks, hyb_stage(panels));
}

/*
 * Have the blocks met what they are to have met before, and is the memory for
 * their rows free? Rows of a parcel lie between each other, so it is once all
 * of the last ones there have been used: then no device reads from there any
 * more.
 */
static bool is_possible(const hyb_lu_t *lu, hyb_blocks_t blocks)
{
    const struct hyb_exchange *e = lu->exchange;
    int before = hyb_lu_met_before(lu, blocks.from, e->k);
    bool is_wide = hyb_lu_met(lu, blocks.from, e->k) > before + 1;
    const holder_t *held = &e->held[e->next_slot];

    for (int64_t b = blocks.from; b < blocks.to; b = Mmax(b + 1, e->last[b].to))
        if (!has_met(lu, e->last[b], before))
            return false;
    return has_met(lu, blocks, before) &&
           (!is_wide || has_met(lu, held->blocks, held->to));
}

/* The room of a parcel in both buffers. */
static void put_at(struct hyb_exchange *e, hyb_parcel_t *parcel, int64_t at)
{
    parcel->x.gathered = e->gathered + at;
    parcel->x.displaced = e->displaced + at;
}

static int64_t slots_from(const hyb_lu_t *lu)
{
    return lu->ledger.columns * lu->exchange->rows;
}

/* The slot that is free. */
static void take_slot(hyb_lu_t *lu, hyb_parcel_t *parcel)
{
    struct hyb_exchange *e = lu->exchange;

    parcel->slot = e->next_slot * e->slot;
    e->held[e->next_slot] = (holder_t){parcel->blocks, parcel->to};
    e->next_slot = (e->next_slot + 1) % SLOTS;
    put_at(e, parcel, slots_from(lu) + parcel->slot);
}

/* It is packed, by all, from now on. */
static void begin(hyb_lu_t *lu, hyb_parcel_t *parcel)
{
    enum { TAGS = 32768 };
    struct hyb_exchange *e = lu->exchange;

    parcel->x.tag = e->tag;
    e->tag = (e->tag + 1) % TAGS;
    e->packed = parcel;
    e->weighs = false;
    hyb_units_begin(&e->units, units_of_parcel(lu));
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->send_rows(lu->homes.place[i], parcel);
}

/* Is block b in host memory, as long as its parcel is packed? */
static bool is_on_host(const hyb_lu_t *lu, int64_t b)
{
    const hyb_place_t *place = hyb_home_of(&lu->homes, b);

    return hyb_homes_in_host_memory(&lu->homes, b) &&
           (hyb_ledger_is_teams(&lu->ledger, b) || !place->has_guest(place, b));
}

static void begin_parcel(hyb_lu_t *lu, hyb_blocks_t blocks)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_run_t columns = hyb_ledger_columns(&lu->ledger, blocks);
    hyb_parcel_t *parcel = &e->at[blocks.from];

    for (int64_t b = blocks.from; b < blocks.to; b++) {
        e->last[b] = blocks;
        e->packs[b] = is_on_host(lu, b);
    }
    *parcel = (hyb_parcel_t){.k = e->k,
                             .from = hyb_lu_met_before(lu, blocks.from, e->k),
                             .to = hyb_lu_met(lu, blocks.from, e->k),
                             .blocks = blocks,
                             .slot = -1};
    parcel->x.panel = hyb_wide_panel(lu, parcel->from, parcel->to);
    parcel->x.a =
        Mptr(lu->mat->A, parcel->x.panel->ii, columns.from, lu->mat->ld);
    parcel->x.columns = (int)columns.count;
    if (parcel->to > parcel->from + 1)
        take_slot(lu, parcel);
    else
        put_at(e, parcel, columns.from * e->rows);
    if (blocks.from >= hyb_lu_step(lu, e->k)->next.to)
        e->growth = Mmin(2 * e->growth, e->most);
    begin(lu, parcel);
}

/* Its rows have a place of their own, which all devices have left two
 * iterations later. */
static void begin_l2(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_parcel_t *parcel = &e->at[lu->ledger.blocks];
    int64_t before = e->k - lu->groups.of[e->k].first;

    *parcel = (hyb_parcel_t){.k = e->k,
                             .from = e->k,
                             .to = e->k + 1,
                             .slot = SLOTS * e->slot + e->k % HYB_WIDE *
                                                           lu->groups.width *
                                                           e->rows * e->rows};
    parcel->x.panel = hyb_lu_panel(lu, e->k)->hpl;
    parcel->x.columns = (int)(before * e->rows);
    put_at(e, parcel, slots_from(lu) + parcel->slot);
    e->l2_is_left = false;
    begin(lu, parcel);
}

/* L2's follows the next panel's columns. */
static void begin_next_parcel(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_blocks_t *left = next_left(e), blocks;

    if (e->l2_is_left && left->from >= hyb_lu_step(lu, e->k)->next.to) {
        begin_l2(lu);
        return;
    }
    if (!are_any_left(e))
        return;
    blocks = next_blocks(lu, *left);
    if (!is_possible(lu, blocks))
        return;
    left->from = blocks.to;
    pass_over(lu, left);
    begin_parcel(lu, blocks);
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
        hyb_units_begin(&e->units, units_of_parcel(lu));
        pack_unit(lu, 0);
    }
    return hyb_units_are_settled(&e->units);
}

/* The parcel leaves, once it is packed. The leader lends a hand. */
static bool start_parcel(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    hyb_parcel_t *parcel = e->packed;

    if (parcel == NULL)
        return false;
    pack_unit(lu, 0);
    if (!is_packed(lu) || !is_weighed(lu))
        return false;
    hyb_check_columns_leave(lu, &parcel->x, parcel->blocks);
    hpl_exchange_start(&parcel->x);
    e->moving[e->count++] = parcel;
    e->packed = NULL;
    return true;
}

/* A parcel's rows are here. */
static void end_parcel(hyb_lu_t *lu, hyb_parcel_t *parcel)
{
    hyb_blocks_t blocks = parcel->blocks;

    hpl_schedule_end(parcel->x.schedule);
    hyb_check_columns_come(lu, &parcel->x, blocks);
    if (!hyb_parcel_is_l2(parcel))
        hyb_ledger_queue_all(&lu->ledger, blocks, 1);
    for (int64_t b = blocks.from; b < blocks.to; b++)
        if (hyb_ledger_is_teams(&lu->ledger, b))
            hyb_ledger_complete_all(&lu->ledger, hyb_one_block(b), 1);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->put_rows(lu->homes.place[i], parcel);
}

static void move_parcels(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;
    int left = 0;

    for (int i = 0; i < e->count; i++)
        if (hpl_schedule_poll(e->moving[i]->x.schedule))
            end_parcel(lu, e->moving[i]);
        else
            e->moving[left++] = e->moving[i];
    e->count = left;
}

/* A parcel after the other, as far as that goes without waiting. */
static void begin_parcels(hyb_lu_t *lu)
{
    struct hyb_exchange *e = lu->exchange;

    do {
        if (e->packed == NULL && e->count < e->together)
            begin_next_parcel(lu);
    } while (start_parcel(lu));
}

static bool is_any_under_way(const struct hyb_exchange *e)
{
    return e->count > 0 || e->packed != NULL;
}

void hyb_exchange_poll(void *context)
{
    hyb_lu_t *lu = context;
    struct hyb_exchange *e = lu->exchange;

    if (!is_any_under_way(e))
        begin_next_parcel(lu);
    if (!is_any_under_way(e))
        return;
    hyb_timer_begin(lu->worker, HYB_EXCHANGE, e->k);
    begin_parcels(lu);
    move_parcels(lu);
    hyb_timer_end(lu->worker);
}

bool hyb_exchange_is_over(const hyb_lu_t *lu)
{
    const struct hyb_exchange *e = lu->exchange;

    return e == NULL ||
           (!is_any_under_way(e) && !e->l2_is_left && !are_any_left(e));
}

const hyb_parcel_t *hyb_exchange_parcel(const hyb_lu_t *lu, int64_t block)
{
    return &lu->exchange->at[lu->exchange->last[block].from];
}

const hpl_exchange_t *hyb_exchange_of(const hyb_lu_t *lu, hyb_run_t run,
                                      int *column_p)
{
    const hyb_parcel_t *parcel =
        hyb_exchange_parcel(lu, hyb_ledger_block(&lu->ledger, run.from));

    *column_p =
        (int)(run.from - hyb_ledger_first(&lu->ledger, parcel->blocks.from));
    return &parcel->x;
}
