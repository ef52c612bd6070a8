/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include "base/status.h"
#include "hpl/pauxil/abort.h"

enum { UNIT = HYB_SUMS_UNIT };

/* ---- sums of L ----------------------------------------------------------- */

/* Weights go with the rows. */
static void move_weights(hyb_lu_t *lu, int k)
{
    const hyb_swap_t *swap = &hyb_lu_panel(lu, k)->swap;
    int64_t from = hyb_lu_panel(lu, k)->hpl->ii, rows = lu->mat->mp - from;
    const double *old =
        hyb_factor_sums(lu, k + HYB_IN_FLIGHT - 1)->weight + from;
    double *new = hyb_factor_sums(lu, k)->weight + from;

    memcpy(new, old, (size_t)rows * sizeof(*new));
    if (lu->grid->nprow > 1)
        return;
    for (int i = 0; i < swap->nb; i++)
        new[i] = old[swap->source[i]];
    for (int d = 0; d < swap->displaced; d++)
        new[swap->to[d]] = old[swap->from[d]];
}

/* With the diagonal, which is 1. */
hyb_check_sums_t hyb_l1_sum(const hyb_lu_t *lu, int k, int p)
{
    const HPL_T_panel *h = lu->flight[k % HYB_IN_FLIGHT].panel.hpl;
    const double *weight = lu->grid->nprow > 1
                               ? lu->carried->top
                               : hyb_factor_sums(lu, k)->weight + h->ii;
    int next = p + 1;
    hyb_check_sums_t sum;

    lu->means.kernel->sum_column(h->L1 + next + (size_t)p * (size_t)h->jb,
                                 weight + next, h->jb - next, &sum);
    sum.plain += 1.0;
    sum.weighted += weight[p];
    return sum;
}

static void add_l1(hyb_lu_t *lu, int k)
{
    hyb_factor_sums_t *f = hyb_factor_sums(lu, k);

    for (int p = 0; p < hyb_lu_panel(lu, k)->hpl->jb; p++) {
        hyb_check_sums_t sum = hyb_l1_sum(lu, k, p);

        f->l1[p] = sum.plain;
        f->plain[p] += sum.plain;
        f->weighted[p] += sum.weighted;
    }
}

/* Column p's lanes in all units are added. */
static void add_lanes(hyb_factor_sums_t *f, int64_t cols, int64_t p)
{
    enum { LANES = HYB_CHECK_LANES };

    f->plain[p] = f->weighted[p] = 0.0;
    for (int64_t i = 0; i < f->units.count; i++) {
        const double *lanes = f->lanes + (i * cols + p) * 2 * LANES;
        double plain = 0.0, weighted = 0.0;

        for (int l = 0; l < LANES; l++) {
            plain += lanes[l];
            weighted += lanes[LANES + l];
        }
        f->plain[p] += plain;
        f->weighted[p] += weighted;
    }
}

static void add_units(hyb_lu_t *lu, int k)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    double squares = 0.0;

    for (int64_t p = 0; p < l2->cols; p++)
        add_lanes(f, l2->cols, p);
    for (int64_t i = 0; i < f->units.count; i++)
        squares += f->squares[i];
    f->by_device = false;
    f->square = (squares + 1.0) / (double)(l2->rows * l2->cols + 1);
    add_l1(lu, k);
}

/* Rows of L2 go into the lanes of their unit. */
static void sum_unit(hyb_lu_t *lu, int k, int64_t unit)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    const double *weight = f->weight + lu->mat->mp - l2->rows;
    size_t size = (size_t)l2->cols * 2 * HYB_CHECK_LANES;
    double *lanes = f->lanes + (size_t)unit * size;
    int64_t from = unit * UNIT, to = Mmin(from + UNIT, l2->rows);

    memset(lanes, 0, size * sizeof(*lanes));
    f->squares[unit] = 0.0;
    for (int64_t i = from; i < to; i += l2->height)
        f->squares[unit] += lu->means.kernel->sum_tile(
            l2->cols, hyb_tiles_at(l2, i, 0), weight + i, lanes);
}

/* ---- seals: of panels that travel ------------------------------------------
 *
 * Behind L2 stand sums of its bits, and of those of what follows: L1, pivots.
 */

enum { SEAL_OF_L2, SEAL_OF_REST };

static void write_seal(const hyb_lu_panel_t *p, int which, uint64_t bits)
{
    memcpy(p->seal + which, &bits, sizeof(bits));
}

static bool is_sealed(const hyb_lu_panel_t *p, int which, uint64_t bits)
{
    return memcmp(p->seal + which, &bits, sizeof(bits)) == 0;
}

static uint64_t bits_of_rest(const HPL_T_panel *h)
{
    return hyb_sums_bits(h->L1, (int64_t)h->jb * h->jb + h->jb + 1);
}

/* Units may come in any order. */
static uint64_t bits_of_unit(const hyb_tiles_t *l2, int64_t unit)
{
    int64_t from = unit * UNIT, to = Mmin(from + UNIT, l2->rows);
    int64_t tiles = xh_units(to - from, l2->height);

    return hyb_sums_bits(hyb_tiles_at(l2, from, 0),
                         tiles * l2->height * l2->cols) *
           (2 * (uint64_t)unit + 1);
}

static bool travels(const hyb_lu_t *lu)
{
    return lu->carried != NULL && lu->grid->npcol > 1;
}

void hyb_carried_begin_seal(hyb_lu_t *lu, int k)
{
    hyb_factor_sums_t *f;

    if (!travels(lu))
        return;
    f = hyb_factor_sums(lu, k);
    atomic_store(&f->bits, 0);
    hyb_units_begin(&f->sealing,
                    xh_units(hyb_lu_panel(lu, k)->factors.l2.rows, UNIT));
}

void hyb_carried_sum_bits(hyb_lu_t *lu, int k)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    hyb_factor_sums_t *f;
    int64_t unit;

    if (!travels(lu))
        return;
    f = hyb_factor_sums(lu, k);
    while ((unit = hyb_units_take(&f->sealing)) >= 0) {
        atomic_fetch_add(&f->bits, bits_of_unit(l2, unit));
        hyb_units_settle(&f->sealing);
    }
}

bool hyb_carried_has_bits(hyb_lu_t *lu, int k)
{
    return !travels(lu) ||
           hyb_units_are_settled(&hyb_factor_sums(lu, k)->sealing);
}

void hyb_carried_seal(hyb_lu_t *lu, int k)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (!travels(lu))
        return;
    write_seal(p, SEAL_OF_L2, atomic_load(&hyb_factor_sums(lu, k)->bits));
    write_seal(p, SEAL_OF_REST, bits_of_rest(p->hpl));
}

static int panel_sender(const hyb_lu_t *lu, int k)
{
    hpl_map_t columns = hpl_map_columns(lu->grid, lu->mat->nb);

    return HPL_pnum(lu->grid, lu->grid->myrow,
                    hpl_map_block_owner(&columns, k));
}

static void raise_message(hyb_lu_t *lu, int k)
{
    hyb_alarm_t alarm = hyb_alarm_at(lu, HYB_FOUND_PANEL_MESSAGE, k, -1);

    alarm.from = panel_sender(lu, k);
    hyb_alarm_raise(lu, &alarm);
}

static bool came_by_message(const hyb_lu_t *lu, int k)
{
    return travels(lu) && !hyb_lu_owns(lu, k);
}

/* With other pivots than the others it could not go on. */
void hyb_carried_arrive(hyb_lu_t *lu, int k)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (!came_by_message(lu, k) ||
        is_sealed(p, SEAL_OF_REST, bits_of_rest(p->hpl)))
        return;
    raise_message(lu, k);
    hpl_abort_job_as(XH_EXIT_FAILED);
}

static void check_l2(hyb_lu_t *lu, int k)
{
    if (came_by_message(lu, k) &&
        !is_sealed(hyb_lu_panel(lu, k), SEAL_OF_L2,
                   atomic_load(&hyb_factor_sums(lu, k)->bits)))
        raise_message(lu, k);
}

/* ---- when L is here ------------------------------------------------------ */

void hyb_note_diagonal(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hyb_run_t run = hyb_panel_run(lu, k);

    if (hpl_panel_top_rows(h) == 0)
        return;
    for (int64_t j = 0; j < run.count; j++)
        lu->carried->column[run.from + j].stored += lu->means.kernel->sum_words(
            h->L1 + j * h->jb, h->jb, (uint32_t)h->ii);
}

static void complete(hyb_lu_t *lu, int k)
{
    add_units(lu, k);
    check_l2(lu, k);
    if (hyb_lu_owns(lu, k)) {
        hyb_note_diagonal(lu, k);
        hyb_check_panel(lu, k);
        if (lu->grid->nprow > 1 && hyb_lu_panel(lu, 0)->workspace->shares_l2)
            hyb_keep_displaced(lu, k);
    }
    hyb_keep_l(lu, k);
    atomic_store(&hyb_factor_sums(lu, k)->ready, true);
}

void hyb_carried_receive(hyb_lu_t *lu, int k)
{
    int64_t units;

    if (lu->carried == NULL)
        return;
    units = xh_units(hyb_lu_panel(lu, k)->factors.l2.rows, UNIT);
    if (hyb_sums_come(lu, k))
        units = 0;
    move_weights(lu, k);
    atomic_store(&hyb_factor_sums(lu, k)->bits, 0);
    atomic_store(&hyb_factor_sums(lu, k)->ready, false);
    hyb_units_begin(&hyb_factor_sums(lu, k)->units, units);
    if (units == 0 && !hyb_sums_come(lu, k))
        complete(lu, k);
}

/* Who sums the last one completes the work. */
void hyb_carried_fill(hyb_lu_t *lu, int k)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    hyb_factor_sums_t *f;
    int64_t unit;

    if (lu->carried == NULL)
        return;
    f = hyb_factor_sums(lu, k);
    while ((unit = hyb_units_take(&f->units)) >= 0) {
        sum_unit(lu, k, unit);
        if (came_by_message(lu, k))
            atomic_fetch_add(&f->bits, bits_of_unit(l2, unit));
        if (atomic_fetch_add(&f->units.settled, 1) + 1 == f->units.count)
            complete(lu, k);
    }
}
