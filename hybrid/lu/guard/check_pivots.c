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
 * A w of a panel's rows from before the panel is factored is compared with what
 * its factors, and the rows that processes exchange at each pivot, make of it.
 */

enum { BOTH = HYB_CHECK_COLUMNS, CHOSEN = 2, LANES = 8 };

static int64_t widest_panel(const hyb_lu_t *lu)
{
    return Mmin(lu->mat->nb, lu->mat->n);
}

/* Return where, behind a row's difference for c1, that for c2 is. */
static int64_t stride(const hyb_lu_t *lu)
{
    return 2 * widest_panel(lu);
}

/* ---- rows that are chosen ------------------------------------------------ */

static double *chosen(const hyb_lu_t *lu, int k, int c)
{
    return lu->check->chosen[k % HYB_IN_FLIGHT] + c * CHOSEN * widest_panel(lu);
}

const double *hyb_check_columns_chosen_rows(const hyb_lu_t *lu, int k, int c)
{
    return chosen(lu, k, c);
}

void hyb_check_columns_chosen(hyb_lu_t *lu, int k, int c,
                              const hyb_pivot_t *pivot)
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb;

    if (lu->check == NULL)
        return;
    memcpy(chosen(lu, k, c), pivot->candidate, (size_t)jb * sizeof(double));
    memcpy(chosen(lu, k, c) + jb, pivot->current, (size_t)jb * sizeof(double));
}

/* ---- products with w ----------------------------------------------------- */

/* Return, by row p of U, its product with w over columns p .. j. */
static double *until(const hyb_lu_t *lu, int which, int jb, int j)
{
    return lu->check->until + ((int64_t)which * jb + j) * jb;
}

static void set_products(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++)
        for (int j = 0; j < jb; j++) {
            double w = lu->check->weight[which][first + j];
            double *to = until(lu, which, jb, j);

            for (int p = 0; p <= j; p++)
                to[p] = (p < j ? to[p - jb] : 0.0) +
                        h->L1[p + (size_t)j * (size_t)jb] * w;
        }
}

typedef struct {
    double sum, size; /* of the terms, and of their magnitudes */
} product_t;

/* Set v to what elements of a row from before panel k was factored are
 * multiplied with to give A w, for c1 and c2. The row has L in columns before
 * c; each other column has met as many pivots as met says. */
static void set_factors(hyb_lu_t *lu, int k, int c, const int *met, double *v)
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb, end = c;
    int64_t first = hyb_ledger_first(&lu->ledger, hyb_lu_panel_block(lu, k));
    size_t size = sizeof(*v);

    for (int which = 0; which < BOTH; which++)
        memcpy(v + which * jb + c, lu->check->weight[which] + first + c,
               (size_t)(jb - c) * size);
    for (int p = c, from; p > 0; p = from) {
        while (end < jb && met[end] >= p)
            end++;
        from = end < jb ? met[end] : 0;
        for (int which = 0; which < BOTH; which++)
            memcpy(v + which * jb + from, until(lu, which, jb, end - 1) + from,
                   (size_t)(p - from) * size);
    }
}

/* Set a to the scalar products of a row with v, for c1 and c2. */
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

/* Set a to A w of all rows that became pivots, from L1. */
static void weigh_l1(hyb_lu_t *lu, int k, product_t (*a)[BOTH])
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++) {
        const double *v = until(lu, which, jb, jb - 1);

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

/* Set a to A w of a row as it was kept before panel k was factored. */
static void read_kept(const hyb_lu_t *lu, int k, int64_t row, product_t *a)
{
    const double *z = lu->check->panel[k % HYB_IN_FLIGHT] + row;

    for (int which = 0; which < BOTH; which++, z += lu->mat->mp)
        a[which] = (product_t){-*z, fabs(*z)};
}

/* Set z to a - b for c1 and, stride behind, for c2; to 0 if rounding of the
 * terms, which are huge if a row above is wrong, may have made this. */
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

/* Return the process row where pivot c was found. */
static int finder(const HPL_T_panel *h, int c)
{
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);

    return hpl_map_owner(&rows, (int64_t)h->DPIV[c]);
}

/* Return which of the top's rows stood at row c when its pivot was chosen. */
static int origin(const HPL_T_panel *h, int c)
{
    int row = c;

    for (int i = c - 1; i >= 0; i--)
        if ((int)h->DPIV[i] == h->ia + row)
            row = i;
    return row;
}

/* Judge count rows as changed on a process row. Their differences begin at z;
 * those for c2 are ld behind. */
static void judge(hyb_lu_t *lu, int k, int process_row, const int64_t *row,
                  const double *z, int64_t ld, int64_t count)
{
    hyb_check_columns_judge(
        lu, &(hyb_compared_t){
                .place = hyb_home_number(&lu->homes, hyb_lu_panel_block(lu, k)),
                .k = k,
                .rows = count,
                .row = row,
                .z = z,
                .ld = ld,
                .by_panel = true,
                .process_row = process_row});
}

/* Rows that were chosen, the same everywhere, as they are gone through. */
typedef struct {
    hyb_lu_t *lu;
    int k;
    int *met;
    product_t (*l1)[BOTH]; /* of rows of L1, or of rows that came; */
    int64_t *left;         /* rows of the top that left, */
    int count;             /* so many of them */
} chosen_t;

/* Call at for each pivot of panel k. */
static void replay(chosen_t *x, hyb_panel_pivot_fn_t at)
{
    int jb = hyb_lu_panel(x->lu, x->k)->hpl->jb, met[jb];
    hyb_panel_method_t method = hyb_lu_panel(x->lu, x->k)->method;

    memset(met, 0, sizeof(met));
    x->met = met;
    hyb_panel_replay(&method, 0, jb, met, at, x);
}

/* Compare row c of L1, and the top's row that pivot c displaced, with the rows
 * that were chosen. */
static void compare_chosen(void *context, int c)
{
    chosen_t *x = context;
    hyb_lu_t *lu = x->lu;
    const HPL_T_panel *h = hyb_lu_panel(lu, x->k)->hpl;
    const double *row = chosen(lu, x->k, c);
    double *z = lu->check->work;
    int me = lu->grid->myrow, top;
    double v[BOTH * h->jb];
    product_t a[BOTH], b[BOTH];

    set_factors(lu, x->k, c, x->met, v);
    weigh(row, v, h->jb, a);
    compare(lu, x->l1[c], a, z + c);
    if (me != h->prow || finder(h, c) == me)
        return;
    top = origin(h, c);
    weigh(row + h->jb, v, h->jb, a);
    read_kept(lu, x->k, top, b);
    compare(lu, a, b, z + h->jb + x->count);
    x->left[x->count++] = h->ii + top;
}

/* Judge L1, which this process finished, and rows of the top as they left it.
 */
static void judge_chosen(hyb_lu_t *lu, int k, product_t (*l1)[BOTH])
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb, me = lu->grid->myrow;
    int64_t unknown[jb], left[jb];
    const double *z = lu->check->work;
    chosen_t x = {.lu = lu, .k = k, .l1 = l1, .left = left};

    for (int c = 0; c < jb; c++)
        unknown[c] = -1;
    replay(&x, compare_chosen);
    judge(lu, k, me, unknown, z, stride(lu), jb);
    judge(lu, k, me, left, z + jb, stride(lu), x.count);
}

/* Judge the rows of this process that became pivots, by - A w. Some did so on
 * another process, after they had left. */
static void judge_pivots(hyb_lu_t *lu, int k, product_t (*l1)[BOTH],
                         int process_row)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const hpl_pivots_t *m = hpl_panel_pivots(h);
    int64_t row[h->jb], count = 0;
    product_t kept[BOTH];

    for (int i = m->gather_offset[m->me]; i < m->gather_offset[m->me + 1];
         i++) {
        if (finder(h, m->gather[i].to) != process_row)
            continue;
        row[count] = h->ii + m->gather[i].from;
        read_kept(lu, k, m->gather[i].from, kept);
        compare(lu, l1[m->gather[i].to], kept, lu->check->work + count++);
    }
    judge(lu, k, process_row, row, lu->check->work, stride(lu), count);
}

void hyb_check_columns_pivots(hyb_lu_t *lu, int k)
{
    product_t l1[hyb_lu_panel(lu, k)->hpl->jb][BOTH];

    set_products(lu, k);
    weigh_l1(lu, k, l1);
    if (lu->grid->nprow > 1)
        judge_chosen(lu, k, l1);
    for (int i = 0; i < lu->grid->nprow; i++)
        judge_pivots(lu, k, l1, i);
}

/* ---- panels that the team factors for a device --------------------------- */

bool hyb_check_columns_for_device(hyb_lu_t *lu, int k)
{
    return hyb_lu_owns(lu, k) && !hyb_lu_panel(lu, k)->by_device &&
           hyb_lu_panel_home(lu, k) != &lu->homes.host;
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

void hyb_check_columns_made(hyb_lu_t *lu, int k, int64_t from, int64_t to)
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
            memcpy(lu->check->made + which * lu->mat->mp + i, sum,
                   (size_t)Mmin((int64_t)l2->height, to - i) * sizeof(*sum));
        }
}

/* Return what rounding makes in a row of L2, whose elements are at most 1,
 * times v. */
static double rounding_of(const double *v, int count)
{
    double sum = 0.0;

    for (int p = 0; p < count; p++)
        sum += fabs(v[p]);
    return isfinite(sum) ? 0x1p-48 * sum : INFINITY;
}

/* Set was to the number, before the factorization, of each row below the top;
 * to - 1 - c if the row came from another process at pivot c. */
static void find_rows(HPL_T_panel *h, int64_t *was)
{
    const hpl_pivots_t *m = hpl_panel_pivots(h);
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);
    int top = hpl_panel_top_rows(h);

    for (int64_t r = 0; r < h->mp - top; r++)
        was[r] = r + top;
    for (int i = m->displace_offset[m->me];
         m->me == 0 && i < m->displace_offset[1]; i++)
        if (m->displace[i].to >= top)
            was[m->displace[i].to - top] = m->displace[i].from;
    for (int c = 0; c < h->jb && top == 0; c++)
        if (finder(h, c) == h->grid->myrow)
            was[hpl_map_local(&rows, (int64_t)h->DPIV[c]) - h->ii] = -1 - c;
}

/* Weigh the row that came from another process at pivot c, as it was. */
static void weigh_came(void *context, int c)
{
    chosen_t *x = context;
    const HPL_T_panel *h = hyb_lu_panel(x->lu, x->k)->hpl;
    double v[BOTH * h->jb];

    if (finder(h, c) != h->grid->myrow)
        return;
    set_factors(x->lu, x->k, c, x->met, v);
    weigh(chosen(x->lu, x->k, c) + h->jb, v, h->jb, x->l1[c]);
}

void hyb_check_columns_factored(hyb_lu_t *lu, int k)
{
    HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    int64_t rows = h->mp - hpl_panel_top_rows(h), *was;
    double *z, slack, v[BOTH * h->jb];
    product_t came[h->jb][BOTH];
    chosen_t x = {.lu = lu, .k = k, .l1 = came};

    if (lu->check == NULL || !hyb_check_columns_for_device(lu, k))
        return;
    if (lu->grid->nprow == 1)
        hyb_check_columns_pivots(lu, k);
    set_products(lu, k);
    z = lu->check->work;
    was = (int64_t *)(z + BOTH * lu->mat->mp);
    find_rows(h, was);
    weigh_panel(lu, k, v);
    slack = rounding_of(v, BOTH * h->jb);
    if (hpl_panel_top_rows(h) == 0)
        replay(&x, weigh_came);
    for (int64_t r = 0; r < rows; r++) {
        product_t kept[BOTH];
        const product_t *before = was[r] < 0 ? came[-1 - was[r]] : kept;

        if (was[r] >= 0)
            read_kept(lu, k, was[r], kept);
        for (int which = 0; which < BOTH; which++) {
            double apart =
                lu->check->made[r + which * lu->mat->mp] - before[which].sum;

            z[r + which * lu->mat->mp] = fabs(apart) > slack ? apart : 0.0;
        }
    }
    for (int64_t r = 0; r < rows; r++)
        was[r] = h->ii + h->mp - rows + r;
    judge(lu, k, lu->grid->myrow, was, z, lu->mat->mp, rows);
}
