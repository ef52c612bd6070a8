/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/agenda.h"

#include "base/integers.h"
#include "hybrid/lu/devices.h"
#include "hybrid/node/waiting.h"

/* The iteration that was opened last. */
static int current(const hyb_lu_t *lu)
{
    return atomic_load_explicit(&lu->open, memory_order_relaxed) - 1;
}

void hyb_exchanges_open(hyb_lu_t *lu, int k)
{
    hyb_exchanges_t *e = &lu->exchanges;
    const HPL_T_panel *panel = hyb_lu_panel(lu, k)->hpl;

    e->k = k;
    e->position = panel->jj;
    e->group = -1;
    e->growth = 1;
    atomic_store(&hyb_lu_plan(lu, k)->arrived, panel->jj);
}

/*
 * Where the group that starts at position ends: the next panel's columns are a
 * group of their own; all others are cut every width columns, or ever wider
 * ones, for fewer messages, where a device streams through them.
 */
static int64_t group_end(hyb_lu_t *lu)
{
    const hyb_exchanges_t *e = &lu->exchanges;
    const hyb_plan_t *it = hyb_lu_plan(lu, e->k);
    int64_t nb = lu->columns.nb, last = lu->columns.count;
    int64_t end = e->position / nb * nb + e->growth * e->width;

    if (e->position < it->next.to)
        return it->next.to;
    if (it->mode != HYB_LOOKAHEAD_PIPELINE)
        return last;
    return end < last ? end : last;
}

/* Let members pack the group; the one before it is packed. */
static void begin_packing(hyb_exchanges_t *e, hpl_exchange_t *x)
{
    e->pack.exchange = x;
    e->packing = true;
    hyb_units_begin(&e->pack.units, xh_units(x->columns, HYB_UNIT_COLUMNS));
}

static void pack_unit(hyb_packing_t *pack)
{
    int64_t i = hyb_units_take(&pack->units);
    int from;

    if (i < 0)
        return;
    from = (int)i * HYB_UNIT_COLUMNS;
    hpl_exchange_pack(pack->exchange, from,
                      Mmin(HYB_UNIT_COLUMNS, pack->exchange->columns - from));
    hyb_units_settle(&pack->units);
}

void hyb_exchanges_assist(hyb_lu_t *lu, int member)
{
    hyb_timer_mark_t mark;

    if (!hyb_units_are_left(&lu->exchanges.pack.units))
        return;
    mark = hyb_timer_enter(lu->spent, member, HYB_EXCHANGE, current(lu));
    pack_unit(&lu->exchanges.pack);
    hyb_timer_leave(lu->spent, member, mark);
}

static void begin_group(hyb_lu_t *lu, int64_t end)
{
    enum { TAGS = 32768 };
    hyb_exchanges_t *e = &lu->exchanges;
    HPL_T_panel *panel = hyb_lu_panel(lu, e->k)->hpl;
    int64_t nb = lu->columns.nb, block, first = e->position / nb;
    hpl_exchange_t *x = &e->at[first];

    for (block = first; block * nb < end; block++) {
        e->first[block] = first;
        e->end[block] = end;
    }
    *x = (hpl_exchange_t){
        .panel = panel,
        .a = Mptr(lu->mat->A, panel->ii, e->position, lu->mat->ld),
        .columns = (int)(end - e->position),
        .tag = e->tag,
        .gathered = e->gathered + e->position * e->rows,
        .displaced = e->displaced + e->position * e->rows};
    e->tag = (e->tag + 1) % TAGS;
    e->group = e->position;
    e->group_end = end;
    if (e->position >= hyb_lu_plan(lu, e->k)->next.to)
        e->growth = Mmin(2 * e->growth, e->most);
    e->position = end;
    begin_packing(e, x);
}

/*
 * Have columns from .. to - 1 met panel k - 1, and is the memory for their rows
 * free? Those of a group lie between each other, so it is when the whole last
 * group there has met that panel, too.
 */
static bool is_possible(const hyb_lu_t *lu, int k, int64_t from, int64_t to)
{
    int64_t last = lu->exchanges.end[(to - 1) / lu->columns.nb];

    return hyb_columns_reached(&lu->columns, from, Mmax(to, last), k);
}

/* Rows are sent only when their columns have met panel k - 1. */
bool hyb_exchanges_reached(const hyb_lu_t *lu, int k, int64_t from, int64_t to)
{
    const hyb_plan_t *plan = &lu->plan[k % HYB_IN_FLIGHT];

    if (lu->grid->nprow == 1)
        return hyb_columns_reached(&lu->columns, from, to, k);
    return atomic_load_explicit(&plan->arrived, memory_order_acquire) >= to;
}

static void begin_next_group(hyb_lu_t *lu)
{
    hyb_exchanges_t *e = &lu->exchanges;
    int64_t end;

    if (e->position >= lu->columns.count)
        return;
    end = group_end(lu);
    if (is_possible(lu, e->k, e->position, end))
        begin_group(lu, end);
}

bool hyb_exchanges_closed(const hyb_lu_t *lu)
{
    const hyb_exchanges_t *e = &lu->exchanges;

    return lu->grid->nprow == 1 ||
           (e->group < 0 && e->position >= lu->columns.count);
}

static void move_group(hyb_lu_t *lu)
{
    hyb_exchanges_t *e = &lu->exchanges;
    hpl_exchange_t *x = &e->at[e->group / lu->columns.nb];

    if (e->packing) {
        pack_unit(&e->pack);
        if (!hyb_units_are_settled(&e->pack.units))
            return;
        hpl_exchange_start(x);
        e->packing = false;
    }
    if (!hpl_exchange_poll(x))
        return;
    hpl_exchange_close(x);
    atomic_store_explicit(&hyb_lu_plan(lu, e->k)->arrived, e->group_end,
                          memory_order_release);
    e->group = -1;
}

static void poll_exchange(hyb_lu_t *lu)
{
    hyb_timer_mark_t mark;

    if (lu->exchanges.group < 0)
        begin_next_group(lu);
    if (lu->exchanges.group < 0)
        return;
    mark = hyb_timer_enter(lu->spent, 0, HYB_EXCHANGE, current(lu));
    move_group(lu);
    hyb_timer_leave(lu->spent, 0, mark);
}

/* Advance the broadcasts; are all done? */
static bool poll_broadcasts(hyb_lu_t *lu)
{
    hyb_timer_mark_t mark;
    bool done = true;
    int i, state;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_lu_panel_t *panel = &lu->panel[i];

        if (!panel->travels)
            continue;
        mark = hyb_timer_enter(lu->spent, 0, HYB_BROADCAST, current(lu));
        panel->travels = HPL_bcast(panel->hpl, &state) != HPL_SUCCESS;
        done = done && !panel->travels;
        hyb_timer_leave(lu->spent, 0, mark);
    }
    return done;
}

bool hyb_agenda_done(hyb_lu_t *lu)
{
    return hyb_exchanges_closed(lu) && poll_broadcasts(lu);
}

void hyb_agenda_poll_messages(hyb_lu_t *lu)
{
    poll_broadcasts(lu);
    if (lu->grid->nprow > 1)
        poll_exchange(lu);
}

void hyb_agenda_poll(hyb_lu_t *lu)
{
    hyb_agenda_poll_messages(lu);
    if (lu->devices != NULL)
        hyb_devices_poll(lu);
}

static void turn(hyb_lu_t *lu, int member, hyb_devices_help_t which, int *turns)
{
    if (member == 0)
        hyb_agenda_poll(lu);
    else if (lu->grid->nprow > 1)
        hyb_exchanges_assist(lu, member);
    if (lu->devices == NULL || !hyb_devices_help(lu, which, member))
        hyb_wait_turn(turns);
}

void hyb_agenda_turn(hyb_lu_t *lu, int member, int *turns)
{
    turn(lu, member, HYB_TILES_TO_SPARE, turns);
}

void hyb_agenda_short_turn(hyb_lu_t *lu, int member, int *turns)
{
    turn(lu, member, HYB_TILES_GIVEN_BACK, turns);
}

const hpl_exchange_t *hyb_exchanges_of(const hyb_lu_t *lu, hyb_run_t run)
{
    const hyb_exchanges_t *e = &lu->exchanges;

    return &e->at[e->first[run.from / lu->columns.nb]];
}
