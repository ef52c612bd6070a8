/* SPDX-License-Identifier: BSD-3-Clause */

#include "base/integers.h"
#include "hybrid/lu/panel/l1_inverses.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/tune/sizes.h"

/* The part's columns, from the panel's first row on. */
static hyb_device_view_t trailing(const hyb_place_panel_t *panel,
                                  const hyb_place_part_t *p)
{
    return hyb_device_view_part(p->columns, panel->first, 0, panel->rows,
                                p->columns.cols);
}

/* Where rows of U arrive before they are solved. */
static hyb_device_view_t come_to(const hyb_place_panel_t *panel,
                                 const hyb_place_part_t *p)
{
    return hyb_device_view_first(p->u, panel->jb, p->u.cols);
}

/*
 * Where U is stored once solved: in the matrix's top rows, if all of them are
 * here. Else, a solve by products cannot overwrite its input, so U takes the
 * memory of the rows that travelled.
 */
hyb_device_view_t hyb_place_u(const hyb_place_panel_t *panel,
                              const hyb_place_part_t *p)
{
    if (panel->top == panel->jb)
        return hyb_device_view_first(trailing(panel, p), panel->jb,
                                     p->columns.cols);
    return panel->has_inverses
               ? hyb_device_view(p->aside.buffer, p->aside.offset, panel->jb,
                                 p->aside.cols)
               : come_to(panel, p);
}

hyb_device_view_t hyb_place_u_that_comes(const hyb_place_panel_t *panel,
                                         const hyb_place_part_t *p)
{
    return panel->has_inverses ? come_to(panel, p) : hyb_place_u(panel, p);
}

xh_status_t hyb_place_swap(const hyb_place_panel_t *panel,
                           const hyb_place_part_t *p)
{
    hyb_row_swap_t swap = {.columns = trailing(panel, p),
                           .u = come_to(panel, p),
                           .source = panel->list[HYB_U_FROM],
                           .from = panel->list[HYB_DISPLACED_FROM],
                           .to = panel->list[HYB_DISPLACED_TO]};

    return hyb_queue_swap_rows(p->queue, &swap);
}

/*
 * With the inverses Y and Z of both diagonal blocks, the inverse below them is
 * -Z L Y. The block above them has memory for (L Y)'; then it becomes 0.
 */
xh_status_t hyb_place_join_inverses(hyb_queue_t *queue, hyb_device_view_t l1)
{
    int64_t n = l1.cols, half = xh_whole_units((n + 1) / 2, HYB_L1_BLOCK);
    hyb_device_view_t y = hyb_device_view_first(l1, half, half);
    hyb_device_view_t above = hyb_device_view_part(l1, 0, half, half, n - half);
    hyb_device_view_t l = hyb_device_view_part(l1, half, 0, n - half, half);
    hyb_device_view_t z =
        hyb_device_view_part(l1, half, half, n - half, n - half);

    if (n <= HYB_L1_BLOCK)
        return XH_OK;
    XH_TRY(hyb_place_join_inverses(queue, y));
    XH_TRY(hyb_place_join_inverses(queue, z));
    XH_TRY(hyb_queue_gemm(
        queue, &(hyb_gemm_t){XH_TRANS, XH_TRANS, 1.0, 0.0, y, l, above}));
    XH_TRY(hyb_queue_gemm(
        queue, &(hyb_gemm_t){XH_NO_TRANS, XH_TRANS, -1.0, 0.0, z, above, l}));
    return hyb_queue_gemm(
        queue, &(hyb_gemm_t){XH_NO_TRANS, XH_TRANS, 0.0, 0.0, y, l, above});
}

typedef struct { /* X := L1^-1 W by products; W is overwritten */
    hyb_queue_t *queue;
    hyb_device_view_t l1, w, x; /* l1: with the inverse of each panel's L1 */
    int64_t nb;                 /* columns per panel */
    uint32_t no_inverse;        /* bit i: L1 of panel i has no inverses */
} solve_t;

static hyb_device_view_t rows_of(hyb_device_view_t b, int64_t from,
                                 int64_t count)
{
    return hyb_device_view_part(b, from, 0, count, b.cols);
}

/* Solve one panel's rows by substitution. */
static xh_status_t substitute(const solve_t *s, int64_t from, int64_t count)
{
    hyb_device_view_t x = rows_of(s->x, from, count);

    XH_TRY(hyb_queue_copy(s->queue, rows_of(s->w, from, count), x));
    return hyb_queue_trsm(
        s->queue, hyb_device_view_part(s->l1, from, from, count, count), x);
}

/* Solve rows from .. from + count - 1 by halves, in whole panels, as the second
 * half needs the first; multiply one panel's rows by the inverse of its L1. */
static xh_status_t solve_rows(const solve_t *s, int64_t from, int64_t count)
{
    int64_t first = xh_whole_units((count + 1) / 2, s->nb);
    int64_t second = from + first, left = count - first;
    hyb_gemm_t by_inverse = {
        .alpha = 1.0,
        .a = hyb_device_view_part(s->l1, from, from, count, count),
        .b = rows_of(s->w, from, count),
        .c = rows_of(s->x, from, count)};
    hyb_gemm_t below = {.alpha = -1.0, .beta = 1.0};

    if (count <= s->nb && (s->no_inverse >> from / s->nb & 1) != 0)
        return substitute(s, from, count);
    if (count <= s->nb)
        return hyb_queue_gemm(s->queue, &by_inverse);
    below.a = hyb_device_view_part(s->l1, second, from, left, first);
    below.b = rows_of(s->x, from, first);
    below.c = rows_of(s->w, second, left);
    XH_TRY(solve_rows(s, from, first));
    XH_TRY(hyb_queue_gemm(s->queue, &below));
    return solve_rows(s, second, left);
}

/* Copy U, which was solved elsewhere, into the matrix, for the panels whose top
 * rows are here. */
static xh_status_t keep(const hyb_place_panel_t *panel,
                        const hyb_place_part_t *p, hyb_device_view_t u)
{
    int64_t from = panel->member * panel->nb, count;

    for (int64_t to = 0; to < panel->top; to += panel->nb) {
        count = xh_smaller(panel->nb, panel->top - to);
        XH_TRY(hyb_queue_copy(p->queue, rows_of(u, from, count),
                              rows_of(trailing(panel, p), to, count)));
        from += panel->members * panel->nb;
    }
    return XH_OK;
}

xh_status_t hyb_place_solve(const hyb_place_panel_t *panel,
                            const hyb_place_part_t *p)
{
    solve_t s = {.queue = p->queue,
                 .l1 = hyb_device_view_first(panel->l1, panel->jb, panel->jb),
                 .w = come_to(panel, p),
                 .x = hyb_place_u(panel, p),
                 .nb = panel->nb,
                 .no_inverse = panel->no_inverse};

    if (!panel->has_inverses)
        return hyb_queue_trsm(s.queue, s.l1, s.x);
    XH_TRY(solve_rows(&s, 0, panel->jb));
    return panel->top < panel->jb ? keep(panel, p, s.x) : XH_OK;
}

xh_status_t hyb_place_update(const hyb_place_panel_t *panel,
                             const hyb_place_part_t *p)
{
    hyb_device_view_t all = trailing(panel, p);
    hyb_gemm_t product = {.alpha = -1.0,
                          .beta = 1.0,
                          .a = panel->l2,
                          .b = hyb_place_u(panel, p),
                          .c = hyb_device_view_part(all, panel->top, 0,
                                                    panel->l2.rows, all.cols)};

    return hyb_queue_gemm(p->queue, &product);
}

xh_status_t hyb_place_apply_panel(const hyb_place_panel_t *panel,
                                  const hyb_place_part_t *p)
{
    XH_TRY(hyb_place_swap(panel, p));
    XH_TRY(hyb_place_solve(panel, p));
    return hyb_place_update(panel, p);
}

double hyb_place_flop(const hyb_place_panel_t *panel, const hyb_place_part_t *p)
{
    return 2.0 * (double)(p->columns.cols * panel->l2.rows * panel->jb);
}
