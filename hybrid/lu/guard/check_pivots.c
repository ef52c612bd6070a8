/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>
#include "hpl/panel/panel.h"
#include "hpl/panel/pivots.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/differences.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"

/*
 * A w of a panel's rows before the panel is factored is compared with A w
 * computed from its factors and from the rows that processes exchange at each
 * pivot.
 */

enum { BOTH = HYB_CHECK_COLUMNS, CHOSEN = 2, LANES = 8 };

static int64_t widest_panel(const hyb_lu_t *lu)
{
    return Mmin(lu->mat->nb, lu->mat->n);
}

/* Return the offset from a row's difference for c1 to that for c2. */
static int64_t stride(const hyb_lu_t *lu)
{
    return 2 * widest_panel(lu);
}

/* ---- rows of the pivots -------------------------------------------------- */

static double *pivot_rows(const hyb_lu_t *lu, int k, int c)
{
    return lu->check->pivot_rows[k % HYB_IN_FLIGHT] +
           c * CHOSEN * widest_panel(lu);
}

const double *hyb_check_columns_chosen_rows(const hyb_lu_t *lu, int k, int c)
{
    return pivot_rows(lu, k, c);
}

void hyb_check_columns_save_pivot_row(hyb_lu_t *lu, int k, int c,
                                      const hyb_pivot_t *pivot)
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb;

    if (lu->check == NULL)
        return;
    memcpy(pivot_rows(lu, k, c), pivot->candidate, (size_t)jb * sizeof(double));
    memcpy(pivot_rows(lu, k, c) + jb, pivot->current,
           (size_t)jb * sizeof(double));
}

/* ---- products with w ----------------------------------------------------- */

/* Return the products of rows p of U with w over columns p .. j, by p. */
static double *u_sums(const hyb_lu_t *lu, int which, int jb, int j)
{
    return lu->check->u_sums + ((int64_t)which * jb + j) * jb;
}

static void set_products(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++)
        for (int j = 0; j < jb; j++) {
            double w = lu->check->weight[which][first + j];
            double *to = u_sums(lu, which, jb, j);

            for (int p = 0; p <= j; p++)
                to[p] = (p < j ? to[p - jb] : 0.0) +
                        h->L1[p + (size_t)j * (size_t)jb] * w;
        }
}

typedef struct {
    double sum, size; /* sums of the terms and of their magnitudes */
} product_t;

/* Set `v` so that v times a row of panel k, saved when pivot `c` was chosen, is
 * A w of that row before the factorization, for c1 and c2. The row has L in
 * columns before c; to each later column j, applied[j] pivots have been
 * applied. */
static void set_factors(hyb_lu_t *lu, int k, int c, const int *applied,
                        double *v)
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb, end = c;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));
    size_t size = sizeof(*v);

    for (int which = 0; which < BOTH; which++)
        memcpy(v + which * jb + c, lu->check->weight[which] + first + c,
               (size_t)(jb - c) * size);
    for (int p = c, from; p > 0; p = from) {
        while (end < jb && applied[end] >= p)
            end++;
        from = end < jb ? applied[end] : 0;
        for (int which = 0; which < BOTH; which++)
            memcpy(v + which * jb + from, u_sums(lu, which, jb, end - 1) + from,
                   (size_t)(p - from) * size);
    }
}

/* Set `a` to the scalar products of a row with `v`, for c1 and c2. */
static void weigh(const double *row, const double *v, int jb, product_t *a)
{
    for (int which = 0; which < BOTH; which++, v += jb) {
        double sum[LANES] = {0.0}, size[LANES] = {0.0};
        int i = 0;

        for (; i + LANES <= jb; i += LANES)
            for (int l = 0; l < LANES; l++) {
                sum[l] += row[i + l] * v[i + l];
                size[l] += fabs(row[i + l] * v[i + l]);
            }
        for (int l = 0; i < jb; i++, l++) {
            sum[l] += row[i] * v[i];
            size[l] += fabs(row[i] * v[i]);
        }
        a[which] = (product_t){0.0, 0.0};
        for (int l = 0; l < LANES; l++) {
            a[which].sum += sum[l];
            a[which].size += size[l];
        }
    }
}

/* Set `a` to A w of all rows that became pivots, computed from L1. */
static void weigh_l1(hyb_lu_t *lu, int k, product_t (*a)[BOTH])
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++) {
        const double *v = u_sums(lu, which, jb, jb - 1);

        for (int c = 0; c < jb; c++)
            a[c][which] = (product_t){v[c], fabs(v[c])};
        for (int p = 0; p < jb; p++)
            for (int c = p + 1; c < jb; c++) {
                double term = h->L1[c + (size_t)p * (size_t)jb] * v[p];

                a[c][which].sum += term;
                a[c][which].size += fabs(term);
            }
    }
}

/* Set `a` to A w of a row before panel k was factored, as saved then. */
static void read_saved(const hyb_lu_t *lu, int k, int64_t row, product_t *a)
{
    const double *z = lu->check->panel[k % HYB_IN_FLIGHT] + row;

    for (int which = 0; which < BOTH; which++, z += lu->mat->mp)
        a[which] = (product_t){-*z, fabs(*z)};
}

/* Set `z` to a - b for c1 and, at an offset of stride, for c2. Set z to 0 if
 * rounding may explain the difference: terms are huge if a row above is wrong.
 */
static void compare(const hyb_lu_t *lu, const product_t *a, const product_t *b,
                    double *z)
{
    for (int which = 0; which < BOTH; which++, z += stride(lu), a++, b++) {
        double size = a->size + b->size;

        *z = a->sum - b->sum;
        if (!isfinite(b->sum))
            *z = b->sum;
        else if (!isfinite(size) || fabs(*z) <= 0x1p-48 * size)
            *z = 0.0;
    }
}

/* ---- who changed a row --------------------------------------------------- */

/* Return the process row that held pivot c before it was swapped to the top. */
static int pivot_process_row(const HPL_T_panel *h, int c)
{
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);

    return hpl_map_owner(&rows, (int64_t)h->DPIV[c]);
}

/* Return the original number of the row that was in row c of the top when pivot
 * c was chosen. */
static int origin(const HPL_T_panel *h, int c)
{
    int row = c;

    for (int i = c - 1; i >= 0; i--)
        if ((int)h->DPIV[i] == h->ia + row)
            row = i;
    return row;
}

/* Judge `count` rows that `process_row` computed. Their differences for c1
 * begin at `z`, for c2 at an offset of `ld`. */
static void judge(hyb_lu_t *lu, int k, int process_row, const int64_t *row,
                  const double *z, int64_t ld, int64_t count)
{
    hyb_check_columns_judge(
        lu, &(hyb_compared_t){.place = hyb_place_number(
                                  &lu->homes, hyb_lu_panel_block(lu, k)),
                              .k = k,
                              .rows = count,
                              .row = row,
                              .z = z,
                              .ld = ld,
                              .by_panel = true,
                              .process_row = process_row});
}

/* A replay of the pivots of panel k, whose rows all processes know. */
typedef struct {
    hyb_lu_t *lu;
    int k;
    int *applied;
    product_t (*l1)[BOTH]; /* by pivot: A w of a row of L1 or received */
    int64_t *top_rows; /* local numbers of top rows sent to other processes */
    int count;         /* number of elements in top_rows */
} replay_t;

/* Call `at` for each pivot of panel k. */
static void replay(replay_t *x, hyb_panel_pivot_fn_t at)
{
    int jb = hyb_lu_panel(x->lu, x->k)->hpl->jb, applied[jb];
    hyb_panel_method_t method = hyb_lu_panel(x->lu, x->k)->method;

    memset(applied, 0, sizeof(applied));
    x->applied = applied;
    hyb_panel_replay(&method, 0, jb, applied, at, x);
}

/* Compare row c of L1, and the top's row that pivot c displaced, with the rows
 * saved when pivot c was chosen. */
static void compare_pivot(void *context, int c)
{
    replay_t *x = context;
    hyb_lu_t *lu = x->lu;
    const HPL_T_panel *h = hyb_lu_panel(lu, x->k)->hpl;
    const double *row = pivot_rows(lu, x->k, c);
    double *z = lu->check->work;
    int me = lu->grid->myrow, top;
    double v[BOTH * h->jb];
    product_t a[BOTH], b[BOTH];

    set_factors(lu, x->k, c, x->applied, v);
    weigh(row, v, h->jb, a);
    compare(lu, x->l1[c], a, z + c);
    if (me != h->prow || pivot_process_row(h, c) == me)
        return;
    top = origin(h, c);
    weigh(row + h->jb, v, h->jb, a);
    read_saved(lu, x->k, top, b);
    compare(lu, a, b, z + h->jb + x->count);
    x->top_rows[x->count++] = h->ii + top;
}

/* Judge L1, which this process finished, and rows of the top that it sent. */
static void judge_l1_and_top(hyb_lu_t *lu, int k, product_t (*l1)[BOTH])
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb, me = lu->grid->myrow;
    int64_t unknown[jb], top_rows[jb];
    const double *z = lu->check->work;
    replay_t x = {.lu = lu, .k = k, .l1 = l1, .top_rows = top_rows};

    for (int c = 0; c < jb; c++)
        unknown[c] = -1;
    replay(&x, compare_pivot);
    judge(lu, k, me, unknown, z, stride(lu), jb);
    judge(lu, k, me, top_rows, z + jb, stride(lu), x.count);
}

/* Judge the rows of this process that became pivots on `process_row`, by their
 * saved - A w. If that is another process row, earlier pivots had displaced the
 * rows from the top to it. */
static void judge_pivots(hyb_lu_t *lu, int k, product_t (*l1)[BOTH],
                         int process_row)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const hpl_pivots_t *m = hpl_panel_pivots(h);
    int64_t row[h->jb], count = 0;
    product_t saved[BOTH];

    for (int i = m->gather_offset[m->me]; i < m->gather_offset[m->me + 1];
         i++) {
        if (pivot_process_row(h, m->gather[i].to) != process_row)
            continue;
        row[count] = h->ii + m->gather[i].from;
        read_saved(lu, k, m->gather[i].from, saved);
        compare(lu, l1[m->gather[i].to], saved, lu->check->work + count++);
    }
    judge(lu, k, process_row, row, lu->check->work, stride(lu), count);
}

void hyb_check_columns_pivots(hyb_lu_t *lu, int k)
{
    product_t l1[hyb_lu_panel(lu, k)->hpl->jb][BOTH];

    set_products(lu, k);
    weigh_l1(lu, k, l1);
    if (lu->grid->nprow > 1)
        judge_l1_and_top(lu, k, l1);
    for (int i = 0; i < lu->grid->nprow; i++)
        judge_pivots(lu, k, l1, i);
}

/* ---- panels that the team factors for a device --------------------------- */

bool hyb_check_columns_for_device(hyb_lu_t *lu, int k)
{
    return hyb_lu_owns(lu, k) && !hyb_lu_panel(lu, k)->by_device &&
           hyb_lu_panel_place(lu, k) != &lu->homes.host;
}

/* Compute v := U w for c1 and c2, over panel k's own columns. */
static void weigh_panel(hyb_lu_t *lu, int k, double *v)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));

    for (int which = 0; which < BOTH; which++, v += h->jb) {
        const double *w = lu->check->weight[which] + first;

        for (int p = 0; p < h->jb; p++) {
            v[p] = 0.0;
            for (int j = p; j < h->jb; j++)
                v[p] += h->L1[p + (size_t)j * (size_t)h->jb] * w[j];
        }
    }
}

void hyb_check_columns_add_l2_rows(hyb_lu_t *lu, int k, int64_t from,
                                   int64_t to)
{
    const hyb_tiles_t *l2 = &hyb_lu_panel(lu, k)->factors.l2;
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    double v[BOTH * h->jb];

    if (lu->check == NULL || !hyb_check_columns_for_device(lu, k))
        return;
    weigh_panel(lu, k, v);
    for (int which = 0; which < BOTH; which++)
        for (int64_t i = from; i < to; i += l2->height) {
            double sum[HYB_KERNEL_MOST_ROWS] = {0.0};

            for (int p = 0; p < h->jb; p++)
                for (int r = 0; r < l2->height; r++)
                    sum[r] += hyb_tiles_at(l2, i, p)[r] * v[p + which * h->jb];
            memcpy(lu->check->l2_sums + which * lu->mat->mp + i, sum,
                   (size_t)Mmin((int64_t)l2->height, to - i) * sizeof(*sum));
        }
}

/* Return the largest rounding error of a row of L2, whose elements are at most
 * 1 in magnitude, times `v`. */
static double rounding_of(const double *v, int count)
{
    double sum = 0.0;

    for (int p = 0; p < count; p++)
        sum += fabs(v[p]);
    return isfinite(sum) ? 0x1p-48 * sum : INFINITY;
}

/* Set source[r], by row r below the top, to the row's number before the
 * factorization, or to -1 - c if another process sent the row at pivot c. */
static void find_rows(HPL_T_panel *h, int64_t *source)
{
    const hpl_pivots_t *m = hpl_panel_pivots(h);
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);
    int top = hpl_panel_top_rows(h);

    for (int64_t r = 0; r < h->mp - top; r++)
        source[r] = r + top;
    for (int i = m->displace_offset[m->me];
         m->me == 0 && i < m->displace_offset[1]; i++)
        if (m->displace[i].to >= top)
            source[m->displace[i].to - top] = m->displace[i].from;
    for (int c = 0; c < h->jb && top == 0; c++)
        if (pivot_process_row(h, c) == h->grid->myrow)
            source[hpl_map_local(&rows, (int64_t)h->DPIV[c]) - h->ii] = -1 - c;
}

/* Compute A w of the row received from another process at pivot c, as the row
 * was before the panel was factored. */
static void weigh_received(void *context, int c)
{
    replay_t *x = context;
    const HPL_T_panel *h = hyb_lu_panel(x->lu, x->k)->hpl;
    double v[BOTH * h->jb];

    if (pivot_process_row(h, c) != h->grid->myrow)
        return;
    set_factors(x->lu, x->k, c, x->applied, v);
    weigh(pivot_rows(x->lu, x->k, c) + h->jb, v, h->jb, x->l1[c]);
}

void hyb_check_columns_factored(hyb_lu_t *lu, int k)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t rows = h->mp - hpl_panel_top_rows(h), *source;
    double *z, slack, v[BOTH * h->jb];
    product_t received[h->jb][BOTH];
    replay_t x = {.lu = lu, .k = k, .l1 = received};

    if (lu->check == NULL || !hyb_check_columns_for_device(lu, k))
        return;
    if (lu->grid->nprow == 1)
        hyb_check_columns_pivots(lu, k);
    set_products(lu, k);
    z = lu->check->work;
    source = (int64_t *)(z + BOTH * lu->mat->mp);
    find_rows(h, source);
    weigh_panel(lu, k, v);
    slack = rounding_of(v, BOTH * h->jb);
    if (hpl_panel_top_rows(h) == 0)
        replay(&x, weigh_received);
    for (int64_t r = 0; r < rows; r++) {
        product_t saved[BOTH];
        const product_t *before =
            source[r] < 0 ? received[-1 - source[r]] : saved;

        if (source[r] >= 0)
            read_saved(lu, k, source[r], saved);
        for (int which = 0; which < BOTH; which++) {
            double difference =
                lu->check->l2_sums[r + which * lu->mat->mp] - before[which].sum;

            z[r + which * lu->mat->mp] =
                fabs(difference) > slack ? difference : 0.0;
        }
    }
    for (int64_t r = 0; r < rows; r++)
        source[r] = h->ii + h->mp - rows + r;
    judge(lu, k, lu->grid->myrow, source, z, lu->mat->mp, rows);
}
