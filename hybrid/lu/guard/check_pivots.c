/* SPDX-License-Identifier: BSD-3-Clause */

#include <math.h>
#include <string.h>
#include "hybrid/lu/guard/check_columns_private.h"

/*
 * A w of a panel's rows before the panel is factored is compared with A w
 * computed from its factors and from the rows that processes exchange at each
 * pivot.
 */

enum { BOTH = HYB_CHECK_COLUMNS, LANES = 8 };

void hyb_check_columns_save_pivot_row(hyb_check_columns_t *check,
                                      const HPL_T_panel *panel, int c,
                                      const hyb_pivot_t *pivot)
{
    size_t size = (size_t)panel->jb * sizeof(double);
    double *row;

    if (check == NULL)
        return;
    row = hyb_check_columns_pivot_row(check, panel, c);
    memcpy(row, pivot->candidate, size);
    memcpy(row + panel->jb, pivot->current, size);
}

/* ---- products with w ----------------------------------------------------- */

/* Return the products of rows p of U with w over columns p .. j, by p. */
static double *u_sums(const hyb_check_columns_t *c, int which, int jb, int j)
{
    return c->u_sums + ((int64_t)which * jb + j) * jb;
}

static void set_products(const hyb_check_columns_t *c, const HPL_T_panel *h)
{
    int64_t first = hyb_check_columns_first(h);
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++)
        for (int j = 0; j < jb; j++) {
            double w = c->weight[which][first + j];
            double *to = u_sums(c, which, jb, j);

            for (int p = 0; p <= j; p++)
                to[p] = (p < j ? to[p - jb] : 0.0) +
                        h->L1[p + (size_t)j * (size_t)jb] * w;
        }
}

typedef struct {
    double sum, size; /* sums of the terms and of their magnitudes */
} product_t;

/* Set `v` so that v times a row of panel `h`, saved when pivot `pivot` was
 * chosen, is A w of that row before the factorization, for c1 and c2. The row
 * has L in columns before the pivot's; to each later column j, applied[j]
 * pivots have been applied. */
static void set_factors(const hyb_check_columns_t *c, const HPL_T_panel *h,
                        int pivot, const int *applied, double *v)
{
    int jb = h->jb, end = pivot;
    int64_t first = hyb_check_columns_first(h);
    size_t size = sizeof(*v);

    for (int which = 0; which < BOTH; which++)
        memcpy(v + which * jb + pivot, c->weight[which] + first + pivot,
               (size_t)(jb - pivot) * size);
    for (int p = pivot, from; p > 0; p = from) {
        while (end < jb && applied[end] >= p)
            end++;
        from = end < jb ? applied[end] : 0;
        for (int which = 0; which < BOTH; which++)
            memcpy(v + which * jb + from, u_sums(c, which, jb, end - 1) + from,
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
static void weigh_l1(const hyb_check_columns_t *c, const HPL_T_panel *h,
                     product_t (*a)[BOTH])
{
    int jb = h->jb;

    for (int which = 0; which < BOTH; which++) {
        const double *v = u_sums(c, which, jb, jb - 1);

        for (int i = 0; i < jb; i++)
            a[i][which] = (product_t){v[i], fabs(v[i])};
        for (int p = 0; p < jb; p++)
            for (int i = p + 1; i < jb; i++) {
                double term = h->L1[i + (size_t)p * (size_t)jb] * v[p];

                a[i][which].sum += term;
                a[i][which].size += fabs(term);
            }
    }
}

/* Set `a` to A w of a row before panel `h` was factored, as saved then. */
static void read_saved(const hyb_check_columns_t *c, const HPL_T_panel *h,
                       int64_t row, product_t *a)
{
    const double *z = c->panel[hpl_panel_number(h) % HYB_IN_FLIGHT] + row;

    for (int which = 0; which < BOTH; which++, z += c->mat->mp)
        a[which] = (product_t){-*z, fabs(*z)};
}

/* Set `z` to a - b for c1 and, at an offset of c->moved, for c2. Set z to 0 if
 * rounding may explain the difference: terms are huge if a row above is wrong.
 */
static void compare(const hyb_check_columns_t *c, const product_t *a,
                    const product_t *b, double *z)
{
    for (int which = 0; which < BOTH; which++, z += c->moved, a++, b++) {
        double size = a->size + b->size;

        *z = a->sum - b->sum;
        if (!isfinite(b->sum))
            *z = b->sum;
        else if (!isfinite(size) || fabs(*z) <= 0x1p-48 * size)
            *z = 0.0;
    }
}

/* ---- who changed a row --------------------------------------------------- */

/* Return the process row that held a pivot before it was swapped to the top. */
static int pivot_process_row(const hyb_check_columns_t *c, const HPL_T_panel *h,
                             int pivot)
{
    return hpl_map_owner(&c->rows, (int64_t)h->DPIV[pivot]);
}

/* Return the original number of the row that was in row `pivot` of the top when
 * that pivot was chosen. */
static int origin(const HPL_T_panel *h, int pivot)
{
    int row = pivot;

    for (int i = pivot - 1; i >= 0; i--)
        if ((int)h->DPIV[i] == h->ia + row)
            row = i;
    return row;
}

/* Judge `rows`, which cover the columns of panel `p` only. */
static void judge(hyb_check_columns_t *c, const hyb_lu_panel_t *p,
                  hyb_compared_t rows)
{
    rows.panel = p;
    rows.k = hpl_panel_number(p->hpl);
    rows.place = hyb_check_columns_place(c, p->hpl);
    hyb_check_columns_judge(c, &rows);
}

/* A replay of the pivots of a panel, whose rows all processes know. */
typedef struct {
    const hyb_check_columns_t *c;
    const HPL_T_panel *h;
    int *applied;
    product_t (*l1)[BOTH]; /* by pivot: A w of a row of L1 or received */
    int64_t *top_rows; /* local numbers of top rows sent to other processes */
    int count;         /* number of elements in top_rows */
} replay_t;

/* Call `at` for each pivot of panel `p`. */
static void replay(replay_t *x, const hyb_lu_panel_t *p,
                   hyb_panel_pivot_fn_t at)
{
    int jb = p->hpl->jb, applied[jb];

    memset(applied, 0, sizeof(applied));
    x->h = p->hpl;
    x->applied = applied;
    hyb_panel_replay(&p->method, 0, jb, applied, at, x);
}

/* Compare row number `pivot` of L1, and the top's row that the pivot displaced,
 * with the rows saved when the pivot was chosen. */
static void compare_pivot(void *context, int pivot)
{
    replay_t *x = context;
    const hyb_check_columns_t *c = x->c;
    const HPL_T_panel *h = x->h;
    const double *row = hyb_check_columns_pivot_row(c, h, pivot);
    int top, me = c->grid->myrow;
    double v[BOTH * h->jb];
    product_t a[BOTH], b[BOTH];

    set_factors(c, h, pivot, x->applied, v);
    weigh(row, v, h->jb, a);
    compare(c, x->l1[pivot], a, c->work + pivot);
    if (me != h->prow || pivot_process_row(c, h, pivot) == me)
        return;
    top = origin(h, pivot);
    weigh(row + h->jb, v, h->jb, a);
    read_saved(c, h, top, b);
    compare(c, a, b, c->work + h->jb + x->count);
    x->top_rows[x->count++] = h->ii + top;
}

/* Judge L1, which this process finished, and rows of the top that it sent. */
static void judge_l1_and_top(hyb_check_columns_t *c, const hyb_lu_panel_t *p,
                             product_t (*l1)[BOTH])
{
    int jb = p->hpl->jb;
    int64_t unknown[jb], top_rows[jb];
    replay_t x = {.c = c, .l1 = l1, .top_rows = top_rows};
    hyb_compared_t rows = {.rows = jb,
                           .row = unknown,
                           .z = c->work,
                           .ld = c->moved,
                           .process_row = c->grid->myrow};

    for (int i = 0; i < jb; i++)
        unknown[i] = -1;
    replay(&x, p, compare_pivot);
    judge(c, p, rows);
    rows.rows = x.count;
    rows.row = top_rows;
    rows.z += jb;
    judge(c, p, rows);
}

/* Judge the rows of this process that became pivots on `process_row`, by their
 * saved - A w. If that is another process row, earlier pivots had displaced the
 * rows from the top to it. */
static void judge_pivots(hyb_check_columns_t *c, const hyb_lu_panel_t *p,
                         product_t (*l1)[BOTH], int process_row)
{
    const HPL_T_panel *h = p->hpl;
    const hpl_pivots_t *m = hpl_panel_pivots(p->hpl);
    int64_t row[h->jb], count = 0;
    product_t saved[BOTH];

    for (int i = m->gather_offset[m->me]; i < m->gather_offset[m->me + 1];
         i++) {
        if (pivot_process_row(c, h, m->gather[i].to) != process_row)
            continue;
        row[count] = h->ii + m->gather[i].from;
        read_saved(c, h, m->gather[i].from, saved);
        compare(c, l1[m->gather[i].to], saved, c->work + count++);
    }
    judge(c, p,
          (hyb_compared_t){.rows = count,
                           .row = row,
                           .z = c->work,
                           .ld = c->moved,
                           .process_row = process_row});
}

void hyb_check_columns_pivots(hyb_check_columns_t *c,
                              const hyb_lu_panel_t *panel)
{
    product_t l1[panel->hpl->jb][BOTH];

    set_products(c, panel->hpl);
    weigh_l1(c, panel->hpl, l1);
    if (c->grid->nprow > 1)
        judge_l1_and_top(c, panel, l1);
    for (int i = 0; i < c->grid->nprow; i++)
        judge_pivots(c, panel, l1, i);
}

/* ---- panels that the team factors for a device --------------------------- */

bool hyb_check_columns_are_for_device(const hyb_check_columns_t *c,
                                      const hyb_lu_panel_t *panel)
{
    return hyb_check_columns_own(c, panel->hpl) && !panel->by_device &&
           hyb_check_columns_place(c, panel->hpl) > 0;
}

/* Compute v := U w for c1 and c2, over the panel's own columns. */
static void weigh_panel(const hyb_check_columns_t *c, const HPL_T_panel *h,
                        double *v)
{
    for (int which = 0; which < BOTH; which++, v += h->jb) {
        const double *w = c->weight[which] + hyb_check_columns_first(h);

        for (int p = 0; p < h->jb; p++) {
            v[p] = 0.0;
            for (int j = p; j < h->jb; j++)
                v[p] += h->L1[p + (size_t)j * (size_t)h->jb] * w[j];
        }
    }
}

void hyb_check_columns_add_l2_rows(hyb_check_columns_t *check,
                                   const hyb_lu_panel_t *panel, int64_t from,
                                   int64_t to)
{
    const hyb_tiles_t *l2 = &panel->factors.l2;
    const HPL_T_panel *h = panel->hpl;
    double v[BOTH * h->jb];

    if (check == NULL || !hyb_check_columns_are_for_device(check, panel))
        return;
    weigh_panel(check, h, v);
    for (int which = 0; which < BOTH; which++)
        for (int64_t i = from; i < to; i += l2->height) {
            double sum[HYB_KERNEL_MOST_ROWS] = {0.0};

            for (int p = 0; p < h->jb; p++)
                for (int r = 0; r < l2->height; r++)
                    sum[r] += hyb_tiles_at(l2, i, p)[r] * v[p + which * h->jb];
            memcpy(check->l2_sums + which * check->mat->mp + i, sum,
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
 * factorization, or to -1 - pivot if another process sent the row at a pivot.
 */
static void find_rows(const hyb_check_columns_t *c, HPL_T_panel *h,
                      int64_t *source)
{
    const hpl_pivots_t *m = hpl_panel_pivots(h);
    int top = hpl_panel_top_rows(h);

    for (int64_t r = 0; r < h->mp - top; r++)
        source[r] = r + top;
    for (int i = m->displace_offset[m->me];
         m->me == 0 && i < m->displace_offset[1]; i++)
        if (m->displace[i].to >= top)
            source[m->displace[i].to - top] = m->displace[i].from;
    for (int i = 0; i < h->jb && top == 0; i++)
        if (pivot_process_row(c, h, i) == c->grid->myrow)
            source[hpl_map_local(&c->rows, (int64_t)h->DPIV[i]) - h->ii] =
                -1 - i;
}

/* Compute A w of the row received from another process at a pivot, as the row
 * was before the panel was factored. */
static void weigh_received(void *context, int pivot)
{
    const replay_t *x = context;
    const HPL_T_panel *h = x->h;
    double v[BOTH * h->jb];

    if (pivot_process_row(x->c, h, pivot) != x->c->grid->myrow)
        return;
    set_factors(x->c, h, pivot, x->applied, v);
    weigh(hyb_check_columns_pivot_row(x->c, h, pivot) + h->jb, v, h->jb,
          x->l1[pivot]);
}

void hyb_check_columns_factored(hyb_check_columns_t *check,
                                const hyb_lu_panel_t *panel)
{
    HPL_T_panel *h = panel->hpl;
    int64_t rows = h->mp - hpl_panel_top_rows(h), mp, *source;
    double *z, slack, v[BOTH * h->jb];
    product_t received[h->jb][BOTH];
    replay_t x = {.c = check, .l1 = received};

    if (check == NULL || !hyb_check_columns_are_for_device(check, panel))
        return;
    if (check->grid->nprow == 1)
        hyb_check_columns_pivots(check, panel);
    else
        set_products(check, h);
    mp = check->mat->mp;
    z = check->work;
    source = (int64_t *)(z + BOTH * mp);
    find_rows(check, h, source);
    weigh_panel(check, h, v);
    slack = rounding_of(v, BOTH * h->jb);
    if (hpl_panel_top_rows(h) == 0)
        replay(&x, panel, weigh_received);
    for (int64_t r = 0; r < rows; r++) {
        product_t saved[BOTH];
        const product_t *before =
            source[r] < 0 ? received[-1 - source[r]] : saved;

        if (source[r] >= 0)
            read_saved(check, h, source[r], saved);
        for (int which = 0; which < BOTH; which++) {
            double difference =
                check->l2_sums[r + which * mp] - before[which].sum;

            z[r + which * mp] = fabs(difference) > slack ? difference : 0.0;
        }
    }
    for (int64_t r = 0; r < rows; r++)
        source[r] = h->ii + h->mp - rows + r;
    judge(check, panel,
          (hyb_compared_t){.rows = rows,
                           .row = source,
                           .z = z,
                           .ld = mp,
                           .process_row = check->grid->myrow});
}
