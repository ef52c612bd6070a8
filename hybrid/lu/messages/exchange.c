/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/messages/exchange.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/messages/exchange_private.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/sizes.h"

/* ---- memory -------------------------------------------------------------- */

/* Doubles of one buffer; then the number of buffers. */
static size_t buffer(int64_t nb, int64_t wide, int64_t columns)
{
    return hyb_whole_pages(nb * columns + hyb_parcel_slots(nb, wide, columns));
}

static size_t buffers(const hyb_resources_t *resources)
{
    return hyb_resources_need_columns(resources) ? 3 : 2;
}

uint64_t hyb_exchange_bytes(const hyb_resources_t *resources,
                            const hpl_shape_t *shape, int places)
{
    int64_t nb = Mmin(shape->nb, shape->n);
    int64_t width = resources->resident
                        ? hyb_residence_group(&resources->figures, shape)
                        : 1;

    if (shape->nprow == 1)
        return 0;
    return buffers(resources) * sizeof(double) *
           buffer(nb, width * nb,
                  hpl_system_columns(shape) + places * HYB_CHECK_COLUMNS);
}

/* Touch the pages, each member its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->exchange->gathered, lu->exchange->bytes, member,
                    hyb_team_size(lu->resources.team));
}

/*
 * How much may parcels grow, and how many may be under way at the same time?
 * They grow where there are many rounds, or where some process has devices:
 * fewer and longer messages cost the leader less. There is one at a time where
 * columns live on devices.
 */
static void set_limits(hyb_exchange_t *e, const hyb_resources_t *resources,
                       int nprow)
{
    enum { TIMES = 8 };
    bool many = hyb_exchange_has_many_rounds(nprow);

    e->most_growth = resources->offloads || many ? TIMES : 1;
    e->most_moving = many && !e->homes->resident ? HYB_MOVING_MOST : 1;
}

xh_status_t hyb_exchange_create(hyb_lu_t *lu)
{
    int64_t nb = lu->mat->nb, rows = Mmax(Mmin(nb, lu->mat->n), 1);
    int64_t wide = lu->groups.width * rows;
    size_t one = buffer(rows, wide, lu->ledger.columns);
    size_t blocks = (size_t)lu->ledger.blocks + 1;
    hyb_exchange_t *e;

    if (lu->grid->nprow == 1)
        return XH_OK;
    lu->exchange = e = calloc(1, sizeof(*e));
    if (e == NULL)
        return XH_ERR_MEMORY;
    e->ledger = &lu->ledger;
    e->homes = &lu->homes;
    e->first_blocks = hyb_parcel_columns(nb) / nb;
    set_limits(e, &lu->resources, lu->grid->nprow);
    e->rows = rows;
    e->slot = hyb_parcel_slot(rows, wide, lu->ledger.columns);
    e->parcel = calloc(blocks, sizeof(*e->parcel));
    e->last_blocks = calloc(blocks, sizeof(*e->last_blocks));
    e->is_packed_here = calloc(blocks, sizeof(*e->is_packed_here));
    e->panels = calloc(blocks, sizeof(*e->panels));
    if (e->parcel == NULL || e->last_blocks == NULL ||
        e->is_packed_here == NULL || e->panels == NULL)
        return XH_ERR_MEMORY;
    e->bytes = buffers(&lu->resources) * one * sizeof(double);
    XH_TRY(xh_memory_allocate(e->bytes, (void **)&e->gathered));
    e->displaced = e->gathered + one;
    if (hyb_resources_need_columns(&lu->resources))
        e->u = e->displaced + one;
    hyb_team_run(lu->resources.team, touch_share, lu);
    return XH_OK;
}

void hyb_exchange_destroy(hyb_exchange_t *e)
{
    if (e == NULL)
        return;
    free(e->panels);
    free(e->is_packed_here);
    free(e->last_blocks);
    free(e->parcel);
    xh_memory_free(e->gathered, e->bytes);
    free(e);
}

double *hyb_exchange_memory(const hyb_exchange_t *e, size_t *bytes_p)
{
    *bytes_p = e != NULL ? e->bytes : 0;
    return e != NULL ? e->gathered : NULL;
}

xh_view_t hyb_exchange_u(const hyb_exchange_t *e, int64_t jb, hyb_run_t run)
{
    return (xh_view_t){e->u + run.from * e->rows, jb, run.count, jb};
}

/* ---- packing: all workers ------------------------------------------------ */

/* Columns that a worker packs at a time: so it packs about its share of the
 * rows. */
static int unit(const hyb_exchange_t *e)
{
    enum { ALONE = 32 };

    return ALONE * e->packed->x.panel->grid->nprow;
}

/* Units of block b: workers pack the rows in host memory; rows that came down
 * from devices they only weigh, for the check columns. */
static int64_t units_of(const hyb_exchange_t *e, int64_t b)
{
    return e->is_packed_here[b] != e->weighs
               ? xh_units(hyb_ledger_columns(e->ledger, hyb_one_block(b)).count,
                          unit(e))
               : 0;
}

static int64_t units_of_parcel(const hyb_exchange_t *e)
{
    hyb_block_range_t blocks = e->packed->blocks;
    int64_t count = 0;

    for (int64_t b = blocks.from; b < blocks.to; b++)
        count += units_of(e, b);
    return count;
}

/* The columns of unit i. */
static hyb_run_t run_of(const hyb_exchange_t *e, int64_t i)
{
    int64_t b = e->packed->blocks.from;
    hyb_run_t block;

    for (; i >= units_of(e, b); b++)
        i -= units_of(e, b);
    block = hyb_ledger_columns(e->ledger, hyb_one_block(b));
    return (hyb_run_t){block.from + i * unit(e),
                       Mmin(unit(e), block.count - i * unit(e))};
}

static void pack_unit(hyb_lu_t *lu, int member)
{
    hyb_exchange_t *e = lu->exchange;
    int64_t i = hyb_units_take(&e->units);
    hyb_run_t run;
    int from;

    if (i < 0)
        return;
    run = run_of(e, i);
    from =
        (int)(run.from - hyb_ledger_first(e->ledger, e->packed->blocks.from));
    if (!e->weighs)
        hpl_exchange_pack(&e->packed->x, from, (int)run.count);
    hyb_check_columns_packed(lu->check, member, &e->packed->x, from,
                             (int)run.count, run.from);
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

void hyb_exchange_open(hyb_lu_t *lu, const hyb_step_t *step)
{
    lu->exchange->packed = NULL;
    hyb_parcels_open(lu, step);
}

/* From now on all workers pack this parcel. */
static void begin(hyb_exchange_t *e, hyb_parcel_t *parcel)
{
    enum { TAGS = 32768 };

    parcel->x.tag = e->tag;
    e->tag = (e->tag + 1) % TAGS;
    e->packed = parcel;
    e->weighs = false;
    hyb_units_begin(&e->units, units_of_parcel(e));
    for (int i = 1; i < e->homes->places; i++)
        e->homes->place[i]->send_rows(e->homes->place[i], parcel);
}

static void begin_next_parcel(hyb_lu_t *lu)
{
    hyb_parcel_t *parcel = hyb_parcels_next(lu);

    if (parcel != NULL)
        begin(lu->exchange, parcel);
}

static bool is_packed(const hyb_exchange_t *e)
{
    for (int i = 1; i < e->homes->places; i++)
        if (!e->homes->place[i]->has_sent_rows(e->homes->place[i]))
            return false;
    return hyb_units_are_settled(&e->units);
}

/* Rows from devices are weighed once they have come down. */
static bool is_weighed(hyb_lu_t *lu)
{
    hyb_exchange_t *e = lu->exchange;

    if (!e->weighs && lu->check != NULL && !lu->resources.device_mpi) {
        e->weighs = true;
        hyb_units_begin(&e->units, units_of_parcel(e));
        pack_unit(lu, 0);
    }
    return hyb_units_are_settled(&e->units);
}

/* Send the parcel once it is packed. The leader helps to pack. */
static bool start_parcel(hyb_lu_t *lu)
{
    hyb_exchange_t *e = lu->exchange;
    hyb_parcel_t *parcel = e->packed;

    if (parcel == NULL)
        return false;
    pack_unit(lu, 0);
    if (!is_packed(e) || !is_weighed(lu))
        return false;
    hyb_check_columns_judge_leaving(lu, &parcel->x, parcel->blocks);
    hpl_exchange_start(&parcel->x);
    e->moving[e->moving_count++] = parcel;
    e->packed = NULL;
    return true;
}

/* A parcel's rows have arrived. */
static void end_parcel(hyb_lu_t *lu, hyb_parcel_t *parcel)
{
    hyb_block_range_t blocks = parcel->blocks;

    hpl_schedule_end(parcel->x.schedule);
    hyb_check_columns_check_received(lu->check, &parcel->x, blocks);
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
    hyb_exchange_t *e = lu->exchange;
    int left = 0;

    for (int i = 0; i < e->moving_count; i++)
        if (hpl_schedule_poll(e->moving[i]->x.schedule))
            end_parcel(lu, e->moving[i]);
        else
            e->moving[left++] = e->moving[i];
    e->moving_count = left;
}

/* Begin one parcel after another, as far as possible without waiting. */
static void begin_parcels(hyb_lu_t *lu)
{
    hyb_exchange_t *e = lu->exchange;

    do {
        if (e->packed == NULL && e->moving_count < e->most_moving)
            begin_next_parcel(lu);
    } while (start_parcel(lu));
}

static bool is_any_under_way(const hyb_exchange_t *e)
{
    return e->moving_count > 0 || e->packed != NULL;
}

void hyb_exchange_poll(void *context)
{
    hyb_lu_t *lu = context;
    hyb_exchange_t *e = lu->exchange;

    if (!is_any_under_way(e))
        begin_next_parcel(lu);
    if (!is_any_under_way(e))
        return;
    hyb_timer_begin(lu->worker, HYB_EXCHANGE, e->step->k);
    begin_parcels(lu);
    move_parcels(lu);
    hyb_timer_end(lu->worker);
}

bool hyb_exchange_is_over(const hyb_exchange_t *e)
{
    return e == NULL || (!is_any_under_way(e) && !hyb_parcels_are_left(e));
}

const hyb_parcel_t *hyb_exchange_parcel(const hyb_exchange_t *e, int64_t block)
{
    return &e->parcel[e->last_blocks[block].from];
}

const hpl_exchange_t *hyb_exchange_of(const hyb_exchange_t *e, hyb_run_t run,
                                      int *column_p)
{
    const hyb_parcel_t *parcel =
        hyb_exchange_parcel(e, hyb_ledger_block(e->ledger, run.from));

    *column_p =
        (int)(run.from - hyb_ledger_first(e->ledger, parcel->blocks.from));
    return &parcel->x;
}
