/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/seal.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/tune/sizes.h"

/* Rows of columns on a device are compared through products with two weight
 * vectors. */

enum { BOTH = HYB_CHECK_COLUMNS };

enum { PANELS = HYB_GUARD_PANELS, MOMENTS = HYB_GUARD_MOMENTS };

/* The moments at which a panel's columns are summed, as hyb_queue_checksum
 * does. */
typedef enum { FACTORED, CAME, L1_CAME, GIVEN_UP } moment_t;

struct hyb_place_guard {
    hyb_device_view_t weights; /* columns x 2 */
    hyb_device_view_t panel; /* rows x 2: sums over the next panel's columns */
    hyb_device_view_t rows;  /* rows x 2: sums over all other columns */
    double *all[HYB_IN_FLIGHT]; /* pinned, rows x 2: sums over all other
                                   columns, on their way down */
    double *own[HYB_IN_FLIGHT]; /* the same over panel k's columns */
    double *host_weights;
    int swept; /* all iterations before this one have been compared */
    hyb_device_view_t sums[2]; /* sums of a panel's columns: when factored; and
                                  when the panel has arrived or is given up */
    double *down[MOMENTS][PANELS]; /* sums on their way down */
    uint64_t seal[PANELS];         /* expected sums of L2 */
    uint64_t l1_seal[PANELS];      /* expected sums of L1 */
};

typedef struct hyb_place_guard guard_t;

/* ---- memory -------------------------------------------------------------- */

/* Send the weights of the device's columns up. */
static xh_status_t send_weights(hyb_place_device_t *d, double *host)
{
    const hyb_ledger_t *ledger = &d->base.lu->ledger;
    int64_t columns = d->columns[ledger->blocks];

    if (columns == 0)
        return XH_OK;
    for (int64_t b = 0; b < ledger->blocks; b++) {
        hyb_run_t run = hyb_ledger_columns(ledger, hyb_one_block(b));

        for (int which = 0; which < BOTH && hyb_place_holds(d, b); which++)
            memcpy(host + d->columns[b] + which * columns,
                   d->base.lu->check->weight[which] + run.from,
                   (size_t)run.count * sizeof(*host));
    }
    XH_TRY(hyb_queue_copy_in(d->queue.link,
                             (xh_view_t){host, columns, BOTH, columns},
                             d->guard->weights));
    return hyb_place_drain(d);
}

xh_status_t hyb_place_guard_create(hyb_place_device_t *d, int64_t at,
                                   double *host)
{
    int64_t rows = d->memory.matrix.rows, nb = d->nb;
    int64_t columns = d->columns[d->base.lu->ledger.blocks];
    guard_t *g = d->guard = calloc(1, sizeof(*g));

    if (g == NULL)
        return XH_ERR_MEMORY;
    g->weights = hyb_device_view(d->memory.buffer, at, columns, BOTH);
    g->panel =
        hyb_device_view(d->memory.buffer, at += BOTH * columns, rows, BOTH);
    g->rows = hyb_device_view(d->memory.buffer, at += BOTH * rows, rows, BOTH);
    g->sums[0] = hyb_device_view(d->memory.buffer, at += BOTH * rows, 2, nb);
    g->sums[1] = hyb_device_view(d->memory.buffer, at + 2 * nb, 2, nb);
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        g->all[i] = host + BOTH * (columns + i * rows);
        g->own[i] = g->all[i] + HYB_IN_FLIGHT * BOTH * rows;
    }
    for (int i = 0; i < MOMENTS * PANELS; i++)
        g->down[i / PANELS][i % PANELS] =
            g->own[0] + HYB_IN_FLIGHT * BOTH * rows + i * 2 * nb;
    g->host_weights = host;
    return XH_OK;
}

/* Requires lu's check columns. */
void hyb_place_guard_begin(hyb_place_device_t *d)
{
    if (d->guard != NULL && d->base.lu->homes.resident)
        hyb_place_require_ok(d, send_weights(d, d->guard->host_weights));
}

/* ---- rows of all columns ------------------------------------------------- */

/* Queue z := -A w for the rows from `row` on and the columns of `run`. */
static xh_status_t weigh(hyb_place_device_t *d, int64_t row, hyb_run_t run,
                         hyb_device_view_t z, double *down)
{
    int64_t rows = d->memory.matrix.rows - row;
    const hyb_gemm_t product = {
        .alpha = -1.0,
        .a = hyb_device_view_part(d->memory.matrix, row, run.from, rows,
                                  run.count),
        .b = hyb_device_view_part(d->guard->weights, run.from, 0, run.count,
                                  BOTH),
        .c = hyb_device_view_first(z, rows, BOTH)};
    xh_view_t host = {down, rows, BOTH, d->memory.matrix.rows};

    if (rows == 0)
        return XH_OK;
    if (run.count == 0) {
        for (int which = 0; which < BOTH; which++)
            memset(down + which * host.ld, 0, (size_t)rows * sizeof(*down));
        return XH_OK;
    }
    XH_TRY(hyb_queue_gemm(d->queue.compute, &product));
    return hyb_queue_copy_out(d->queue.compute, product.c, host);
}

/* Are sums over the panel's own columns needed? They must be taken before the
 * device factors the panel. */
static bool needs_panel(const hyb_place_device_t *d, int k)
{
    return d->guard != NULL &&
           (d->base.lu->grid->nprow > 1 ||
            hyb_check_columns_due(d->base.lu->check, k - 1));
}

xh_status_t hyb_place_guard_queue_panel_sums(hyb_place_device_t *d, int k)
{
    int64_t b = hyb_lu_panel_block(d->base.lu, k);

    if (!needs_panel(d, k) || !hyb_place_holds(d, b))
        return XH_OK;
    return weigh(d, hyb_lu_rows_above(d->base.lu->grid, d->base.lu->mat, k),
                 hyb_place_run(d, hyb_one_block(b)), d->guard->panel,
                 d->guard->own[k % HYB_IN_FLIGHT]);
}

/* The sum of the first sums of `columns` columns. */
static uint64_t bits_of(const hyb_place_device_t *d, int k, moment_t moment,
                        int64_t columns)
{
    uint64_t all = 0, bits;

    for (int64_t j = 0; j < columns; j++) {
        memcpy(&bits, d->guard->down[moment][k % PANELS] + 2 * j, sizeof(bits));
        all += bits;
    }
    return all;
}

void hyb_place_guard_take_panel_sums(hyb_place_device_t *d, int k, int64_t jb)
{
    const hyb_lu_t *lu = d->base.lu;
    int64_t rows = lu->mat->mp;

    if (d->guard == NULL)
        return;
    hyb_lu_panel(d->base.lu, k)->seal_bits = bits_of(d, k, FACTORED, jb);
    if (lu->grid->nprow > 1)
        memcpy(lu->check->panel[k % HYB_IN_FLIGHT],
               d->guard->own[k % HYB_IN_FLIGHT],
               BOTH * (size_t)rows * sizeof(double));
}

/* Is the application of panel k queued for all of the device's blocks? */
static bool can_sweep(const hyb_place_device_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_block_range_t all = hyb_lu_trailing(lu, k);

    for (int64_t b = all.from; b < all.to; b++)
        if (hyb_place_number(&lu->homes, b) == d->number &&
            !hyb_ledger_queued(&lu->ledger, hyb_one_block(b), hyb_stage(k + 1)))
            return false;
    return true;
}

static xh_status_t sweep(hyb_place_device_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_block_range_t rest = hyb_lu_trailing(lu, k + 1);

    XH_TRY(weigh(d, hyb_lu_rows_above(lu->grid, lu->mat, k + 1),
                 hyb_place_run(d, rest), d->guard->rows,
                 d->guard->all[k % HYB_IN_FLIGHT]));
    d->queued
        .work[hyb_place_note(d, (hyb_block_range_t){0}, 0, 0.0,
                             d->queue.compute)]
        .swept = k;
    return XH_OK;
}

void hyb_place_guard_queue_comparison(hyb_place_t *place, int k)
{
    hyb_place_device_t *d = (hyb_place_device_t *)place;

    if (d->guard == NULL || !place->lu->homes.resident || d->guard->swept > k ||
        !hyb_check_columns_due(place->lu->check, k) || !can_sweep(d, k))
        return;
    d->guard->swept = k + 1;
    hyb_place_require_ok(d, sweep(d, k));
}

void hyb_place_guard_finish_comparison(hyb_place_device_t *d, int k)
{
    hyb_lu_t *lu = d->base.lu;
    int64_t mp = lu->mat->mp,
            from = hyb_lu_rows_above(lu->grid, lu->mat, k + 1);
    const double *own = d->guard->own[(k + 1) % HYB_IN_FLIGHT];
    double *all = d->guard->all[k % HYB_IN_FLIGHT];

    if (hyb_lu_owns(lu, k + 1) &&
        hyb_place_holds(d, hyb_lu_panel_block(lu, k + 1)))
        for (int which = 0; which < BOTH; which++)
            for (int64_t i = which * mp; i < which * mp + mp - from; i++)
                all[i] += own[i];
    hyb_check_columns_judge(lu->check, &(hyb_compared_t){.place = d->number,
                                                         .k = k,
                                                         .first = from,
                                                         .rows = mp - from,
                                                         .z = all,
                                                         .ld = mp});
}

/* ---- seals ----------------------------------------------------------------
 */

/* Queue the sums of L2 of panel k, and their copy down. */
static xh_status_t sum(hyb_place_device_t *d, hyb_queue_t *queue, int k,
                       moment_t moment, hyb_device_view_t l2)
{
    hyb_device_view_t sums = hyb_device_view_part(
        d->guard->sums[moment != FACTORED], 0, 0, 2, l2.cols);
    double *down = d->guard->down[moment][k % PANELS];

    memset(down, 0, 2 * (size_t)l2.cols * sizeof(*down));
    if (l2.rows == 0)
        return XH_OK;
    XH_TRY(hyb_queue_checksum(queue, l2, sums));
    return hyb_queue_copy_out(queue, sums, (xh_view_t){down, 2, l2.cols, 2});
}

xh_status_t hyb_place_guard_queue_factored_seal(hyb_place_device_t *d, int k,
                                                hyb_device_view_t l2)
{
    return d->guard != NULL ? sum(d, d->queue.factor, k, FACTORED, l2) : XH_OK;
}

/* Is L2 a copy that came up? On the device that factored the panel, L2 is not.
 */
static bool is_copy(hyb_place_device_t *d, const hyb_place_panel_t *panel)
{
    return d->guard != NULL && panel->l2.rows > 0 &&
           panel->l2.offset == panel->received_l2.offset;
}

static void note(hyb_place_device_t *d, int k, moment_t moment)
{
    int at = hyb_place_note(d, (hyb_block_range_t){0}, 0, 0.0, d->queue.link);

    d->queued.work[at].sealed = k;
    d->queued.work[at].given_up = moment == GIVEN_UP;
}

xh_status_t hyb_place_guard_queue_received_seal(hyb_place_device_t *d, int k,
                                                xh_view_t l1)
{
    const hyb_place_panel_t *panel = hyb_place_panel(d, k);
    bool copied = is_copy(d, panel);
    int64_t rows = copied ? panel->l2.rows : 0; /* without rows the sum is 0 */

    if (d->guard == NULL)
        return XH_OK;
    d->guard->seal[k % PANELS] =
        copied ? hyb_seal_of(hyb_lu_panel(d->base.lu, k)) : 0;
    d->guard->l1_seal[k % PANELS] = hyb_seal_bits(l1.data, l1.rows * l1.cols);
    XH_TRY(sum(d, d->queue.link, k, CAME,
               hyb_device_view_first(panel->l2, rows, panel->l2.cols)));
    XH_TRY(sum(d, d->queue.link, k, L1_CAME,
               hyb_device_view_first(panel->l1, l1.rows, panel->jb)));
    note(d, k, CAME);
    return XH_OK;
}

/* Sum L2 of panel k, which stays here as long as its group. */
static xh_status_t give_up(hyb_place_device_t *d, int k)
{
    hyb_device_view_t l2 = hyb_place_l2(d, k);

    if (l2.rows == 0 ||
        (d->base.lu->groups.width == 1 && !is_copy(d, hyb_place_panel(d, k))))
        return XH_OK;
    XH_TRY(sum(d, d->queue.link, k, GIVEN_UP, l2));
    note(d, k, GIVEN_UP);
    return XH_OK;
}

xh_status_t hyb_place_guard_queue_last_seal(hyb_place_device_t *d, int group)
{
    const hyb_lu_t *lu = d->base.lu;

    for (int k = lu->range.first; d->guard != NULL && k < hyb_lu_end(lu); k++)
        if (lu->groups.of[k].number == group)
            XH_TRY(give_up(d, k));
    return XH_OK;
}

void hyb_place_guard_compare_seals(hyb_place_device_t *d, int k, bool given_up)
{
    int64_t columns =
        Mmin(d->base.lu->mat->nb, d->base.lu->mat->n - k * d->base.lu->mat->nb);

    if (!given_up)
        hyb_seal_compare_copy(d->base.lu->check, k, d->number - 1,
                              d->guard->l1_seal[k % PANELS],
                              bits_of(d, k, L1_CAME, columns));
    hyb_seal_compare_copy(d->base.lu->check, k, d->number - 1,
                          d->guard->seal[k % PANELS],
                          bits_of(d, k, given_up ? GIVEN_UP : CAME, columns));
}

/* The sum of the bits in rows first .. first + count - 1 of `packed`, over the
 * columns of panel i of the parcel. */
static uint64_t row_bits(const hyb_place_device_t *d,
                         const hyb_parcel_t *parcel, const double *packed,
                         int i, int first, int count)
{
    uint64_t bits = 0;

    for (int r = first; r < first + count; r++)
        bits += hyb_seal_bits(
            packed + (int64_t)r * parcel->x.columns + i * d->nb, d->nb);
    return bits;
}

/* How the parcel changes the sum of panel i: displaced rows replace those rows
 * of U that were below the top. */
static uint64_t moved_bits(const hyb_place_device_t *d,
                           const hyb_parcel_t *parcel, int i)
{
    const hpl_pivots_t *m = parcel->x.panel->pivots;
    int top = hpl_panel_top_rows(parcel->x.panel), first, count;
    uint64_t bits = 0;

    for (int source = 0; source < m->sources; source++) {
        count = hpl_pivots_between(m, source, m->me, &first);
        bits += row_bits(d, parcel, parcel->x.displaced, i, first, count);
    }
    for (int r = m->gather_offset[m->me]; r < m->gather_offset[m->me + 1]; r++)
        if (m->gather[r].from >= top)
            bits -= row_bits(d, parcel, parcel->x.gathered, i, r, 1);
    return bits;
}

void hyb_place_guard_update_seals(hyb_place_device_t *d,
                                  const hyb_parcel_t *parcel)
{
    int first = d->base.lu->groups.of[parcel->k].first;

    for (int k = first; d->guard != NULL && k < parcel->k; k++)
        d->guard->seal[k % PANELS] += moved_bits(d, parcel, k - first);
}
