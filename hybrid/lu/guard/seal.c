/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/seal.h"

#include <math.h>
#include <string.h>
#include "hybrid/lu/guard/check_columns_private.h"
#include "hybrid/lu/state/lu.h"

enum { UNIT = 480 }; /* rows; a multiple of the height of all tiles */

static bool panels_are_sent(const hyb_check_columns_t *c)
{
    return c != NULL && c->grid->npcol > 1;
}

static bool is_summed(const hyb_check_columns_t *c)
{
    return c != NULL && (c->grid->npcol > 1 || c->homes->places > 1);
}

/* Does the panel come from another process? */
static bool is_received(const hyb_check_columns_t *c, const hyb_lu_panel_t *p)
{
    return panels_are_sent(c) && !hyb_check_columns_own(c, p->hpl);
}

/* Does L2 come to this process as a copy, from another process or, to be sent
 * or read here, from a device? */
static bool is_copied(const hyb_check_columns_t *c, const hyb_lu_panel_t *p)
{
    return is_received(c, p) ||
           (c != NULL && p->by_device &&
            (panels_are_sent(c) ||
             hyb_homes_team_reads(c->homes, c->grid, c->mat->nb,
                                  hpl_panel_number(p->hpl))));
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

static uint64_t bits_of_rest(const hyb_lu_panel_t *p)
{
    const HPL_T_panel *h = p->hpl;

    return hyb_seal_bits(h->L1, (int64_t)h->jb * h->jb + h->jb + 1) +
           hyb_seal_bits(p->seal + HYB_SEAL_FORM, 1);
}

static void begin(hyb_lu_panel_t *p)
{
    atomic_store(&p->seal_bits, 0);
    atomic_store(&p->has_nan, false);
    hyb_units_begin(&p->sealing, xh_units(p->factors.l2.rows, UNIT));
}

/* Take a unit of rows of L2, in the form of the message or, if `is_kept`, of
 * what the team reads, and add it to the seal's sum. Return its first row, or
 * -1 if no unit is left. */
static int64_t sum_unit(hyb_lu_panel_t *p, bool is_kept)
{
    const hyb_tiles_t *l2 = &p->factors.l2;
    int64_t unit = hyb_units_take(&p->sealing), from = unit * UNIT, rows, tiles;
    double all = 0.0;
    uint64_t bits = 0;
    bool in_columns;

    if (unit < 0)
        return -1;
    in_columns = is_kept ? !p->in_tiles : p->in_columns;
    rows = Mmin(UNIT, l2->rows - from);
    tiles = xh_units(rows, l2->height);
    for (int64_t j = 0; j < l2->cols && in_columns; j++)
        bits += bits_of(xh_at(p->columns, from, j), rows, &all);
    if (!in_columns)
        bits = bits_of(hyb_tiles_at(l2, from, 0), tiles * l2->height * l2->cols,
                       &all);
    atomic_fetch_add(&p->seal_bits, bits);
    if (!isfinite(all))
        atomic_store(&p->has_nan, true);
    return from;
}

/* ---- the seal ------------------------------------------------------------ */

static uint64_t read_seal(const hyb_lu_panel_t *p, int which)
{
    uint64_t bits;

    memcpy(&bits, p->seal + which, sizeof(bits));
    return bits;
}

uint64_t hyb_seal_of(const hyb_lu_panel_t *panel)
{
    return read_seal(panel, HYB_SEAL_OF_L2);
}

static void write_seal(hyb_lu_panel_t *p)
{
    uint64_t bits[] = {[HYB_SEAL_OF_L2] = atomic_load(&p->seal_bits),
                       [HYB_SEAL_OF_REST] = bits_of_rest(p)};

    memcpy(p->seal, bits, sizeof(bits));
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
static int origin_of_nan(const hyb_check_columns_t *c, const HPL_T_panel *h)
{
    int jb = h->jb;

    for (int i = 0; i < jb && c->grid->nprow > 1; i++) {
        const double *row = hyb_check_columns_pivot_row(c, h, i);

        if (!are_right(row, jb, 1))
            return hpl_map_owner(&c->rows, (int64_t)h->DPIV[i]);
        if (!are_right(row + jb, jb, 1))
            return h->prow;
        if (!are_right(h->L1 + i, jb, jb))
            break;
    }
    return c->grid->myrow;
}

/* Did a device send the panel's columns to the team with a NaN? */
static bool device_sent_nan(const hyb_check_columns_t *c,
                            const hyb_lu_panel_t *p)
{
    hyb_place_t *home = c->homes->place[hyb_check_columns_place(c, p->hpl)];
    xh_view_t columns;

    if (!hyb_check_columns_are_for_device(c, p))
        return false;
    columns = home->panel_columns(home, hpl_panel_number(p->hpl));
    for (int64_t j = 0; j < columns.cols; j++)
        if (!are_right(xh_at(columns, 0, j), columns.rows, 1))
            return true;
    return false;
}

/* A NaN spreads to all that is computed from the panel, so rows are no longer
 * compared. Only the processes that factored the panel raise an alarm. */
static void raise_nan(hyb_check_columns_t *c, const hyb_lu_panel_t *p)
{
    hyb_alarm_t alarm = hyb_alarm(HYB_FOUND_PANEL, hpl_panel_number(p->hpl));
    int row;

    if (!hyb_alarms_are_silent(&c->alarms))
        return;
    c->alarms.has_nan = true;
    if (!hyb_check_columns_own(c, p->hpl))
        return;
    row = origin_of_nan(c, p->hpl);
    if (row != c->grid->myrow)
        alarm.sender = hyb_check_columns_rank(c, row);
    if (p->by_device || (row == c->grid->myrow && device_sent_nan(c, p)))
        alarm.device = hyb_check_columns_place(c, p->hpl) - 1;
    hyb_alarm_raise(&c->alarms, alarm);
}

/* ---- where a panel is factored ------------------------------------------- */

void hyb_seal_begin(const hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    if (is_summed(check))
        begin(panel);
}

void hyb_seal_sum(hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    int64_t from;

    while (is_summed(check) && (from = sum_unit(panel, false)) >= 0) {
        hyb_check_columns_add_l2_rows(
            check, panel, from, Mmin(from + UNIT, panel->factors.l2.rows));
        hyb_units_settle(&panel->sealing);
    }
}

/* Without a seal there are no units. */
bool hyb_seal_has_sum(hyb_lu_t *lu, int k)
{
    return hyb_units_are_settled(&hyb_lu_panel(lu, k)->sealing);
}

void hyb_seal_write(hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    if (!is_summed(check))
        return;
    write_seal(panel);
    if (atomic_load(&panel->has_nan))
        raise_nan(check, panel);
}

void hyb_seal_take(hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    if (!is_summed(check))
        return;
    write_seal(panel);
    if (is_copied(check, panel))
        begin(panel);
}

void hyb_seal_compare_copy(hyb_check_columns_t *check, int k, int device,
                           uint64_t expected, uint64_t bits)
{
    hyb_alarm_t alarm = hyb_alarm(HYB_FOUND_COPY, k);

    alarm.device = device;
    if (bits != expected && hyb_alarms_are_silent(&check->alarms))
        hyb_alarm_raise(&check->alarms, alarm);
}

/* ---- where a panel arrives ----------------------------------------------- */

/* Return the alarm that the panel arrived with an error: a message names its
 * sender, a copy its device. */
static hyb_alarm_t arrival_alarm(const hyb_check_columns_t *c,
                                 const hyb_lu_panel_t *p)
{
    bool received = is_received(c, p);
    hyb_alarm_t alarm = hyb_alarm(received ? HYB_FOUND_MESSAGE : HYB_FOUND_COPY,
                                  hpl_panel_number(p->hpl));

    if (received)
        alarm.sender = HPL_pnum(c->grid, c->grid->myrow, p->hpl->pcol);
    else
        alarm.device = hyb_check_columns_place(c, p->hpl) - 1;
    return alarm;
}

/* A process whose pivots differ from those of the other processes cannot
 * continue: end the job. */
void hyb_seal_arrive(hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    int64_t jb = panel->hpl->jb;

    if (check == NULL)
        return;
    if (is_received(check, panel)) {
        if (read_seal(panel, HYB_SEAL_OF_REST) != bits_of_rest(panel)) {
            hyb_alarm_raise(&check->alarms, arrival_alarm(check, panel));
            hyb_alarm_end(&check->alarms);
        }
        begin(panel);
    }
    panel->kept = SEAL_CAME;
    if (!are_right(panel->hpl->L1, jb * jb, 1))
        raise_nan(check, panel);
    hyb_check_columns_factored(check, panel);
}

/* Compare the sum of L2 with the seal; raise `alarm` if they differ. */
static void compare(hyb_check_columns_t *c, const hyb_lu_panel_t *p,
                    hyb_alarm_t alarm)
{
    if (read_seal(p, HYB_SEAL_OF_L2) != atomic_load(&p->seal_bits))
        hyb_alarm_raise(&c->alarms, alarm);
    else if (atomic_load(&p->has_nan))
        raise_nan(c, p);
}

/* The thread that sums the last unit compares. */
void hyb_seal_compare(hyb_check_columns_t *check, hyb_lu_panel_t *panel)
{
    while (is_copied(check, panel) && sum_unit(panel, false) >= 0)
        if (atomic_fetch_add(&panel->sealing.settled, 1) + 1 ==
            panel->sealing.count)
            compare(check, panel, arrival_alarm(check, panel));
}

/* L2 is a copy where other processes, or devices of this one, use it, too.
 * Devices sum their own copies; here the form is summed that the team reads. */
bool hyb_seal_is_kept(hyb_lu_t *lu, int k)
{
    hyb_check_columns_t *c = lu->check;
    hyb_lu_panel_t *p;

    if (c == NULL || k < lu->range.first || c->alarms.count > 0)
        return true;
    p = hyb_lu_panel(lu, k);
    if (!hyb_homes_team_reads(c->homes, c->grid, c->mat->nb, k) ||
        (!is_received(c, p) && !c->homes->resident))
        return true;
    if (p->kept == SEAL_CAME) {
        begin(p);
        p->kept = SEAL_KEPT;
    }
    if (sum_unit(p, true) >= 0)
        hyb_units_settle(&p->sealing);
    if (hyb_units_are_left(&p->sealing))
        return false;
    if (p->kept == SEAL_KEPT)
        compare(c, p, hyb_alarm(HYB_FOUND_COPY, k));
    p->kept = SEAL_GIVEN_UP;
    return true;
}
