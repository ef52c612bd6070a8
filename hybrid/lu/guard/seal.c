/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/seal.h"

#include <math.h>
#include <string.h>
#include "hpl/panel/panel.h"
#include "hybrid/lu/guard/alarm.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/differences.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"

enum { UNIT = 480 }; /* rows; a multiple of the height of all tiles */
enum { SEAL_OF_L2, SEAL_OF_REST };

static bool panels_are_sent(const hyb_lu_t *lu)
{
    return lu->check != NULL && lu->grid->npcol > 1;
}

static bool is_summed(const hyb_lu_t *lu)
{
    return lu->check != NULL && (lu->grid->npcol > 1 || lu->homes.places > 1);
}

/* Is L2 of panel k a copy of data that other processes, or devices of this
 * process, use? */
static bool is_copy(const hyb_lu_t *lu, int k)
{
    return (panels_are_sent(lu) && !hyb_lu_owns(lu, k)) ||
           (lu->check != NULL && lu->homes.resident &&
            hyb_lu_team_reads(lu, k));
}

/* ---- sums of bits -------------------------------------------------------- */

/* Return the sum of the bits of `data`; the order does not change it. Also add
 * the values to *all, which becomes NaN or infinite if a value is. */
static uint64_t bits_of(const double *data, int64_t count, double *all)
{
    enum { LANES = 8 };
    uint64_t sum[LANES] = {0}, bits[LANES];
    double numbers[LANES] = {0.0};
    int64_t i = 0;

    for (; i + LANES <= count; i += LANES) {
        memcpy(bits, data + i, sizeof(bits));
        for (int l = 0; l < LANES; l++) {
            sum[l] += bits[l];
            numbers[l] += data[i + l];
        }
    }
    for (int l = 0; i < count; i++, l++) {
        memcpy(bits, data + i, sizeof(*bits));
        sum[l] += bits[0];
        numbers[l] += data[i];
    }
    for (int l = 1; l < LANES; l++) {
        sum[0] += sum[l];
        numbers[0] += numbers[l];
    }
    *all += numbers[0];
    return sum[0];
}

uint64_t hyb_seal_bits(const double *data, int64_t count)
{
    double unused = 0.0;

    return bits_of(data, count, &unused);
}

static uint64_t bits_of_rest(const HPL_T_panel *h)
{
    return hyb_seal_bits(h->L1, (int64_t)h->jb * h->jb + h->jb + 1);
}

/* Add one unit of rows of L2, in tiles, to the seal's sum. */
static void sum_unit(hyb_lu_t *lu, int k, int64_t unit)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    const hyb_tiles_t *l2 = &p->factors.l2;
    int64_t from = unit * UNIT, to = Mmin(from + UNIT, l2->rows);
    int64_t tiles = xh_units(to - from, l2->height);
    double all = 0.0;
    uint64_t bits =
        bits_of(hyb_tiles_at(l2, from, 0), tiles * l2->height * l2->cols, &all);

    atomic_fetch_add(&p->seal_bits, bits);
    if (!isfinite(all))
        atomic_store(&p->has_nan, true);
}

static void begin(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    atomic_store(&p->seal_bits, 0);
    atomic_store(&p->has_nan, false);
    hyb_units_begin(&p->sealing, xh_units(p->factors.l2.rows, UNIT));
}

static bool is_sealed(const hyb_lu_panel_t *p, int which, uint64_t bits)
{
    return memcmp(p->seal + which, &bits, sizeof(bits)) == 0;
}

/* ---- alarms -------------------------------------------------------------- */

static hyb_alarm_t alarm_of(hyb_lu_t *lu, int kind, int k)
{
    hpl_map_t columns = hpl_map_columns(lu->grid, lu->mat->nb);
    hyb_alarm_t alarm = {.kind = kind,
                         .first_iteration = k,
                         .iteration = k,
                         .row = -1,
                         .column = -1,
                         .sender = -1,
                         .device = -1};

    if (kind == HYB_FOUND_MESSAGE)
        alarm.sender = HPL_pnum(lu->grid, lu->grid->myrow,
                                hpl_map_block_owner(&columns, k));
    if (kind == HYB_FOUND_PANEL && hyb_lu_panel(lu, k)->by_device)
        alarm.device =
            hyb_place_number(&lu->homes, hyb_lu_panel_block(lu, k)) - 1;
    return alarm;
}

static void raise(hyb_lu_t *lu, int kind, int k)
{
    const hyb_alarm_t alarm = alarm_of(lu, kind, k);

    hyb_alarm_raise(lu, &alarm);
}

/* ---- NaN, infinity, or too large ----------------------------------------- */

/* Is `x` a number small enough that products with it do not overflow? */
static bool is_right(double x)
{
    static const double huge = 1e100;

    return fabs(x) < huge;
}

/* Are all `count` elements at a distance of `stride` right? */
static bool are_right(const double *a, int64_t count, int64_t stride)
{
    for (int64_t i = 0; i < count; i++)
        if (!is_right(a[i * stride]))
            return false;
    return true;
}

/* Return the process row where a NaN appeared first: that of the pivot's row,
 * that of the top's row that the pivot displaced, or, if only L1 has a NaN,
 * this one. */
static int origin_of_nan(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);
    int jb = h->jb;

    for (int c = 0; c < jb && rows.nprocs > 1; c++) {
        const double *row = hyb_check_columns_chosen_rows(lu, k, c);

        if (!are_right(row, jb, 1))
            return hpl_map_owner(&rows, (int64_t)h->DPIV[c]);
        if (!are_right(row + jb, jb, 1))
            return h->prow;
        if (!are_right(h->L1 + c, jb, jb))
            return rows.me;
    }
    return rows.me;
}

/* Did a device send the panel's columns to the team with a NaN? */
static bool device_sent_nan(hyb_lu_t *lu, int k)
{
    hyb_place_t *home = hyb_lu_panel_place(lu, k);
    xh_view_t columns;

    if (home == &lu->homes.host || hyb_lu_panel(lu, k)->by_device)
        return false;
    columns = home->panel_columns(home, k);
    for (int64_t j = 0; j < columns.cols; j++)
        if (!are_right(xh_at(columns, 0, j), columns.rows, 1))
            return true;
    return false;
}

/* A NaN spreads to all that is computed from the panel, so rows are no longer
 * compared. Only the processes that factored the panel raise an alarm. */
static void raise_nan(hyb_lu_t *lu, int k)
{
    hyb_alarm_t alarm = alarm_of(lu, HYB_FOUND_PANEL, k);
    int row;

    if (lu->check->has_nan || lu->check->alarms.count > 0)
        return;
    lu->check->has_nan = true;
    if (!hyb_lu_owns(lu, k))
        return;
    row = origin_of_nan(lu, k);
    if (row != lu->grid->myrow)
        alarm.sender = HPL_pnum(lu->grid, row, lu->grid->mycol);
    else if (device_sent_nan(lu, k))
        alarm.device =
            hyb_place_number(&lu->homes, hyb_lu_panel_block(lu, k)) - 1;
    hyb_alarm_raise(lu, &alarm);
}

/* ---- where a panel is factored ------------------------------------------- */

void hyb_seal_begin(hyb_lu_t *lu, int k)
{
    if (is_summed(lu))
        begin(lu, k);
}

void hyb_seal_sum(hyb_lu_t *lu, int k)
{
    int64_t unit;

    if (!is_summed(lu))
        return;
    while ((unit = hyb_units_take(&hyb_lu_panel(lu, k)->sealing)) >= 0) {
        sum_unit(lu, k, unit);
        hyb_check_columns_add_l2_rows(
            lu, k, unit * UNIT,
            Mmin((unit + 1) * UNIT, hyb_lu_panel(lu, k)->factors.l2.rows));
        hyb_units_settle(&hyb_lu_panel(lu, k)->sealing);
    }
}

bool hyb_seal_has_sum(hyb_lu_t *lu, int k)
{
    return !is_summed(lu) ||
           hyb_units_are_settled(&hyb_lu_panel(lu, k)->sealing);
}

static void write_seal(hyb_lu_panel_t *p, int which, uint64_t bits)
{
    memcpy(p->seal + which, &bits, sizeof(bits));
}

void hyb_seal_write(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (!is_summed(lu))
        return;
    write_seal(p, SEAL_OF_L2, atomic_load(&p->seal_bits));
    write_seal(p, SEAL_OF_REST, bits_of_rest(p->hpl));
    if (atomic_load(&p->has_nan))
        raise_nan(lu, k);
}

void hyb_seal_take(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    uint64_t bits = atomic_load(&p->seal_bits);

    if (!is_summed(lu))
        return;
    write_seal(p, SEAL_OF_L2, bits);
    write_seal(p, SEAL_OF_REST, bits_of_rest(p->hpl));
    if (!panels_are_sent(lu) && !hyb_lu_team_reads(lu, k))
        return;
    begin(lu, k);
    hyb_seal_sum(lu, k);
    hyb_seal_compare_copy(
        lu, k, hyb_place_number(&lu->homes, hyb_lu_panel_block(lu, k)) - 1,
        bits, atomic_load(&p->seal_bits));
}

uint64_t hyb_seal_of(hyb_lu_t *lu, int k)
{
    uint64_t bits;

    memcpy(&bits, hyb_lu_panel(lu, k)->seal + SEAL_OF_L2, sizeof(bits));
    return bits;
}

void hyb_seal_compare_copy(hyb_lu_t *lu, int k, int device, uint64_t expected,
                           uint64_t bits)
{
    hyb_alarm_t alarm = alarm_of(lu, HYB_FOUND_COPY, k);

    alarm.device = device;
    if (bits != expected && !lu->check->has_nan && lu->check->alarms.count == 0)
        hyb_alarm_raise(lu, &alarm);
}

/* ---- where a panel arrives ----------------------------------------------- */

/* A process whose pivots differ from those of the other processes cannot
 * continue: end the job. */
void hyb_seal_arrive(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int64_t jb = p->hpl->jb;

    if (lu->check == NULL)
        return;
    if (panels_are_sent(lu) && !hyb_lu_owns(lu, k)) {
        if (!is_sealed(p, SEAL_OF_REST, bits_of_rest(p->hpl))) {
            raise(lu, HYB_FOUND_MESSAGE, k);
            hyb_alarm_end(lu);
        }
        begin(lu, k);
    }
    p->kept = SEAL_CAME;
    if (!are_right(p->hpl->L1, jb * jb, 1))
        raise_nan(lu, k);
    hyb_check_columns_factored(lu, k);
}

static void compare(hyb_lu_t *lu, int k, int kind)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (!is_sealed(p, SEAL_OF_L2, atomic_load(&p->seal_bits)))
        raise(lu, kind, k);
    else if (atomic_load(&p->has_nan))
        raise_nan(lu, k);
}

/* The thread that sums the last unit compares. */
void hyb_seal_compare(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int64_t unit;

    if (!panels_are_sent(lu) || hyb_lu_owns(lu, k))
        return;
    while ((unit = hyb_units_take(&p->sealing)) >= 0) {
        sum_unit(lu, k, unit);
        if (atomic_fetch_add(&p->sealing.settled, 1) + 1 == p->sealing.count)
            compare(lu, k, HYB_FOUND_MESSAGE);
    }
}

bool hyb_seal_is_kept(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p;
    int64_t unit;

    if (k < lu->range.first || !is_copy(lu, k) || lu->check->alarms.count > 0)
        return true;
    p = hyb_lu_panel(lu, k);
    if (p->kept == SEAL_CAME) {
        begin(lu, k);
        p->kept = SEAL_KEPT;
    }
    unit = hyb_units_take(&p->sealing);
    if (unit >= 0) {
        sum_unit(lu, k, unit);
        hyb_units_settle(&p->sealing);
    }
    if (hyb_units_are_left(&p->sealing))
        return false;
    if (p->kept == SEAL_KEPT)
        compare(lu, k, HYB_FOUND_COPY);
    p->kept = SEAL_GIVEN_UP;
    return true;
}
