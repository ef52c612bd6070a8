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

enum {
    SLOTS = 2, /* panels on the device: of iterations k and k + 1 */
    WORKS = 8  /* runs that are queued at the same time, at most */
};

enum { SOURCE, FROM, TO, LISTS }; /* of rows: as a hyb_swap_t has them */

/* The panel of an iteration, as the device has it. */
typedef struct {
    hyb_block_t l1, l2;
    hyb_block_t list[LISTS];
    int64_t *rows[LISTS]; /* what these get, pinned */
    hyb_event_t *ready;   /* all of it has come up */
} slot_t;

/* A run that is queued: the ledger learns that it has run. */
typedef struct {
    hyb_event_t *done;
    hyb_blocks_t blocks;
    bool under_way;
    double flop, since; /* since when it, or the work before it, can run */
} work_t;

typedef struct {
    hyb_place_t base;
    hyb_device_t *device;
    hyb_queue_t *compute, *link;
    hyb_event_t *computed; /* the columns of the next panel */
    hyb_event_t *copied;
    hyb_buffer_t *memory;
    hyb_block_t matrix; /* mp x all local columns */
    hyb_block_t u;      /* nb x the same: rows on their way to the top */
    hyb_block_t x, y;   /* vectors of the back-substitution */
    slot_t slot[SLOTS];
    work_t work[WORKS];
    double *host; /* pinned: the panel that comes down, and lists of rows */
    size_t host_bytes;
    double pace; /* s a flop of the slowest work so far, or a guess */
} place_t;

static place_t *place_of(const hyb_lu_t *lu)
{
    return (place_t *)lu->place;
}

static slot_t *slot_of(const hyb_lu_t *lu, int k)
{
    return &place_of(lu)->slot[k % SLOTS];
}

/* The device is lost, or refuses: the columns are gone with it. */
static void check(const hyb_lu_t *lu, xh_status_t status)
{
    if (status != XH_OK)
        HPL_pabort(__LINE__, "hyb_place_device",
                   "iteration %d: the device that holds the columns is lost: "
                   "%s",
                   atomic_load(&lu->open) - 1, xh_status_text(status));
}

/* ---- create and destroy --------------------------------------------------
 */

xh_status_t hyb_place_device_check(const hyb_means_t *means,
                                   const HPL_T_grid *grid)
{
    static const hyb_op_t needed[] = {HYB_OP_GEMM, HYB_OP_SWAP_ROWS,
                                      HYB_OP_TRSM, HYB_OP_GEMV,
                                      HYB_OP_GENERATE};
    hyb_device_t *device;

    if (grid->nprow > 1) {
        xh_log_error("home=device: P is %d, and columns on a device have all "
                     "their rows on one process: P has to be 1",
                     grid->nprow);
        return XH_ERR_INPUT;
    }
    if (hyb_machine_working_devices(means->machine) != 1) {
        xh_log_error("home=device: this process has %d devices, and needs one",
                     hyb_machine_working_devices(means->machine));
        return XH_ERR_INPUT;
    }
    device = hyb_machine_device(means->machine, 0);
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
        if (!hyb_device_has(device, needed[i])) {
            xh_log_error("home=device: the device lacks an operation that "
                         "columns on it need");
            return XH_ERR_INPUT;
        }
    return XH_OK;
}

/* A matrix in the device's memory, behind all before it. */
static hyb_block_t cut(place_t *p, int64_t *at, int64_t rows, int64_t cols)
{
    int64_t from = *at;

    *at += rows * cols;
    return hyb_block(p->memory, from, rows, cols);
}

/* Cut the device's memory into its parts; returns how many doubles that takes,
 * at least one: nothing is no buffer. */
static int64_t lay_out(const hyb_lu_t *lu)
{
    place_t *p = place_of(lu);
    int64_t rows = lu->mat->mp, nb = Mmin(lu->mat->nb, lu->mat->n), at = 0;

    p->matrix = cut(p, &at, rows, lu->ledger.columns);
    p->u = cut(p, &at, nb, lu->ledger.columns);
    p->y = cut(p, &at, rows, 1);
    p->x = cut(p, &at, nb, 1);
    for (int i = 0; i < SLOTS; i++) {
        p->slot[i].l1 = cut(p, &at, nb, nb);
        p->slot[i].l2 = cut(p, &at, rows, nb);
        for (int l = 0; l < LISTS; l++)
            p->slot[i].list[l] = cut(p, &at, nb, 1);
    }
    return at + 1;
}

static size_t host_bytes(int64_t rows, int64_t nb)
{
    return (size_t)(rows * nb + SLOTS * LISTS * nb + 1) * sizeof(double);
}

uint64_t hyb_place_device_bytes(const hpl_shape_t *shape)
{
    return host_bytes(hpl_system_rows(shape), Mmin(shape->nb, shape->n));
}

static xh_status_t open_queues(place_t *p)
{
    XH_TRY(hyb_queue_create(p->device, HYB_QUEUE_NORMAL, &p->compute));
    XH_TRY(hyb_queue_create(p->device, HYB_QUEUE_HIGH, &p->link));
    XH_TRY(hyb_event_create(p->device, &p->computed));
    XH_TRY(hyb_event_create(p->device, &p->copied));
    for (int i = 0; i < SLOTS; i++)
        XH_TRY(hyb_event_create(p->device, &p->slot[i].ready));
    for (int i = 0; i < WORKS; i++)
        XH_TRY(hyb_event_create(p->device, &p->work[i].done));
    return XH_OK;
}

static xh_status_t reserve(const hyb_lu_t *lu, size_t bytes)
{
    place_t *p = place_of(lu);
    int64_t mp = lu->mat->mp, nb = Mmin(lu->mat->nb, lu->mat->n), *rows;

    XH_TRY(hyb_buffer_create(p->device, bytes, &p->memory));
    p->host_bytes = host_bytes(mp, nb);
    XH_TRY(hyb_pinned_alloc(p->device, p->host_bytes, &p->host));
    xh_memory_touch(p->host, p->host_bytes, 0, 1);
    rows = (int64_t *)(p->host + mp * nb);
    for (int i = 0; i < SLOTS * LISTS; i++)
        p->slot[i / LISTS].rows[i % LISTS] = rows + i * nb;
    lay_out(lu);
    return XH_OK;
}

void hyb_place_device_destroy(hyb_lu_t *lu)
{
    place_t *p = place_of(lu);

    hyb_pinned_free(p->device, p->host, p->host_bytes);
    hyb_buffer_destroy(p->memory);
    for (int i = 0; i < WORKS; i++)
        hyb_event_destroy(p->work[i].done);
    for (int i = 0; i < SLOTS; i++)
        hyb_event_destroy(p->slot[i].ready);
    hyb_event_destroy(p->copied);
    hyb_event_destroy(p->computed);
    hyb_queue_destroy(p->link);
    hyb_queue_destroy(p->compute);
    free(p);
}

/* ---- work that is queued: the leader -------------------------------------
 */

static xh_view_t host_view(double *data, int64_t rows, int64_t cols)
{
    return (xh_view_t){data, rows, cols, Mmax(rows, 1)};
}

static void fail_stalled(const hyb_lu_t *lu)
{
    hyb_device_fail(place_of(lu)->device, "it stalled: no result in time");
    check(lu, XH_ERR_DEVICE);
}

/* Wait until event has passed; a device that takes too long is lost. */
static void wait_for(hyb_lu_t *lu, hyb_event_t *event)
{
    double all = (double)lu->mat->mp * (double)lu->ledger.columns;
    double seconds = fmax(all * 1e-6, xh_settings_real("stall_seconds"));
    bool done = false;

    check(lu, hyb_event_wait(event, seconds, &done));
    if (!done)
        fail_stalled(lu);
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

/* The lists of rows come up, by way of pinned memory. */
static xh_status_t send_moves(place_t *p, slot_t *slot, const hyb_swap_t *swap)
{
    const int *rows[LISTS] = {swap->source, swap->from, swap->to};

    for (int l = 0; l < LISTS; l++) {
        slot->list[l].rows = l == SOURCE ? swap->nb : swap->displaced;
        for (int64_t i = 0; i < slot->list[l].rows; i++)
            slot->rows[l][i] = rows[l][i];
        XH_TRY(hyb_queue_upload(p->link, slot->rows[l], slot->list[l]));
    }
    return XH_OK;
}

/* The panel's part of a slot: it may be narrower than the others. */
static hyb_block_t part(hyb_block_t all, int64_t rows, int64_t cols)
{
    return hyb_block_part(all, 0, 0, rows, cols);
}

/* L1, L2 and the row moves come up; the columns' work waits for them. */
static xh_status_t send_panel(place_t *p, slot_t *slot, hyb_lu_panel_t *panel)
{
    const HPL_T_panel *h = panel->hpl;
    xh_view_t l2 = panel->columns;

    XH_TRY(send_moves(p, slot, &panel->swap));
    XH_TRY(hyb_queue_copy_in(p->link, host_view(h->L1, h->jb, h->jb),
                             part(slot->l1, h->jb, h->jb)));
    XH_TRY(hyb_queue_copy_in(p->link, l2, part(slot->l2, l2.rows, l2.cols)));
    XH_TRY(hyb_event_record(p->link, slot->ready));
    return hyb_queue_wait(p->compute, slot->ready);
}

static void receive_panel(hyb_lu_t *lu, int k)
{
    slot_t *slot = slot_of(lu, k);

    /* Memory of panel k - 2, on the host too, is free once it has come up. A
     * process without columns behind that panel waits for it only here. */
    wait_for(lu, slot->ready);
    hyb_panel_receive(lu, k);
    hyb_l2_columns_fill(hyb_lu_panel(lu, k));
    check(lu, send_panel(place_of(lu), slot, hyb_lu_panel(lu, k)));
}

/* The run's columns from the panel's first row on; of these the top. */
static hyb_block_t trailing(const hyb_lu_t *lu, const HPL_T_panel *h,
                            hyb_run_t run)
{
    return hyb_block_part(place_of(lu)->matrix, h->ii, run.from, h->mp,
                          run.count);
}

static hyb_block_t top(const hyb_lu_t *lu, const HPL_T_panel *h, hyb_run_t run)
{
    return part(trailing(lu, h, run), h->jb, run.count);
}

static void swap(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    place_t *p = place_of(lu);
    const HPL_T_panel *h = hyb_lu_panel(lu, step->k)->hpl;
    const slot_t *slot = slot_of(lu, step->k);
    hyb_row_swap_t swap = {
        .columns = trailing(lu, h, run),
        .u = hyb_block_part(p->u, 0, run.from, h->jb, run.count),
        .source = slot->list[SOURCE],
        .from = slot->list[FROM],
        .to = slot->list[TO]};

    check(lu, hyb_queue_swap_rows(p->compute, &swap));
}

/* U stands in the matrix. */
static void solve(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run,
                  bool keeps)
{
    hyb_lu_t *lu = me->lu;
    const HPL_T_panel *h = hyb_lu_panel(lu, step->k)->hpl;

    (void)keeps;
    check(lu, hyb_queue_trsm(place_of(lu)->compute,
                             part(slot_of(lu, step->k)->l1, h->jb, h->jb),
                             top(lu, h, run)));
}

/* Panel k comes down to pinned memory, once its columns are computed. */
static xh_status_t fetch_panel(hyb_lu_t *lu, int k)
{
    place_t *p = place_of(lu);
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t first =
        hyb_ledger_first(&lu->ledger, hyb_lu_trailing(lu, k - 1).from);

    XH_TRY(hyb_event_record(p->compute, p->computed));
    XH_TRY(hyb_queue_wait(p->link, p->computed));
    return hyb_queue_copy_out(
        p->link, hyb_block_part(p->matrix, h->ii, first, h->mp, h->jb),
        host_view(p->host, h->mp, h->jb));
}

/* Remember that the run's blocks are complete when what is queued now has run.
 */
static void note(hyb_lu_t *lu, hyb_run_t run, double flop, hyb_queue_t *queue)
{
    work_t *work = place_of(lu)->work;
    int64_t last = run.from + run.count - 1;

    while (work->under_way)
        work++;
    work->blocks = (hyb_blocks_t){hyb_ledger_block(&lu->ledger, run.from),
                                  hyb_ledger_block(&lu->ledger, last) + 1};
    work->under_way = true;
    work->since = xh_clock_now();
    work->flop = flop;
    check(lu, hyb_event_record(queue, work->done));
}

static void multiply(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    place_t *p = place_of(lu);
    const hyb_lu_panel_t *panel = hyb_lu_panel(lu, step->k);
    int64_t below = panel->factors.l2.rows, nb = panel->hpl->jb;
    bool is_next = hyb_blocks_count(step->next) > 0 &&
                   run.from == hyb_ledger_first(&lu->ledger, step->next.from);
    hyb_gemm_t product = {.alpha = -1.0,
                          .beta = 1.0,
                          .a = part(slot_of(lu, step->k)->l2, below, nb),
                          .b = top(lu, panel->hpl, run),
                          .c = hyb_block_part(trailing(lu, panel->hpl, run), nb,
                                              0, below, run.count)};

    check(lu, hyb_queue_gemm(p->compute, &product));
    if (is_next)
        check(lu, fetch_panel(lu, step->k + 1));
    note(lu, run, 2.0 * (double)below * (double)nb * (double)run.count,
         is_next ? p->link : p->compute);
}

/* Without a result for so long the device is taken for stalled: many times what
 * all that is queued should take, and never less than the setting. */
static double patience(const place_t *p)
{
    enum { TIMES = 20 };
    double flop = 0.0;

    for (int i = 0; i < WORKS; i++)
        flop += p->work[i].under_way ? p->work[i].flop : 0.0;
    return fmax(TIMES * flop * p->pace, xh_settings_real("stall_seconds"));
}

/* The work has run; what is queued behind it can run from now on. */
static void complete(hyb_lu_t *lu, work_t *work, double now)
{
    place_t *p = place_of(lu);

    work->under_way = false;
    if (work->flop > 0.0)
        p->pace = fmax(p->pace, (now - work->since) / work->flop);
    for (int i = 0; i < WORKS; i++)
        p->work[i].since = now;
    hyb_ledger_complete_all(&lu->ledger, work->blocks, HYB_STEPS);
}

/* Tell the ledger what has run. */
static void poll(void *context)
{
    hyb_lu_t *lu = context;
    place_t *p = place_of(lu);
    double now = xh_clock_now();
    bool done;

    for (int i = 0; i < WORKS; i++) {
        work_t *work = &p->work[i];

        if (!work->under_way)
            continue;
        check(lu, hyb_event_wait(work->done, 0.0, &done));
        if (done)
            complete(lu, work, now);
        else if (now - work->since > patience(p))
            fail_stalled(lu);
    }
}

/* ---- panels --------------------------------------------------------------
 */

static xh_view_t panel_columns(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;

    return host_view(place_of(lu)->host, h->mp, h->jb);
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

static const hyb_place_t functions = {.is_queued = true,
                                      .receive_panel = receive_panel,
                                      .swap = swap,
                                      .solve = solve,
                                      .multiply = multiply,
                                      .panel_columns = panel_columns,
                                      .poll = poll,
                                      .begin = begin,
                                      .end = end};

xh_status_t hyb_place_device_create(hyb_lu_t *lu)
{
    place_t *p = calloc(1, sizeof(*p));
    size_t bytes;
    xh_status_t status;

    if (p == NULL)
        return XH_ERR_MEMORY;
    p->base = functions;
    p->pace = 1e-10;
    p->device = hyb_machine_device(lu->means.machine, 0);
    lu->place = &p->base;
    XH_TRY(open_queues(p));
    bytes = (size_t)lay_out(lu) * sizeof(double);
    status = reserve(lu, bytes);
    if (status == XH_ERR_MEMORY)
        xh_log_error("home=device: the columns of this process and its panels "
                     "take %.1f MiB of the device, which has not as much",
                     (double)bytes / (1 << 20));
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
    xh_view_t host_x = {(double *)product->x, n, 1, n};

    check(lu, hyb_queue_copy_in(p->link, host_x, x));
    check(lu, hyb_queue_copy_in(p->link, host_y, y));
    check(lu, hyb_queue_gemv(p->link, a, x, y));
    check(lu, hyb_queue_copy_out(p->link, y, host_y));
    wait_for_all(lu);
}
