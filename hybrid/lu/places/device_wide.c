/* SPDX-License-Identifier: BSD-3-Clause */

#include "base/integers.h"
#include "hybrid/lu/panel/wide.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/tune/sizes.h"

/* ---- memory -------------------------------------------------------------- */

static int64_t width_of(const hyb_place_device_t *d)
{
    return d->memory.l[0].cols;
}

/* Lay out the memory for the lists of all wide panels. */
static void lay_lists_out(hyb_place_device_t *d, int64_t at)
{
    hyb_place_wide_t *w = &d->wide;
    int64_t most = HYB_ROW_LISTS * width_of(d);

    for (int slot = 0; slot < HYB_WIDE_SLOTS; slot++, at += most)
        w->panel[slot].lists = hyb_device_view(d->memory.buffer, at, most, 1);
}

xh_status_t hyb_place_wide_create(hyb_place_device_t *d, int64_t at,
                                  double *host)
{
    hyb_place_wide_t *w = &d->wide;
    int64_t most = width_of(d);

    if (most <= d->nb)
        return XH_OK;
    for (int slot = 0; slot < HYB_SLOTS; slot++, at += most * most)
        w->l1[slot] = hyb_device_view(d->memory.buffer, at, most, most);
    lay_lists_out(d, at);
    w->lists = (int64_t *)host;
    return hyb_event_create(d->device, &w->whole);
}

void hyb_place_wide_destroy(hyb_place_device_t *d)
{
    hyb_event_destroy(d->wide.whole);
}

/* ---- locations of panels ------------------------------------------------- */

static hyb_group_t group_of(const hyb_place_device_t *d, int k)
{
    return d->base.lu->groups.of[k];
}

/* Does panel k belong to a group of several panels? */
static bool is_wide(const hyb_place_device_t *d, int k)
{
    hyb_group_t group = group_of(d, k);

    return group.end > group.first + 1;
}

hyb_device_view_t hyb_place_l2(const hyb_place_device_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_group_t group = group_of(d, k);
    int64_t below = hyb_lu_rows_above(lu->grid, lu->mat, k + 1);

    return hyb_device_view_part(d->memory.l[group.number % HYB_SLOTS], below,
                                (k - group.first) * d->nb, lu->mat->mp - below,
                                Mmin(d->nb, (int64_t)lu->mat->n - k * d->nb));
}

/* ---- lists of moved rows ------------------------------------------------- */

void hyb_place_locate_panel(hyb_place_panel_t *panel, const HPL_T_panel *h)
{
    panel->first = h->ii;
    panel->rows = h->mp;
    panel->jb = h->jb;
    panel->nb = Mmin(h->nb, h->jb);
    panel->top = hpl_panel_top_rows(h);
    panel->members = h->grid->nprow;
    panel->member =
        (h->grid->myrow - h->prow + h->grid->nprow) % h->grid->nprow;
}

/* List the rows of U on this process. Each list function returns where the next
 * list begins. */
static int64_t *list_u_from(const hpl_pivots_t *moves, hyb_device_view_t *list,
                            int64_t *at)
{
    int first = moves->gather_offset[moves->me];
    int end = moves->gather_offset[moves->me + 1];

    for (int i = first; i < end; i++)
        at[moves->members == 1 ? moves->gather[i].to : i - first] =
            moves->gather[i].from;
    list[HYB_U_FROM].rows = end - first;
    return at + list[HYB_U_FROM].rows;
}

/* List displaced rows: where they are in the local top, and where received
 * displaced rows go. */
static int64_t *list_displaced(const hpl_pivots_t *moves,
                               hyb_device_view_t *list, int64_t *at)
{
    int first, count = hpl_pivots_displaced_from(moves, moves->me, &first);

    list[HYB_DISPLACED_FROM].rows = count;
    for (int i = 0; i < count; i++)
        *at++ = moves->displace[first + i].from;
    list[HYB_DISPLACED_TO].rows = 0;
    for (int source = 0; source < moves->sources; source++) {
        count = hpl_pivots_between(moves, source, moves->me, &first);
        list[HYB_DISPLACED_TO].rows += count;
        for (int i = 0; i < count; i++)
            *at++ = moves->displace[first + i].to;
    }
    return at;
}

/* List where the rows of U of all processes go. */
static int64_t *list_u_to(const hpl_pivots_t *moves, hyb_device_view_t *list,
                          int64_t *at)
{
    list[HYB_U_TO].rows = moves->gather_offset[moves->members];
    for (int i = 0; i < list[HYB_U_TO].rows; i++)
        *at++ = moves->gather[i].to;
    return at;
}

/* Copy the lists up at once, because each copy waits for larger copies on the
 * link. */
xh_status_t hyb_place_send_lists(const hyb_place_device_t *d,
                                 hyb_place_panel_t *panel, HPL_T_panel *h,
                                 int64_t *lists)
{
    const hpl_pivots_t *moves = hpl_panel_pivots(h);
    int64_t *end = list_u_from(moves, panel->list, lists);
    int64_t at = 0;

    end = list_displaced(moves, panel->list, end);
    end = list_u_to(moves, panel->list, end);
    for (int i = 0; i < HYB_ROW_LISTS; i++) {
        int64_t rows = panel->list[i].rows;

        panel->list[i] = hyb_device_view_part(panel->lists, at, 0, rows, 1);
        at += rows;
    }
    return hyb_queue_upload(
        d->queue.link, lists,
        hyb_device_view_first(panel->lists, end - lists, 1));
}

/* ---- growing a group ----------------------------------------------------- */

/* Form one wide panel `p` of panels from .. to - 1. `p` has memory, also for
 * its lists. */
static xh_status_t open_wide(hyb_place_device_t *d, hyb_place_panel_t *p,
                             int from, int to, int64_t *lists)
{
    HPL_T_panel *h = hyb_wide_panel(d->base.lu, from, to);
    int slot = group_of(d, from).number % HYB_SLOTS;

    hyb_place_locate_panel(p, h);
    p->has_inverses = true;
    p->no_inverse = d->wide.no_inverse;
    p->l1 = d->wide.l1[slot];
    p->l2 = hyb_device_view_part(d->memory.l[slot], p->first + p->top, 0,
                                 p->rows - p->top, p->jb);
    return hyb_place_send_lists(d, p, h, lists);
}

xh_status_t hyb_place_widen(hyb_place_device_t *d, int k)
{
    hyb_place_wide_t *w = &d->wide;
    hyb_group_t group = group_of(d, k);
    int slot = hyb_groups_slot(&d->base.lu->groups, group.first, k + 1);

    if (!is_wide(d, k))
        return XH_OK;
    if (k == group.first)
        w->no_inverse = 0;
    if (!hyb_place_panel(d, k)->has_inverses)
        w->no_inverse |= 1U << (k - group.first);
    return open_wide(d, &w->panel[slot], group.first, k + 1,
                     w->lists + slot * HYB_ROW_LISTS * width_of(d));
}

static int64_t columns_before(const hyb_place_device_t *d, int k)
{
    return (k - group_of(d, k).first) * d->nb;
}

hyb_device_view_t hyb_place_l2_before(const hyb_place_device_t *d, int k)
{
    const hyb_place_panel_t *p = &d->panel[k % HYB_SLOTS];

    return hyb_device_view_part(d->memory.l[group_of(d, k).number % HYB_SLOTS],
                                p->first, 0, p->rows, columns_before(d, k));
}

/* The part of the wide L1 in panel k's rows and these columns. */
static hyb_device_view_t l1_part(const hyb_place_device_t *d, int k,
                                 int64_t column, int64_t columns)
{
    return hyb_device_view_part(d->wide.l1[group_of(d, k).number % HYB_SLOTS],
                                columns_before(d, k), column,
                                d->panel[k % HYB_SLOTS].jb, columns);
}

hyb_device_view_t hyb_place_l1_before(const hyb_place_device_t *d, int k)
{
    return l1_part(d, k, 0, columns_before(d, k));
}

/* P = 1: move rows in L2 of earlier panels, and copy the rows that become rows
 * of L1. */
static xh_status_t move_rows(hyb_place_device_t *d, int k)
{
    const hyb_place_panel_t *p = hyb_place_panel(d, k);
    hyb_device_view_t l2 = hyb_place_l2_before(d, k);
    const hyb_row_swap_t swap = {.columns = l2,
                                 .u = hyb_device_view(d->memory.buffer,
                                                      d->memory.u.offset, p->jb,
                                                      l2.cols),
                                 .source = p->list[HYB_U_FROM],
                                 .from = p->list[HYB_DISPLACED_FROM],
                                 .to = p->list[HYB_DISPLACED_TO]};

    XH_TRY(hyb_queue_swap_rows(d->queue.compute, &swap));
    return hyb_queue_copy(d->queue.compute,
                          hyb_device_view_first(l2, p->jb, l2.cols),
                          hyb_place_l1_before(d, k));
}

xh_status_t hyb_place_followed(hyb_place_device_t *d, int k)
{
    XH_TRY(hyb_event_record(d->queue.compute, hyb_place_panel(d, k)->followed));
    if (d->queue.guests == NULL || k + 1 < group_of(d, k).end)
        return XH_OK;
    XH_TRY(hyb_event_record(d->queue.compute, d->wide.whole));
    return hyb_queue_wait(d->queue.guests, d->wide.whole);
}

xh_status_t hyb_place_follow(hyb_place_device_t *d, int k)
{
    const hyb_place_panel_t *p = hyb_place_panel(d, k);
    bool is_first = columns_before(d, k) == 0;

    if (!is_wide(d, k))
        return XH_OK;
    XH_TRY(hyb_queue_copy(d->queue.compute,
                          hyb_device_view_first(p->l1, p->jb, p->jb),
                          l1_part(d, k, columns_before(d, k), p->jb)));
    if (!is_first && d->base.lu->grid->nprow > 1)
        return XH_OK;
    if (!is_first)
        XH_TRY(move_rows(d, k));
    return hyb_place_followed(d, k);
}

xh_status_t hyb_place_wait_followed(hyb_place_device_t *d, int k)
{
    return k >= d->base.lu->range.first && is_wide(d, k)
               ? hyb_queue_wait(d->queue.link, hyb_place_panel(d, k)->followed)
               : XH_OK;
}

hyb_place_panel_t *hyb_place_panels(hyb_place_device_t *d, int from, int to)
{
    const hyb_groups_t *groups = &d->base.lu->groups;

    return to == from + 1 ? hyb_place_panel(d, from)
                          : &d->wide.panel[hyb_groups_slot(groups, from, to)];
}
