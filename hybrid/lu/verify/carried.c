/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/verify/sums.h"

enum { UNIT = 480 }; /* rows of L2, a multiple of all tiles' heights */

/* The sums of a panel's L. */
typedef struct {
    double *plain, *weighted; /* by column, of L1 and L2 */
    double square;            /* mean, of L2's elements and 1 */
    hyb_column_sums_t *part;  /* of L2, by unit and column */
    hyb_units_t units;
    _Atomic bool ready;
    double *weight; /* of local rows, once panel k has swapped them */
} factor_sums_t;

typedef struct {
    double plain, weighted, variance; /* variance: INFINITY: not checked */
} carried_t;

struct hyb_carried {
    carried_t *column; /* local ones */
    factor_sums_t factor[HYB_IN_FLIGHT];
    double *top; /* weights of rows of U, P > 1 */
    int every;   /* iterations that see all columns once */
    bool summed; /* the columns as they are */
    hyb_alarms_t alarms;
    double *memory;
    size_t bytes;
};

/* ---- memory --------------------------------------------------------------
 */

static double *cut(double *memory, size_t *at, size_t doubles)
{
    size_t from = *at;

    *at += hyb_whole_pages((int64_t)doubles);
    return memory != NULL ? memory + from : NULL;
}

static size_t in_doubles(size_t count, size_t bytes)
{
    return (count * bytes + sizeof(double) - 1) / sizeof(double);
}

/* Cut the memory, if there is any, into its parts; returns its doubles. */
static size_t lay_out(struct hyb_carried *c, int64_t rows, int64_t columns,
                      int64_t nb)
{
    size_t at = 0, width = (size_t)nb;
    size_t parts = ((size_t)xh_units(rows, UNIT) + 1) * width;

    c->column = (carried_t *)cut(
        c->memory, &at, in_doubles((size_t)columns, sizeof(carried_t)));
    c->top = cut(c->memory, &at, width);
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        factor_sums_t *f = &c->factor[i];

        f->plain = cut(c->memory, &at, width);
        f->weighted = cut(c->memory, &at, width);
        f->weight = cut(c->memory, &at, (size_t)rows + 1);
        f->part = (hyb_column_sums_t *)cut(
            c->memory, &at, in_doubles(parts, sizeof(hyb_column_sums_t)));
    }
    return at;
}

static bool is_wanted(const hyb_means_t *means)
{
    return strcmp(xh_settings_text("verify"), "online") == 0 &&
           !means->resident;
}

uint64_t hyb_carried_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    struct hyb_carried c = {.memory = NULL};

    if (!is_wanted(means))
        return 0;
    return sizeof(double) * lay_out(&c, hpl_system_rows(shape),
                                    hpl_system_columns(shape),
                                    Mmin(shape->nb, shape->n));
}

xh_status_t hyb_carried_create(hyb_lu_t *lu)
{
    int64_t rows = lu->mat->mp, nb = Mmax(Mmin(lu->mat->nb, lu->mat->n), 1);
    struct hyb_carried *c;

    if (!is_wanted(&lu->means))
        return XH_OK;
    lu->carried = c = calloc(1, sizeof(*c));
    if (c == NULL)
        return XH_ERR_MEMORY;
    c->bytes = lay_out(c, rows, lu->ledger.columns, nb) * sizeof(double);
    XH_TRY(xh_memory_allocate(c->bytes, (void **)&c->memory));
    xh_memory_touch(c->memory, c->bytes, 0, 1);
    lay_out(c, rows, lu->ledger.columns, nb);
    c->every = (int)xh_settings_int("verify_every");
    for (int64_t p = 0; p < nb; p++)
        c->top[p] = 1.0 + (double)p / (double)nb;
    for (int64_t i = 0; i < rows; i++) /* those before panel 0 are the last's */
        for (int k = 0; k < HYB_IN_FLIGHT; k++)
            c->factor[k].weight[i] = 1.0 + (double)i / (double)rows;
    return XH_OK;
}

void hyb_carried_destroy(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    if (lu->carried->memory != NULL)
        xh_memory_free(lu->carried->memory, lu->carried->bytes);
    free(lu->carried);
}

/* ---- small things --------------------------------------------------------
 */

static factor_sums_t *factor_of(const hyb_lu_t *lu, int k)
{
    return &lu->carried->factor[k % HYB_IN_FLIGHT];
}

static int64_t global_column(const hyb_lu_t *lu, int64_t column)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->npcol, lu->grid->mycol);

    return column < 0 ? -1 : hpl_map_global(&map, column);
}

static int64_t global_row(const hyb_lu_t *lu, int64_t row)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return row < 0 ? -1 : hpl_map_global(&map, row);
}

static hyb_alarm_t alarm_at(const hyb_lu_t *lu, hyb_found_t found, int k,
                            int64_t column)
{
    int64_t global = global_column(lu, column);

    return (hyb_alarm_t){.found = found,
                         .iteration = k,
                         .block = global < 0 ? -1 : global / lu->mat->nb,
                         .column = global,
                         .row = -1,
                         .device = -1};
}

/* ---- sums of the columns as they are -------------------------------------
 */

/* Local rows from the first one of panel k on. */
static int64_t first_row(const hyb_lu_t *lu, int k)
{
    hpl_map_t map = hpl_map(lu->mat->nb, lu->grid->nprow, lu->grid->myrow);

    return hpl_map_count(&map,
                         Mmin((int64_t)k * lu->mat->nb, (int64_t)lu->mat->n));
}

/* Those that it had when it had met panels 0 .. k - 1. */
static hyb_column_sums_t sums_now(const hyb_lu_t *lu, int64_t column, int k)
{
    int64_t from = first_row(lu, k);
    const double *weight = factor_of(lu, k + HYB_IN_FLIGHT - 1)->weight;

    return hyb_sums_column(Mptr(lu->mat->A, from, column, lu->mat->ld),
                           weight + from, lu->mat->mp - from);
}

static void take(const hyb_lu_t *lu, int64_t column,
                 const hyb_column_sums_t *sum, int64_t rows)
{
    lu->carried->column[column] =
        (carried_t){sum->plain, sum->weighted,
                    2.0 * hyb_noise_sum(rows, sum->squares)};
}

/* Numbers whose squares are none are nobody's to check. */
static void sum_share(void *context, int member)
{
    static const double most = 1e200;
    hyb_lu_t *lu = context;
    int members = hyb_team_size(lu->means.team);

    for (int64_t j = member; j < lu->ledger.columns; j += members) {
        hyb_column_sums_t sum = sums_now(lu, j, 0);

        take(lu, j, &sum, lu->mat->mp);
        if (!(sum.squares < most))
            lu->carried->column[j].variance = INFINITY;
    }
}

void hyb_carried_sum(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    hyb_team_run(lu->means.team, sum_share, lu);
    lu->carried->summed = true;
}

void hyb_carried_begin(hyb_lu_t *lu)
{
    if (lu->carried != NULL && !lu->carried->summed)
        hyb_carried_sum(lu);
}

/* ---- sums of L -----------------------------------------------------------
 */

/* Weights go with the rows. */
static void move_weights(hyb_lu_t *lu, int k)
{
    const hyb_swap_t *swap = &hyb_lu_panel(lu, k)->swap;
    int64_t from = hyb_lu_panel(lu, k)->hpl->ii, rows = lu->mat->mp - from;
    const double *old = factor_of(lu, k + HYB_IN_FLIGHT - 1)->weight + from;
    double *new = factor_of(lu, k)->weight + from;

    memcpy(new, old, (size_t)rows * sizeof(*new));
    if (lu->grid->nprow > 1)
        return;
    for (int i = 0; i < swap->nb; i++)
        new[i] = old[swap->source[i]];
    for (int d = 0; d < swap->displaced; d++)
        new[swap->to[d]] = old[swap->from[d]];
}

/* Add L1's columns, whose diagonal is 1. */
static void add_l1(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    factor_sums_t *f = factor_of(lu, k);
    const double *weight =
        lu->grid->nprow > 1 ? lu->carried->top : f->weight + h->ii;

    for (int p = 0; p < h->jb; p++) {
        int64_t next = p + 1;
        hyb_column_sums_t sum =
            hyb_sums_column(h->L1 + next + (size_t)p * (size_t)h->jb,
                            weight + next, h->jb - next);

        f->plain[p] += sum.plain + 1.0;
        f->weighted[p] += sum.weighted + weight[p];
    }
}

/* All units are summed, in an order of their own. */
static void add_units(hyb_lu_t *lu, int k)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    factor_sums_t *f = factor_of(lu, k);
    double squares = 0.0;

    for (int64_t p = 0; p < l2->cols; p++) {
        f->plain[p] = f->weighted[p] = 0.0;
        for (int64_t i = 0; i < f->units.count; i++) {
            const hyb_column_sums_t *part = &f->part[i * l2->cols + p];

            f->plain[p] += part->plain;
            f->weighted[p] += part->weighted;
            squares += part->squares;
        }
    }
    f->square = (squares + 1.0) / (double)(l2->rows * l2->cols + 1);
    add_l1(lu, k);
}

static void check_panel(hyb_lu_t *lu, int k);

static void complete(hyb_lu_t *lu, int k)
{
    add_units(lu, k);
    if (hyb_lu_owns(lu, k) && lu->grid->nprow == 1)
        check_panel(lu, k);
    atomic_store(&factor_of(lu, k)->ready, true);
}

void hyb_carried_receive(hyb_lu_t *lu, int k)
{
    int64_t units;

    if (lu->carried == NULL)
        return;
    units = xh_units(hyb_lu_panel(lu, k)->factors.l2.rows, UNIT);
    move_weights(lu, k);
    atomic_store(&factor_of(lu, k)->ready, false);
    hyb_units_begin(&factor_of(lu, k)->units, units);
    if (units == 0)
        complete(lu, k);
}

/* Who sums the last one completes the work. */
void hyb_carried_fill(hyb_lu_t *lu, int k)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    factor_sums_t *f;
    int64_t unit;

    if (lu->carried == NULL)
        return;
    f = factor_of(lu, k);
    while ((unit = hyb_units_take(&f->units)) >= 0) {
        int64_t from = unit * UNIT;

        hyb_sums_tiles(l2, from, Mmin(from + UNIT, l2->rows),
                       f->weight + lu->mat->mp - l2->rows,
                       &f->part[unit * l2->cols]);
        if (atomic_fetch_add(&f->units.settled, 1) + 1 == f->units.count)
            complete(lu, k);
    }
}

static bool is_ready(void *factor)
{
    return atomic_load(&((factor_sums_t *)factor)->ready);
}

/* ---- carrying ------------------------------------------------------------
 */

static hyb_row_sums_t row_sums(const factor_sums_t *f, int64_t nb)
{
    return (hyb_row_sums_t){nb, f->plain, f->weighted};
}

/* The sums of so many columns change; squares are of U. */
static void carry(hyb_lu_t *lu, int k, int64_t column, int64_t count,
                  const hyb_column_sums_t *change)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const factor_sums_t *f = factor_of(lu, k);

    for (int64_t j = 0; j < count; j++) {
        carried_t *c = &lu->carried->column[column + j];

        c->plain += change[j].plain;
        c->weighted += change[j].weighted;
        c->variance += hyb_noise_update(
            Mmax(h->mp, h->jb), h->jb, f->square, change[j].squares);
    }
}

enum { AT_ONCE = 64 }; /* columns, a multiple of all kernels' */

void hyb_carried_update(hyb_worker_t *me, int k, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    int width = lu->means.kernel->cols, nb;
    hyb_column_sums_t change[AT_ONCE];
    hyb_row_sums_t l;

    if (lu->carried == NULL)
        return;
    hyb_worker_wait(me, HYB_WAIT_PANEL, k, is_ready, factor_of(lu, k));
    nb = hyb_lu_panel(lu, k)->hpl->jb;
    l = row_sums(factor_of(lu, k), nb);
    for (int64_t j = 0; j < run.count; j += AT_ONCE) {
        int64_t count = Mmin(AT_ONCE, run.count - j);

        memset(change, 0, sizeof(change));
        hyb_sums_update(&l, width, count, me->u + j * nb, change);
        carry(lu, k, run.from + j, count, change);
    }
}

/* ---- rows that leave and enter, P > 1 ------------------------------------
 */

/* Rows of packed, one after the other, are added to columns' sums. */
typedef struct {
    const double *packed;
    int64_t ld; /* between rows */
    double sign;
} packed_t;

static void add_row(carried_t *column, int count, const packed_t *rows, int k,
                    double weight)
{
    const double *row = rows->packed + k * rows->ld;

    for (int j = 0; j < count; j++) {
        column[j].plain += rows->sign * row[j];
        column[j].weighted += rows->sign * weight * row[j];
    }
}

void hyb_carried_leave(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->gather_offset + p->me;
    int displaced = p->me == 0 ? p->displace_offset[p->members] : 0;
    packed_t rows = {x->gathered + from, x->columns, -1.0};
    const double *weight;
    carried_t *c;

    if (lu->carried == NULL)
        return;
    c = &lu->carried->column[column];
    weight = lu->carried->factor[0].weight + x->panel->ii;
    for (int k = mine[0]; k < mine[1]; k++)
        add_row(c, count, &rows, k, weight[p->gather[k].from]);
    rows.packed = x->displaced + from;
    for (int k = 0; k < displaced; k++)
        add_row(c, count, &rows, k, weight[p->displace[k].from]);
}

void hyb_carried_enter(hyb_lu_t *lu, const hpl_exchange_t *x, int from,
                       int count, int64_t column)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->displace_offset + p->me;
    packed_t rows = {x->displaced + from, x->columns, 1.0};
    const double *weight;
    carried_t *c;

    if (lu->carried == NULL)
        return;
    c = &lu->carried->column[column];
    weight = lu->carried->factor[0].weight + x->panel->ii;
    for (int k = mine[0]; k < mine[1]; k++)
        add_row(c, count, &rows, k, weight[p->displace[k].to]);
    rows.packed = x->gathered + from;
    for (int k = 0; k < x->panel->jb; k++)
        add_row(c, count, &rows, k, lu->carried->top[p->gather[k].to]);
}

/* ---- comparing -----------------------------------------------------------
 */

typedef struct { /* one column, once it has met panels 0 .. k - 1 */
    hyb_lu_t *lu;
    int64_t column;
    int k;
    hyb_column_sums_t sum; /* as it is */
    double plain, weighted, bound; /* by how much it differs */
} comparison_t;

static void compare(comparison_t *c)
{
    const carried_t *carried = &c->lu->carried->column[c->column];
    int64_t rows = c->lu->mat->mp - first_row(c->lu, c->k);

    c->sum = sums_now(c->lu, c->column, c->k);
    c->plain = c->sum.plain - carried->plain;
    c->weighted = c->sum.weighted - carried->weighted;
    c->bound = hyb_noise_bound(carried->variance +
                               2.0 * hyb_noise_sum(rows, c->sum.squares));
}

/* NaN is none; numbers beyond all bounds are not checked. */
static bool differs(double plain, double weighted, double bound)
{
    return !(fabs(plain) <= bound && fabs(weighted) <= 2.0 * bound);
}

/* Not exact where two threads meet; a NaN is none. */
static void note_closeness(hyb_lu_t *lu, double plain, double weighted,
                           double bound)
{
    double part = fmax(fabs(plain), 0.5 * fabs(weighted)) / bound;

    if (part > atomic_load(&lu->carried->alarms.closest))
        atomic_store(&lu->carried->alarms.closest, part);
}

static bool is_checked(const carried_t *column)
{
    return column->variance < INFINITY;
}

/* The local row of the single wrong element, or -1. */
static int64_t wrong_row(const comparison_t *c)
{
    int64_t from = first_row(c->lu, c->k), rows = c->lu->mat->mp - from, row;
    const double *weight =
        factor_of(c->lu, c->k + HYB_IN_FLIGHT - 1)->weight + from;
    const double *a = Mptr(c->lu->mat->A, from, c->column, c->lu->mat->ld);

    if (!isfinite(c->plain)) {
        for (row = 0; row < rows && isfinite(a[row]);)
            row++;
        return row < rows ? from + row : -1;
    }
    row = hyb_sums_row(weight, rows, c->plain, c->weighted, c->bound);
    return row < 0 ? -1 : from + row;
}

/* Give the element the value that the sums ask for, if both ask for one. */
static bool repair(comparison_t *c, int64_t row)
{
    carried_t *carried = &c->lu->carried->column[c->column];
    double *element = Mptr(c->lu->mat->A, row, c->column, c->lu->mat->ld);
    double was = *element;

    *element = 0.0;
    compare(c);
    *element = -c->plain;
    compare(c);
    if (!differs(c->plain, c->weighted, c->bound))
        return true;
    *element = was;
    compare(c);
    (void)carried;
    return false;
}

static void raise_at(comparison_t *c)
{
    hyb_alarm_t alarm =
        alarm_at(c->lu, HYB_FOUND_UPDATE, c->k - 1, c->column);
    hyb_repair_t repaired = HYB_NOT_REPAIRED;
    int64_t row = wrong_row(c);

    alarm.row = global_row(c->lu, row);
    alarm.size = fabs(c->plain);
    alarm.expected = c->bound;
    if (row >= 0 && hyb_alarm_repairs() && repair(c, row))
        repaired = HYB_REPAIRED;
    hyb_alarm_raise(&c->lu->carried->alarms, &alarm, repaired);
}

/* What is carried on are the sums of the column, as it is now. */
static void compare_column(hyb_lu_t *lu, int64_t column, int k)
{
    comparison_t c = {.lu = lu, .column = column, .k = k};

    if (!is_checked(&lu->carried->column[column]))
        return;
    compare(&c);
    note_closeness(lu, c.plain, c.weighted, c.bound);
    if (differs(c.plain, c.weighted, c.bound))
        raise_at(&c);
    take(lu, column, &c.sum, lu->mat->mp - first_row(lu, k));
}

static void compare_columns(hyb_lu_t *lu, hyb_run_t run, int k)
{
    for (int64_t j = run.from; j < run.from + run.count; j++)
        compare_column(lu, j, k);
    atomic_fetch_add(&lu->carried->alarms.compared, run.count);
}

void hyb_carried_compare(hyb_worker_t *me, const hyb_step_t *step,
                         hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    int64_t block = hyb_ledger_block(&lu->ledger, run.from);

    if (lu->carried == NULL)
        return;
    if (hyb_step_is_next(step, block) ||
        (block + step->k) % lu->carried->every == 0)
        compare_columns(lu, run, step->k + 1);
}

/* ---- a panel -------------------------------------------------------------
 */

/* What L takes from the sums of the panel's column j, U's part of it in L1. */
static hyb_column_sums_t taken(const factor_sums_t *f, const HPL_T_panel *h,
                               int j)
{
    const double *u = h->L1 + (size_t)j * (size_t)h->jb;
    hyb_column_sums_t sum = {0.0, 0.0, 0.0};

    for (int p = 0; p <= j; p++) {
        sum.plain -= f->plain[p] * u[p];
        sum.weighted -= f->weighted[p] * u[p];
        sum.squares += u[p] * u[p];
    }
    return sum;
}

/* Nothing is left of the sums of its columns. */
static void check_panel(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hyb_run_t run = hyb_ledger_columns(
        &lu->ledger, (hyb_blocks_t){hyb_lu_trailing(lu, k - 1).from,
                                    hyb_lu_trailing(lu, k - 1).from + 1});
    hyb_alarm_t alarm;

    for (int j = 0; j < h->jb; j++) {
        hyb_column_sums_t sum = taken(factor_of(lu, k), h, j);
        carried_t *c = &lu->carried->column[run.from + j];
        double bound;

        carry(lu, k, run.from + j, 1, &sum);
        bound = hyb_noise_bound(c->variance);
        note_closeness(lu, c->plain, c->weighted, bound);
        if (!is_checked(c) || !differs(c->plain, c->weighted, bound))
            continue;
        alarm = alarm_at(lu, HYB_FOUND_PANEL, k, run.from + j);
        alarm.size = fabs(c->plain);
        alarm.expected = bound;
        hyb_alarm_raise(&lu->carried->alarms, &alarm, HYB_NOT_REPAIRED);
        return;
    }
}

/* ---- the end -------------------------------------------------------------
 */

void hyb_carried_end(hyb_lu_t *lu)
{
    hyb_run_t run;

    if (lu->carried == NULL)
        return;
    run = hyb_ledger_columns(&lu->ledger, hyb_lu_trailing(lu, lu->panels - 1));
    compare_columns(lu, run, lu->panels);
}

const hyb_alarms_t *hyb_carried_alarms(const hyb_lu_t *lu)
{
    return lu->carried != NULL ? &lu->carried->alarms : NULL;
}
