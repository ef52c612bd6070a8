/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include "hpl/panel/pivots.h"
#include "hybrid/lu/device_work.h"
#include "hybrid/lu/verify/carried_private.h"

/*
 * P > 1: rows as a process column agreed on them, while devices factored a
 * panel: those that became L1's, and those that left the top for others'
 * places. What each process has of them in the end must follow from its own L1.
 * It does not where they came wrong to its device, or that went on wrongly:
 * this tells whose panel is wrong where sums do not, as each goes on with what
 * it has.
 */

enum { MOST = 16 }; /* roundings, of all that is added up */

typedef struct {
    const HPL_T_panel *h;
    int column; /* that its pivot was agreed on in */
    int until;  /* that column it stayed below: then it was the pivot */
    const double *agreed; /* jb */
    const double *now;    /* likewise: of L, behind the diagonal of U */
    int64_t step;         /* of now */
} row_t;

static double *pivot_row(hyb_lu_t *lu, int k, int column)
{
    return hyb_factor_sums(lu, k)->agreed +
           2 * (int64_t)column * hyb_lu_panel(lu, k)->hpl->jb;
}

void hyb_carried_agreed(hyb_lu_t *lu, int k, int column,
                        const hyb_pivot_t *pivot)
{
    int jb = hyb_lu_panel(lu, k)->hpl->jb;
    size_t bytes = (size_t)jb * sizeof(double);

    if (lu->carried == NULL || !hyb_lu_panel(lu, k)->by_device)
        return;
    memcpy(pivot_row(lu, k, column), pivot->candidate, bytes);
    memcpy(pivot_row(lu, k, column) + jb, pivot->current, bytes);
}

/* Of element j, in roundings; what no operation has changed since has the same
 * bits. */
static double distance(const row_t *r, int j)
{
    const double *u = r->h->L1 + (int64_t)j * r->h->jb;
    int64_t met = hyb_device_factor_met(r->column, j, r->h->jb);
    int64_t end = Mmin(j + 1, r->until);
    double left = r->agreed[j], now = r->now[j * r->step], size = fabs(left);

    if (j < r->column || met == end)
        return memcmp(&left, &now, sizeof(now)) == 0 ? 0.0 : INFINITY;
    for (int64_t p = met; p < end; p++) {
        double product = r->now[p * r->step] * u[p];

        left -= product;
        size += fabs(product);
    }
    if (!isfinite(size)) /* it was wrong before, or above */
        return 0.0;
    left = fabs(j >= r->until ? left - now : left);
    return left <= size * (MOST * DBL_EPSILON) ? 0.0
                                               : left / (size * DBL_EPSILON);
}

static double most_of_row(const row_t *r)
{
    double most = 0.0;

    for (int j = 0; j < r->h->jb; j++) {
        double d = distance(r, j);

        most = d <= most ? most : fmin(d, DBL_MAX);
    }
    return most;
}

/* The last column before `until` whose pivot was in this row, so that another
 * one came to its place; -1: none was. */
static int came_in(const HPL_T_panel *h, int64_t row, int until)
{
    int c = until - 1;

    while (c >= 0 && (int64_t)h->DPIV[c] != row)
        c--;
    return c;
}

void hyb_displaced_row(hyb_lu_t *lu, int k, int i, int count, double *l)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int64_t row = hpl_panel_pivots(p->hpl)->displace[i].to;
    int64_t below = row - hpl_panel_top_rows(p->hpl);
    hyb_place_t *home = hyb_lu_panel_home(lu, k);

    if (hyb_sums_come(lu, k))
        home->copy(home, p->hpl->ii + row, hyb_panel_run(lu, k).from, HYB_SAVE,
                   (xh_view_t){l, 1, count, 1});
    else
        for (int c = 0; c < count; c++)
            l[c] =
                p->workspace->shares_l2
                    ? hyb_factor_sums(lu, k)->came[i + (int64_t)c * p->hpl->jb]
                    : *hyb_tiles_at(&p->factors.l2, below, c);
}

/* Of those that came from the top to places of this process and are there. */
static double most_of_displaced(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const hpl_pivots_t *m = h->pivots;
    double now[h->jb], most = 0.0;
    row_t r = {.h = h, .until = h->jb, .now = now, .step = 1};

    for (int i = m->displace_offset[m->me]; i < m->displace_offset[m->me + 1];
         i++) {
        r.column =
            came_in(h, hyb_global_row(lu, h->ii + m->displace[i].to), h->jb);
        if (r.column < 0)
            continue;
        r.agreed = pivot_row(lu, k, r.column) + h->jb;
        hyb_displaced_row(lu, k, i, h->jb, now);
        most = fmax(most, most_of_row(&r));
    }
    return most;
}

/* Of those that were taken from there as pivots. */
static double most_of_returned(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);
    row_t r = {.h = h, .step = h->jb};
    double most = 0.0;

    for (r.until = 1; r.until < h->jb; r.until++) {
        int64_t row = (int64_t)h->DPIV[r.until];

        r.column = came_in(h, row, r.until);
        if (r.column < 0 || row == h->ia + r.column ||
            hpl_map_owner(&rows, row) != h->grid->myrow)
            continue;
        r.agreed = pivot_row(lu, k, r.column) + h->jb;
        r.now = h->L1 + r.until;
        most = fmax(most, most_of_row(&r));
    }
    return most;
}

static double most_of_l1(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    row_t r = {.h = h, .step = h->jb};
    double most = 0.0;

    for (r.column = 0; r.column < h->jb; r.column++) {
        r.until = r.column;
        r.agreed = pivot_row(lu, k, r.column);
        r.now = h->L1 + r.column;
        most = fmax(most, most_of_row(&r));
    }
    return most;
}

/* ---- numbers that are none ----------------------------------------------- */

static bool has_none(const double *row, int count)
{
    for (int j = 0; j < count; j++)
        if (!isfinite(row[j]))
            return true;
    return false;
}

/* Such a row is the next pivot: the process row that was the first to have one,
 * or -1. */
static int who_had_none(hyb_lu_t *lu, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    hpl_map_t rows = hpl_map(h->nb, h->grid->nprow, h->grid->myrow);

    for (int c = 0; c < h->jb; c++) {
        if (has_none(pivot_row(lu, k, c), h->jb))
            return hpl_map_owner(&rows, (int64_t)h->DPIV[c]);
        if (has_none(pivot_row(lu, k, c) + h->jb, h->jb))
            return h->prow;
    }
    return -1;
}

int hyb_who_disagrees(hyb_lu_t *lu, int k)
{
    struct {
        double most;
        int row;
    } mine = {0.0, lu->grid->myrow}, all;

    if (!hyb_lu_panel(lu, k)->by_device)
        return -1;
    mine.most = fmax(most_of_l1(lu, k), most_of_displaced(lu, k));
    mine.most = fmax(mine.most, most_of_returned(lu, k));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE_INT, MPI_MAXLOC,
                  lu->grid->col_comm);
    return all.most > 0.0 ? all.row : who_had_none(lu, k);
}
