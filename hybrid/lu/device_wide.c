/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/device_columns.h"

#include "base/integers.h"

/* Lists of rows that a wide panel has: P = 1. */
enum { LISTS = HYB_U_TO };

/* ---- memory -------------------------------------------------------------- */

int64_t hyb_device_wide_doubles(int64_t nb, int64_t columns)
{
    return columns > nb
               ? HYB_SLOTS * columns * columns + 2 * HYB_SLOTS * LISTS * columns
               : 0;
}

size_t hyb_device_wide_host_doubles(int64_t nb, int64_t columns)
{
    return columns > nb ? (size_t)(2 * HYB_SLOTS * LISTS * columns) : 0;
}

static int64_t width_of(const hyb_device_columns_t *d)
{
    return d->memory.l[0].cols;
}

/* The lists of all wide panels there. */
static void lay_lists_out(hyb_device_columns_t *d, int64_t at)
{
    hyb_device_wide_t *w = &d->wide;
    int64_t most = width_of(d);

    for (int slot = 0; slot < HYB_SLOTS; slot++)
        for (int list = 0; list < LISTS; list++, at += 2 * most) {
            w->prefix[slot].list[list] =
                hyb_block(d->memory.buffer, at, most, 1);
            w->closed[slot].list[list] =
                hyb_block(d->memory.buffer, at + most, most, 1);
        }
}

xh_status_t hyb_device_wide_create(hyb_device_columns_t *d, int64_t at,
                                   double *host)
{
    hyb_device_wide_t *w = &d->wide;
    int64_t most = width_of(d), rows = d->memory.matrix.rows;

    if (most <= d->nb)
        return XH_OK;
    for (int slot = 0; slot < HYB_SLOTS; slot++, at += most * most)
        w->l1[slot] = hyb_block(d->memory.buffer, at, most, most);
    lay_lists_out(d, at);
    w->lists = (int64_t *)host;
    w->row = malloc(((size_t)rows + 1) * sizeof(*w->row));
    w->moved = malloc((2 * (size_t)(most + d->nb) + 1) * sizeof(*w->moved));
    if (w->row == NULL || w->moved == NULL)
        return XH_ERR_MEMORY;
    for (int64_t i = 0; i < rows; i++)
        w->row[i] = i;
    return hyb_event_create(d->device, &w->whole);
}

void hyb_device_wide_destroy(hyb_device_columns_t *d)
{
    hyb_event_destroy(d->wide.whole);
    free(d->wide.moved);
    free(d->wide.row);
}

/* ---- where panels stand -------------------------------------------------- */

static hyb_group_t group_of(const hyb_device_columns_t *d, int k)
{
    return d->base.lu->groups.of[k];
}

/* Is panel k one of several in its group? */
static bool is_wide(const hyb_device_columns_t *d, int k)
{
    hyb_group_t group = group_of(d, k);

    return group.end > group.first + 1;
}

hyb_block_t hyb_device_l2(const hyb_device_columns_t *d, int k)
{
    const hyb_lu_t *lu = d->base.lu;
    hyb_group_t group = group_of(d, k);
    int64_t below = hyb_lu_rows_above(lu, k + 1);

    return hyb_block_part(d->memory.l[group.number % HYB_SLOTS], below,
                          (k - group.first) * d->nb, lu->mat->mp - below,
                          Mmin(d->nb, (int64_t)lu->mat->n - k * d->nb));
}

/* ---- one permutation of several ------------------------------------------ */

/* The group's first panel comes: no row has moved yet. */
static void begin_group(hyb_device_wide_t *w)
{
    while (w->moves > 0) {
        int64_t i = w->moved[--w->moves];

        w->row[i] = i;
    }
}

static void put(hyb_device_wide_t *w, int64_t row, int64_t from)
{
    if (w->row[row] == row && from != row)
        w->moved[w->moves++] = row;
    w->row[row] = from;
}

/* Rows move on as panel k's lists say, which count from its first row. A row
 * that moved is no other one's place again, but for rows of U, which leave for
 * good: so each is noted once. */
static void compose(hyb_device_columns_t *d, int k)
{
    hyb_device_wide_t *w = &d->wide;
    const hyb_device_panel_t *p = hyb_device_panel(d, k);
    const int64_t *list = d->host.rows + k % HYB_SLOTS * HYB_ROW_LISTS * d->nb;
    const int64_t *source = list + HYB_U_FROM * d->nb;
    const int64_t *from = list + HYB_DISPLACED_FROM * d->nb;
    const int64_t *to = list + HYB_DISPLACED_TO * d->nb;
    int64_t displaced = p->list[HYB_DISPLACED_TO].rows, i;
    int64_t *was = w->moved + 2 * width_of(d), *went = was + d->nb;

    for (i = 0; i < p->jb; i++)
        was[i] = w->row[p->first + source[i]];
    for (i = 0; i < displaced; i++)
        went[i] = w->row[p->first + from[i]];
    for (i = 0; i < p->jb; i++)
        put(w, p->first + i, was[i]);
    for (i = 0; i < displaced; i++)
        put(w, p->first + to[i], went[i]);
}

/* The rows that p's panels move together go up, from one of its lists each. */
static xh_status_t send_lists(const hyb_device_columns_t *d,
                              hyb_device_panel_t *p, int64_t *host)
{
    const hyb_device_wide_t *w = &d->wide;
    int64_t most = width_of(d), count = 0;
    int64_t *from = host + HYB_DISPLACED_FROM * most;
    int64_t *to = host + HYB_DISPLACED_TO * most;

    for (int64_t i = 0; i < p->jb; i++)
        host[HYB_U_FROM * most + i] = w->row[p->first + i] - p->first;
    for (int64_t m = 0; m < w->moves; m++) {
        int64_t row = w->moved[m];

        if (row < p->first + p->jb)
            continue;
        from[count] = w->row[row] - p->first;
        to[count++] = row - p->first;
    }
    p->list[HYB_U_FROM].rows = p->jb;
    p->list[HYB_DISPLACED_FROM].rows = p->list[HYB_DISPLACED_TO].rows = count;
    for (int i = 0; i < LISTS; i++)
        XH_TRY(hyb_queue_upload(d->queue.link, host + i * most, p->list[i]));
    return XH_OK;
}

/* ---- a group grows ------------------------------------------------------- */

/* The panels of panel k's group up to that one, which has come. */
static void take_extent(hyb_device_columns_t *d, int k, hyb_device_panel_t *p)
{
    const hyb_device_panel_t *last = hyb_device_panel(d, k);
    hyb_group_t group = group_of(d, k);
    int slot = group.number % HYB_SLOTS;
    int64_t below = last->first + last->jb, before = (k - group.first) * d->nb;

    p->first = last->first - before;
    p->rows = last->rows + before;
    p->jb = p->top = before + last->jb;
    p->nb = d->nb;
    p->has_inverses = true;
    p->without = d->wide.without;
    p->l1 = d->wide.l1[slot];
    p->l2 = hyb_block_part(d->memory.l[slot], below, 0, last->rows - last->jb,
                           p->jb);
}

xh_status_t hyb_device_widen(hyb_device_columns_t *d, int k)
{
    hyb_device_wide_t *w = &d->wide;
    hyb_group_t group = group_of(d, k);
    int slot = k % HYB_SLOTS, closed = group.number % HYB_SLOTS;
    int64_t each = LISTS * width_of(d);

    if (!is_wide(d, k))
        return XH_OK;
    if (k == group.first) {
        begin_group(w);
        w->without = 0;
    }
    if (!hyb_device_panel(d, k)->has_inverses)
        w->without |= 1U << (k - group.first);
    compose(d, k);
    take_extent(d, k, &w->prefix[slot]);
    XH_TRY(send_lists(d, &w->prefix[slot], w->lists + slot * each));
    if (k + 1 < group.end)
        return XH_OK;
    take_extent(d, k, &w->closed[closed]);
    return send_lists(d, &w->closed[closed],
                      w->lists + (HYB_SLOTS + closed) * each);
}

/* Rows of L2 of the panels before k in its group, and what of them are rows of
 * L1 then. */
static xh_status_t move_rows(hyb_device_columns_t *d, int k, hyb_block_t l1)
{
    const hyb_device_panel_t *p = hyb_device_panel(d, k);
    hyb_group_t group = group_of(d, k);
    int64_t before = (k - group.first) * d->nb;
    hyb_block_t l2 = hyb_block_part(d->memory.l[group.number % HYB_SLOTS],
                                    p->first, 0, p->rows, before);
    const hyb_row_swap_t swap = {
        .columns = l2,
        .u = hyb_block(d->memory.buffer, d->memory.u.offset, p->jb, before),
        .source = p->list[HYB_U_FROM],
        .from = p->list[HYB_DISPLACED_FROM],
        .to = p->list[HYB_DISPLACED_TO]};

    if (before == 0)
        return XH_OK;
    XH_TRY(hyb_queue_swap_rows(d->queue.compute, &swap));
    return hyb_queue_copy(d->queue.compute, hyb_block_first(l2, p->jb, before),
                          hyb_block_part(l1, before, 0, p->jb, before));
}

xh_status_t hyb_device_follow(hyb_device_columns_t *d, int k)
{
    const hyb_device_panel_t *p = hyb_device_panel(d, k);
    hyb_group_t group = group_of(d, k);
    hyb_block_t l1 = d->wide.l1[group.number % HYB_SLOTS];
    int64_t before = (k - group.first) * d->nb;

    if (!is_wide(d, k))
        return XH_OK;
    XH_TRY(move_rows(d, k, l1));
    XH_TRY(hyb_queue_copy(d->queue.compute,
                          hyb_block_first(p->l1, p->jb, p->jb),
                          hyb_block_part(l1, before, before, p->jb, p->jb)));
    XH_TRY(hyb_event_record(d->queue.compute, p->followed));
    if (d->queue.guests == NULL || k + 1 < group.end)
        return XH_OK;
    XH_TRY(hyb_event_record(d->queue.compute, d->wide.whole));
    return hyb_queue_wait(d->queue.guests, d->wide.whole);
}

xh_status_t hyb_device_wait_followed(hyb_device_columns_t *d, int k)
{
    return k >= d->base.lu->range.first && is_wide(d, k)
               ? hyb_queue_wait(d->queue.link, hyb_device_panel(d, k)->followed)
               : XH_OK;
}

/* ---- columns meet them --------------------------------------------------- */

/* From panel from on, up to `to` at most: the widest that there is. */
static const hyb_device_panel_t *widest(hyb_device_columns_t *d, int from,
                                        int to, int *end_p)
{
    hyb_group_t group = group_of(d, from);
    bool wide = from == group.first && to > from + 1 && is_wide(d, from);

    *end_p = !wide ? from + 1 : Mmin(to, group.end);
    if (!wide)
        return hyb_device_panel(d, from);
    return *end_p == group.end ? &d->wide.closed[group.number % HYB_SLOTS]
                               : &d->wide.prefix[(*end_p - 1) % HYB_SLOTS];
}

/* So many columns at a time, as there is room for their rows of U. */
static xh_status_t meet(hyb_device_columns_t *d, const hyb_device_part_t *all,
                        const hyb_device_panel_t *panel)
{
    int64_t most = all->u.rows * all->u.cols / Mmax(panel->jb, 1);
    hyb_device_part_t part = *all;

    for (int64_t j = 0; j < all->columns.cols; j += most) {
        int64_t count = Mmin(most, all->columns.cols - j);

        part.columns =
            hyb_block_part(all->columns, 0, j, all->columns.rows, count);
        part.u = hyb_block(all->u.buffer, all->u.offset, panel->jb, count);
        XH_TRY(hyb_device_in_span(d, "swap", hyb_device_swap, panel, &part));
        XH_TRY(hyb_device_in_span(d, "solve", hyb_device_solve, panel, &part));
        XH_TRY(
            hyb_device_in_span(d, "product", hyb_device_update, panel, &part));
    }
    return XH_OK;
}

xh_status_t hyb_device_apply(hyb_device_columns_t *d,
                             const hyb_device_part_t *part, int from, int to,
                             double *flop_p)
{
    const hyb_device_panel_t *panel;
    int end;

    for (; from < to; from = end) {
        panel = widest(d, from, to, &end);
        XH_TRY(meet(d, part, panel));
        *flop_p += hyb_device_flop(panel, part);
    }
    return XH_OK;
}
