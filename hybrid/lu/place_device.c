/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/place_device.h"

#include <math.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/device/device.h"
#include "hybrid/lu/lu.h"

enum { SLOTS = 2 }; /* panels on the device: of iterations k and k + 1 */

/* Rows that a panel moves on this process, counted from its first one. */
enum {
    U_FROM,         /* those that become rows of U; P = 1: in U's order */
    DISPLACED_FROM, /* those displaced from the top, where that is here */
    DISPLACED_TO,   /* where displaced ones go, here */
    U_TO,           /* P > 1: rows of U by process that they come from */
    LISTS
};

/* The panel of an iteration, as the device has it. */
typedef struct {
    hyb_block_t l1, l2;
    hyb_list_t list[LISTS];
    hyb_event_t *ready; /* all of it has come up */
} slot_t;

/* Work that is queued: the ledger learns that these blocks, if any, are
 * complete. */
typedef struct {
    hyb_event_t *done;
    hyb_blocks_t blocks;
    int k;
    bool under_way;
    double flop, since; /* since when it, or the work before it, can run */
} work_t;

typedef struct {
    hyb_place_t base;
    hyb_device_t *device;
    hyb_device_info_t info;
    hyb_queue_t *compute, *link, *leave; /* P > 1: for rows that leave */
    hyb_event_t *computed;               /* the columns of the next panel */
    hyb_event_t *copied;
    hyb_event_t *arrived; /* rows of other processes */
    hyb_buffer_t *memory;
    hyb_block_t matrix; /* mp x all local columns */
    hyb_block_t u;      /* nb x the same: rows on their way to the top */
    hyb_block_t x, y;   /* vectors of the back-substitution */
    int64_t packed;     /* offset of what mirrors the exchange's buffers */
    slot_t slot[SLOTS];
    work_t *work;
    int works;
    work_t *sending; /* P > 1: the group whose rows leave */
    double *host;    /* pinned: the panel that comes down, and lists of rows */
    size_t host_bytes;
    int64_t *rows; /* SLOTS x LISTS x nb, in host */
    double pace;   /* s a flop of the slowest work so far, or a guess */
} place_t;

static place_t *place_of(const hyb_lu_t *lu)
{
    return (place_t *)lu->place;
}

/* The device is lost, or refuses: the columns are gone with it. */
static void check(const hyb_lu_t *lu, xh_status_t status)
{
    const hyb_device_info_t *d = &place_of(lu)->info;
    int k = atomic_load(&lu->open) - 1;
    char when[32] = "before iteration 0";

    if (status == XH_OK)
        return;
    if (k >= 0)
        snprintf(when, sizeof(when), "iteration %d", k);
    HPL_pabort(__LINE__, "hyb_place_device",
               "%s: the device that holds the columns is lost: %s device %d "
               "(%s%s%s): %s",
               when, d->backend, d->index, d->name,
               d->pci_address[0] != '\0' ? ", " : "", d->pci_address,
               xh_status_text(status));
}

/* ---- create and destroy --------------------------------------------------
 */

xh_status_t hyb_place_device_check(const hyb_means_t *means,
                                   const HPL_T_grid *grid)
{
    const hyb_op_t needed[] = {
        HYB_OP_GEMM,
        HYB_OP_TRSM,
        HYB_OP_GEMV,
        HYB_OP_GENERATE,
        grid->nprow > 1 ? HYB_OP_GATHER_ROWS : HYB_OP_SWAP_ROWS,
        grid->nprow > 1 ? HYB_OP_SCATTER_ROWS : HYB_OP_SWAP_ROWS};
    hyb_device_t *device;
    size_t i;

    if (hyb_machine_working_devices(means->machine) != 1) {
        xh_log_error("home=device: this process has %d devices, and needs one",
                     hyb_machine_working_devices(means->machine));
        return XH_ERR_INPUT;
    }
    device = hyb_machine_device(means->machine, 0);
    for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!hyb_device_has(device, needed[i])) {
            xh_log_error("home=device: the device lacks an operation that "
                         "columns on it need");
            return XH_ERR_INPUT;
        }
    return XH_OK;
}

typedef struct {
    int64_t rows, columns, nb;
    int64_t packed; /* doubles of rows on their way */
} extent_t;

static extent_t extent_of(const hyb_lu_t *lu)
{
    const hyb_exchange_t *e = &lu->exchange;

    return (extent_t){.rows = lu->mat->mp,
                      .columns = lu->ledger.columns,
                      .nb = Mmin(lu->mat->nb, lu->mat->n),
                      .packed = 2 * (e->displaced - e->gathered)};
}

/* Doubles of a panel's place. */
static int64_t slot_doubles(extent_t e)
{
    return e.nb * e.nb + e.rows * e.nb + LISTS * e.nb;
}

/* At least one: nothing is no buffer. */
static int64_t device_doubles(extent_t e)
{
    return 1 + (e.rows + e.nb) * e.columns + e.rows + e.nb + e.packed +
           SLOTS * slot_doubles(e);
}

/* Cut the device's memory into its parts. */
static void lay_out(place_t *p, extent_t e)
{
    hyb_buffer_t *m = p->memory;
    int64_t at = 0;
    int i, list;

    p->matrix = hyb_block(m, at, e.rows, e.columns);
    at += e.rows * e.columns;
    p->u = hyb_block(m, at, e.nb, e.columns);
    at += e.nb * e.columns;
    p->y = hyb_block(m, at, e.rows, 1);
    p->x = hyb_block(m, at += e.rows, e.nb, 1);
    p->packed = at += e.nb;
    at += e.packed;
    for (i = 0; i < SLOTS; i++, at += slot_doubles(e)) {
        slot_t *slot = &p->slot[i];
        int64_t lists = at + e.nb * e.nb + e.rows * e.nb;

        slot->l1 = hyb_block(m, at, e.nb, e.nb);
        slot->l2 = hyb_block(m, at + e.nb * e.nb, e.rows, e.nb);
        for (list = 0; list < LISTS; list++)
            slot->list[list] = (hyb_list_t){m, lists + list * e.nb, 0};
    }
}

static size_t host_doubles(int64_t rows, int64_t nb)
{
    return (size_t)(rows * nb + SLOTS * LISTS * nb) + 1;
}

uint64_t hyb_place_device_bytes(const hpl_shape_t *shape)
{
    return host_doubles(hpl_system_rows(shape), Mmin(shape->nb, shape->n)) *
           sizeof(double);
}

static xh_status_t open_events(place_t *p)
{
    xh_status_t status = hyb_event_create(p->device, &p->computed);
    int i;

    if (status == XH_OK)
        status = hyb_event_create(p->device, &p->copied);
    if (status == XH_OK)
        status = hyb_event_create(p->device, &p->arrived);
    for (i = 0; status == XH_OK && i < SLOTS; i++)
        status = hyb_event_create(p->device, &p->slot[i].ready);
    for (i = 0; status == XH_OK && i < p->works; i++)
        status = hyb_event_create(p->device, &p->work[i].done);
    return status;
}

static xh_status_t open_all(place_t *p, extent_t e)
{
    xh_status_t status =
        hyb_queue_create(p->device, HYB_QUEUE_NORMAL, &p->compute);

    if (status == XH_OK)
        status = hyb_queue_create(p->device, HYB_QUEUE_HIGH, &p->link);
    if (status == XH_OK)
        status = hyb_queue_create(p->device, HYB_QUEUE_HIGH, &p->leave);
    if (status == XH_OK)
        status = open_events(p);
    if (status == XH_OK)
        status = hyb_buffer_create(
            p->device, (size_t)device_doubles(e) * sizeof(double), &p->memory);
    if (status == XH_OK) {
        p->host_bytes = host_doubles(e.rows, e.nb) * sizeof(double);
        status = hyb_pinned_alloc(p->device, p->host_bytes, &p->host);
    }
    if (status == XH_OK) {
        xh_memory_touch(p->host, p->host_bytes, 0, 1);
        p->rows = (int64_t *)(p->host + e.rows * e.nb);
        lay_out(p, e);
    }
    return status;
}

void hyb_place_device_destroy(hyb_place_t *place)
{
    place_t *p = (place_t *)place;
    int i;

    if (p == NULL)
        return;
    hyb_pinned_free(p->device, p->host, p->host_bytes);
    hyb_buffer_destroy(p->memory);
    for (i = 0; i < p->works; i++)
        hyb_event_destroy(p->work[i].done);
    free(p->work);
    for (i = 0; i < SLOTS; i++)
        hyb_event_destroy(p->slot[i].ready);
    hyb_event_destroy(p->arrived);
    hyb_event_destroy(p->copied);
    hyb_event_destroy(p->computed);
    hyb_queue_destroy(p->leave);
    hyb_queue_destroy(p->link);
    hyb_queue_destroy(p->compute);
    free(p);
}

/* ---- work that is queued: the leader -------------------------------------
 */

static const slot_t *slot_of(const hyb_lu_t *lu, int k)
{
    return &place_of(lu)->slot[k % SLOTS];
}

static xh_view_t host_view(double *data, int64_t rows, int64_t cols)
{
    return (xh_view_t){data, rows, cols, Mmax(rows, 1)};
}

/* Wait until event has passed; a device that takes too long is lost. */
static void wait_for(hyb_lu_t *lu, hyb_event_t *event)
{
    double all = (double)lu->mat->mp * (double)lu->ledger.columns;
    double seconds = fmax(all * 1e-6, xh_settings_real("stall_seconds"));
    bool done = false;

    check(lu, hyb_event_wait(event, seconds, &done));
    if (!done) {
        hyb_device_fail(place_of(lu)->device, "it stalled: no result in time");
        check(lu, XH_ERR_DEVICE);
    }
}

/* Wait for all that is queued. */
static void wait_for_all(hyb_lu_t *lu)
{
    place_t *p = place_of(lu);

    check(lu, hyb_event_record(p->compute, p->computed));
    check(lu, hyb_queue_wait(p->link, p->computed));
    check(lu, hyb_event_record(p->link, p->copied));
    wait_for(lu, p->copied);
}

/* Bring the lists of panel k's row moves up, by way of pinned memory. */
static xh_status_t send_moves(hyb_lu_t *lu, int k)
{
    place_t *p = place_of(lu);
    slot_t *slot = &p->slot[k % SLOTS];
    const hpl_pivots_t *moves = hpl_panel_pivots(hyb_lu_panel(lu, k)->hpl);
    const int *u = moves->gather_offset + moves->me;
    const int *displaced = moves->displace_offset + moves->me;
    bool alone = moves->members == 1;
    int64_t nb = p->u.rows, *row[LISTS];
    int i;

    for (i = 0; i < LISTS; i++)
        row[i] = p->rows + (k % SLOTS * LISTS + i) * nb;
    for (i = u[0]; i < u[1]; i++)
        row[U_FROM][alone ? moves->gather[i].to : i - u[0]] =
            moves->gather[i].from;
    for (i = 0; i < moves->gather_offset[moves->members]; i++)
        row[U_TO][i] = moves->gather[i].to;
    for (i = 0; i < moves->displace_offset[moves->members]; i++)
        row[DISPLACED_FROM][i] = moves->displace[i].from;
    for (i = displaced[0]; i < displaced[1]; i++)
        row[DISPLACED_TO][i - displaced[0]] = moves->displace[i].to;
    slot->list[U_FROM].count = u[1] - u[0];
    slot->list[U_TO].count = moves->gather_offset[moves->members];
    slot->list[DISPLACED_FROM].count =
        moves->me == 0 ? moves->displace_offset[moves->members] : 0;
    slot->list[DISPLACED_TO].count = displaced[1] - displaced[0];
    for (i = 0; i < LISTS; i++)
        XH_TRY(hyb_queue_upload(p->link, row[i], slot->list[i]));
    return XH_OK;
}

/* The panel's part of a slot: it may be narrower than the others. */
static hyb_block_t part(hyb_block_t all, int64_t rows, int64_t cols)
{
    return hyb_block_part(all, 0, 0, rows, cols);
}

/* L1, L2 and the row moves come up; the columns' work waits for them. */
static void receive_panel(hyb_lu_t *lu, int k)
{
    place_t *p = place_of(lu);
    hyb_lu_panel_t *panel = hyb_lu_panel(lu, k);
    const HPL_T_panel *h = panel->hpl;
    const slot_t *slot = slot_of(lu, k);
    xh_view_t l2;
    xh_status_t status;

    /* Memory of panel k - 2, on the host too, is free once it has come up. A
     * process without columns behind that panel waits for it only here. */
    wait_for(lu, slot->ready);
    hyb_panel_receive(lu, k);
    hyb_l2_columns_begin(lu->panel.l2, k, &panel->factors.l2);
    hyb_l2_columns_fill(lu->panel.l2, k);
    l2 = hyb_l2_columns_view(lu->panel.l2, k);
    status = send_moves(lu, k);
    if (status == XH_OK)
        status = hyb_queue_copy_in(p->link, host_view(h->L1, h->jb, h->jb),
                                   part(slot->l1, h->jb, h->jb));
    if (status == XH_OK)
        status =
            hyb_queue_copy_in(p->link, l2, part(slot->l2, l2.rows, l2.cols));
    if (status == XH_OK)
        status = hyb_event_record(p->link, slot->ready);
    if (status == XH_OK)
        status = hyb_queue_wait(p->compute, slot->ready);
    check(lu, status);
}

/* The run's columns from the panel's first row on. */
static hyb_block_t below_panel(const hyb_lu_t *lu, const HPL_T_panel *h,
                               hyb_run_t run)
{
    return hyb_block_part(place_of(lu)->matrix, h->ii, run.from, h->mp,
                          run.count);
}

static hyb_block_t trailing(const hyb_place_work_t *w)
{
    hyb_lu_t *lu = w->me->lu;

    return below_panel(lu, hyb_lu_panel(lu, w->step->k)->hpl, w->run);
}

static hyb_blocks_t blocks_of(const hyb_lu_t *lu, hyb_run_t run)
{
    return (hyb_blocks_t){
        hyb_ledger_block(&lu->ledger, run.from),
        hyb_ledger_block(&lu->ledger, run.from + run.count - 1) + 1};
}

/* The run's U: the matrix's top rows where these are here. */
static hyb_block_t u_of(const hyb_place_work_t *w)
{
    hyb_lu_t *lu = w->me->lu;
    const HPL_T_panel *h = hyb_lu_panel(lu, w->step->k)->hpl;

    return hpl_panel_top_rows(h) > 0
               ? part(trailing(w), h->jb, w->run.count)
               : hyb_block_part(place_of(lu)->u, 0, w->run.from, h->jb,
                                w->run.count);
}

/* Rows first .. first + count - 1 of one of x's packed buffers. */
static xh_view_t packed_rows(const hpl_exchange_t *x, double *buffer, int first,
                             int count)
{
    return (xh_view_t){buffer + (size_t)first * (size_t)x->columns, x->columns,
                       count, x->columns};
}

/* The device's copy of them. */
static hyb_block_t packed(const hyb_lu_t *lu, xh_view_t rows)
{
    const place_t *p = place_of(lu);

    return hyb_block(p->memory, p->packed + (rows.data - lu->exchange.gathered),
                     rows.rows, rows.cols);
}

/* Rows of U that came are in U's place, displaced ones in the matrix. */
static xh_status_t take_arrived(const hyb_place_work_t *w)
{
    hyb_lu_t *lu = w->me->lu;
    place_t *p = place_of(lu);
    const hyb_list_t *list = slot_of(lu, w->step->k)->list;
    int column;
    const hpl_exchange_t *x = hyb_exchange_of(lu, w->run, &column);
    const hpl_pivots_t *moves = x->panel->pivots;

    XH_TRY(hyb_queue_scatter_rows(
        p->compute, packed(lu, packed_rows(x, x->gathered, 0, x->panel->jb)),
        list[U_TO], u_of(w)));
    return hyb_queue_scatter_rows(
        p->compute,
        packed(lu,
               packed_rows(x, x->displaced, moves->displace_offset[moves->me],
                           (int)list[DISPLACED_TO].count)),
        list[DISPLACED_TO], trailing(w));
}

static void swap(const hyb_place_work_t *w)
{
    hyb_lu_t *lu = w->me->lu;
    place_t *p = place_of(lu);
    const hyb_list_t *list = slot_of(lu, w->step->k)->list;
    hyb_row_swap_t swap = {.columns = trailing(w),
                           .u =
                               hyb_block_part(p->u, 0, w->run.from,
                                              list[U_FROM].count, w->run.count),
                           .source = list[U_FROM],
                           .from = list[DISPLACED_FROM],
                           .to = list[DISPLACED_TO]};

    if (lu->grid->nprow > 1)
        check(lu, take_arrived(w));
    else
        check(lu, hyb_queue_swap_rows(p->compute, &swap));
}

static void solve(const hyb_place_work_t *w, bool keeps)
{
    hyb_lu_t *lu = w->me->lu;
    int nb = hyb_lu_panel(lu, w->step->k)->hpl->jb;

    (void)keeps; /* U stands in the matrix */
    check(lu,
          hyb_queue_trsm(place_of(lu)->compute,
                         part(slot_of(lu, w->step->k)->l1, nb, nb), u_of(w)));
}

/* Panel k comes down to pinned memory, once its columns are computed. */
static xh_status_t fetch_panel(hyb_lu_t *lu, int k)
{
    place_t *p = place_of(lu);
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t first =
        hyb_ledger_first(&lu->ledger, hyb_lu_trailing(lu, k - 1).from);
    xh_status_t status = hyb_event_record(p->compute, p->computed);

    if (status == XH_OK)
        status = hyb_queue_wait(p->link, p->computed);
    if (status == XH_OK)
        status = hyb_queue_copy_out(
            p->link, hyb_block_part(p->matrix, h->ii, first, h->mp, h->jb),
            host_view(p->host, h->mp, h->jb));
    return status;
}

/* Remember that work's blocks are complete when what is queued now has run. */
static work_t *note(hyb_lu_t *lu, work_t work, hyb_queue_t *queue)
{
    work_t *at = place_of(lu)->work;

    while (at->under_way)
        at++;
    work.done = at->done;
    work.under_way = true;
    work.since = xh_clock_now();
    *at = work;
    check(lu, hyb_event_record(queue, at->done));
    return at;
}

static void multiply(const hyb_place_work_t *w)
{
    hyb_lu_t *lu = w->me->lu;
    place_t *p = place_of(lu);
    const hyb_lu_panel_t *panel = hyb_lu_panel(lu, w->step->k);
    int64_t below = panel->factors.l2.rows, nb = panel->hpl->jb;
    bool is_next =
        hyb_blocks_count(w->step->next) > 0 &&
        w->run.from == hyb_ledger_first(&lu->ledger, w->step->next.from);
    hyb_gemm_t product = {.alpha = -1.0,
                          .beta = 1.0,
                          .a = part(slot_of(lu, w->step->k)->l2, below, nb),
                          .b = u_of(w),
                          .c = hyb_block_part(trailing(w),
                                              hpl_panel_top_rows(panel->hpl), 0,
                                              below, w->run.count)};
    work_t work = {.blocks = blocks_of(lu, w->run),
                   .k = w->step->k,
                   .flop = 2.0 * (double)(w->run.count * below * nb)};

    check(lu, hyb_queue_gemm(p->compute, &product));
    if (is_next)
        check(lu, fetch_panel(lu, w->step->k + 1));
    note(lu, work, is_next ? p->link : p->compute);
}

/* ---- rows between processes ----------------------------------------------
 */

/* Rows of the columns leave: device, then host. */
static xh_status_t gather(const hyb_lu_t *lu, hyb_block_t columns,
                          hyb_list_t list, xh_view_t rows)
{
    hyb_queue_t *queue = place_of(lu)->leave;

    XH_TRY(hyb_queue_gather_rows(queue, columns, list, packed(lu, rows)));
    return hyb_queue_copy_out(queue, packed(lu, rows), rows);
}

/* What is under way on these columns comes first. */
static xh_status_t wait_for_columns(const hyb_lu_t *lu, hyb_blocks_t blocks)
{
    const place_t *p = place_of(lu);
    int i;

    for (i = 0; i < p->works; i++)
        if (p->work[i].under_way && p->work[i].blocks.from < blocks.to &&
            p->work[i].blocks.to > blocks.from)
            XH_TRY(hyb_queue_wait(p->leave, p->work[i].done));
    return XH_OK;
}

static void send_rows(hyb_lu_t *lu, const hpl_exchange_t *x, hyb_run_t run)
{
    place_t *p = place_of(lu);
    const hpl_pivots_t *moves = x->panel->pivots;
    const slot_t *slot = slot_of(lu, lu->exchange.k);
    const hyb_list_t *u = &slot->list[U_FROM];
    const hyb_list_t *displaced = &slot->list[DISPLACED_FROM];
    hyb_block_t columns = below_panel(lu, x->panel, run);
    xh_status_t status = wait_for_columns(lu, blocks_of(lu, run));

    if (status == XH_OK)
        status = hyb_queue_wait(p->leave, slot->ready);
    if (status == XH_OK)
        status =
            gather(lu, columns, *u,
                   packed_rows(x, x->gathered, moves->gather_offset[moves->me],
                               (int)u->count));
    if (status == XH_OK)
        status = gather(lu, columns, *displaced,
                        packed_rows(x, x->displaced, 0, (int)displaced->count));
    check(lu, status);
    p->sending = note(lu, (work_t){.k = lu->exchange.k}, p->leave);
}

static bool has_sent_rows(hyb_lu_t *lu)
{
    return !place_of(lu)->sending->under_way;
}

/* Mine are there already. */
static void put_rows(hyb_lu_t *lu, const hpl_exchange_t *x)
{
    place_t *p = place_of(lu);
    const hpl_pivots_t *moves = x->panel->pivots;
    const int *u = moves->gather_offset + moves->me;
    const int *displaced = moves->displace_offset + moves->me;
    const xh_view_t come[] = {
        packed_rows(x, x->gathered, 0, u[0]),
        packed_rows(x, x->gathered, u[1], x->panel->jb - u[1]),
        packed_rows(x, x->displaced, displaced[0],
                    moves->me > 0 ? displaced[1] - displaced[0] : 0)};
    size_t i;

    for (i = 0; i < sizeof(come) / sizeof(come[0]); i++)
        check(lu, hyb_queue_copy_in(p->link, come[i], packed(lu, come[i])));
    check(lu, hyb_event_record(p->link, p->arrived));
    check(lu, hyb_queue_wait(p->compute, p->arrived));
}

/* ---- what has run ---------------------------------------------------------
 */

/* Without a result for so long the device is taken for stalled: many times what
 * all that is queued should take, and never less than the setting. */
static double patience(const place_t *p)
{
    enum { TIMES = 20 };
    double flop = 0.0;
    int i;

    for (i = 0; i < p->works; i++)
        flop += p->work[i].under_way ? p->work[i].flop : 0.0;
    return fmax(TIMES * flop * p->pace, xh_settings_real("stall_seconds"));
}

/* The work has run; what is queued behind it can run from now on. */
static void complete(hyb_lu_t *lu, work_t *work, double now)
{
    place_t *p = place_of(lu);
    int i;

    work->under_way = false;
    if (work->flop > 0.0)
        p->pace = fmax(p->pace, (now - work->since) / work->flop);
    for (i = 0; i < p->works; i++)
        p->work[i].since = now;
    hyb_ledger_complete_all(
        &lu->ledger, work->blocks,
        (hyb_stages_t){hyb_stage(work->k), hyb_stage(work->k + 1)});
}

/* Tell the ledger what has run. */
static void poll(void *context)
{
    hyb_lu_t *lu = context;
    place_t *p = place_of(lu);
    double now = xh_clock_now();
    bool done;
    int i;

    for (i = 0; i < p->works; i++) {
        work_t *work = &p->work[i];

        if (!work->under_way)
            continue;
        check(lu, hyb_event_wait(work->done, 0.0, &done));
        if (done) {
            complete(lu, work, now);
        } else if (now - work->since > patience(p)) {
            hyb_device_fail(p->device, "it stalled: no result in time");
            check(lu, XH_ERR_DEVICE);
        }
    }
}

/* ---- panels --------------------------------------------------------------
 */

static xh_view_t panel_columns(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;

    return host_view(place_of(lu)->host, h->mp, h->jb);
}

/* The back-substitution solves with the diagonal blocks on the host. */
static void put_top(hyb_lu_t *lu, int k)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;

    HPL_dlacpy(h->jb, h->jb, h->L1, h->jb, h->top, h->lda);
}

static void begin(hyb_lu_t *lu)
{
    if (!hyb_lu_owns(lu, 0))
        return;
    check(lu, fetch_panel(lu, 0));
    wait_for_all(lu);
}

/* y comes down: the back-substitution begins with it. Nothing is queued any
 * more, here and where b is not. */
static void end(hyb_lu_t *lu)
{
    place_t *p = place_of(lu);
    const HPL_T_pmat *mat = lu->mat;
    int64_t b = lu->ledger.columns_of_a;

    if (lu->ledger.columns > b)
        check(lu, hyb_queue_copy_out(
                      p->link, hyb_block_part(p->matrix, 0, b, mat->mp, 1),
                      (xh_view_t){Mptr(mat->A, 0, b, mat->ld), mat->mp, 1,
                                  mat->ld}));
    wait_for_all(lu);
}

static const hyb_place_ops_t ops = {.name = "device",
                                    .is_queued = true,
                                    .receive_panel = receive_panel,
                                    .send_rows = send_rows,
                                    .has_sent_rows = has_sent_rows,
                                    .put_rows = put_rows,
                                    .swap = swap,
                                    .solve = solve,
                                    .multiply = multiply,
                                    .panel_columns = panel_columns,
                                    .put_top = put_top,
                                    .poll = poll,
                                    .begin = begin,
                                    .end = end};

xh_status_t hyb_place_device_create(hyb_lu_t *lu, hyb_place_t **place_p)
{
    place_t *p = calloc(1, sizeof(*p));
    xh_status_t status;

    if (p == NULL)
        return XH_ERR_MEMORY;
    p->base.ops = &ops;
    p->pace = 1e-10;
    p->device = hyb_machine_device(lu->means.machine, 0);
    /* Of two iterations each block, and the rows of one group. */
    p->works = 2 * (int)lu->ledger.blocks + 1;
    p->work = calloc((size_t)p->works, sizeof(*p->work));
    status = p->work != NULL ? hyb_device_describe(p->device, &p->info)
                             : XH_ERR_MEMORY;
    if (status == XH_OK)
        status = open_all(p, extent_of(lu));
    if (status == XH_OK) {
        *place_p = &p->base;
        return XH_OK;
    }
    if (status == XH_ERR_MEMORY)
        xh_log_error("home=device: the columns of this process and its panels "
                     "take %.1f MiB of the device, which has not as much",
                     (double)device_doubles(extent_of(lu)) * sizeof(double) /
                         (1 << 20));
    hyb_place_device_destroy(&p->base);
    return status;
}

/* ---- beside the loop -----------------------------------------------------
 */

void hyb_place_device_generate(hyb_lu_t *lu, int seed)
{
    place_t *p = place_of(lu);
    const HPL_T_grid *grid = lu->grid;
    hyb_generate_t all = {.seed = (uint64_t)seed,
                          .order = lu->mat->n,
                          .rows = {0, lu->mat->nb, grid->myrow, grid->nprow},
                          .cols = {0, lu->mat->nb, grid->mycol, grid->npcol},
                          .block = p->matrix};

    check(lu, hyb_queue_generate(p->compute, &all));
    wait_for_all(lu);
}

void hyb_place_device_subtract(void *context, const hpl_product_t *product)
{
    hyb_lu_t *lu = context;
    place_t *p = place_of(lu);
    int64_t at = product->a - lu->mat->A, m = product->m, n = product->n;
    hyb_block_t a =
        hyb_block_part(p->matrix, at % lu->mat->ld, at / lu->mat->ld, m, n);
    hyb_block_t x = part(p->x, n, 1), y = part(p->y, m, 1);
    xh_view_t host_y = {product->y, m, 1, m};
    xh_status_t status = hyb_queue_copy_in(
        p->link, (xh_view_t){(double *)product->x, n, 1, n}, x);

    if (status == XH_OK)
        status = hyb_queue_copy_in(p->link, host_y, y);
    if (status == XH_OK)
        status = hyb_queue_gemv(p->link, a, x, y);
    if (status == XH_OK)
        status = hyb_queue_copy_out(p->link, y, host_y);
    check(lu, status);
    wait_for_all(lu);
}
