/* SPDX-License-Identifier: BSD-3-Clause */
/* Compute the traffic over the links if devices compute columns. */
#include <math.h>
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/tune/residence.h"

/* Panel k as seen by a process of `shape`; units are rows and columns. */
typedef struct {
    double jb, top; /* width of the panel; its top rows on this process */
    double rows;    /* local rows of the panel */
    double part;    /* fraction of the panel's rows that is local */
    double columns; /* columns right of the panel that live on devices */
    double above;   /* local rows above the panel */
    bool is_mine;   /* does this process have its columns? */
    bool is_shared; /* P > 1: do other processes have rows of it? */
} panel_t;

static panel_t panel_of(const hpl_shape_t *shape, const hyb_homes_t *homes,
                        int64_t k)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    hpl_map_t columns = hpl_system_column_map(shape);
    int64_t first = k * shape->nb;
    int64_t jb = xh_smaller(shape->nb, shape->n - first);
    int64_t above = hpl_map_count(&rows, first);
    int64_t below = hpl_map_count(&rows, shape->n) - above;
    int64_t left = xh_larger(hpl_map_count(&columns, first + jb),
                             homes->guests * shape->nb);

    return (panel_t){
        .jb = (double)jb,
        .top = hpl_map_owner(&rows, first) == rows.me ? (double)jb : 0.0,
        .rows = (double)below,
        .part = (double)below / (double)(shape->n - first),
        .columns = (double)xh_larger(0, hpl_system_columns(shape) - left),
        .above = (double)above,
        .is_mine = hpl_map_owner(&columns, first) == columns.me,
        .is_shared = shape->nprow > 1};
}

typedef struct {
    double up, down; /* in doubles */
} traffic_t;

/* Doubles of L1, L2, the lists of row moves, and the agreement on pivots. */
static traffic_t panel_traffic(const panel_t *p, int devices, bool by_device,
                               bool travels, bool by_peers)
{
    double l1 = p->jb * p->jb, body = (p->rows - p->top) * p->jb;
    double displaced = p->rows > 0.0 ? 1.0 - p->jb * p->part / p->rows : 0.0;
    double lists =
        p->jb * (1.0 + p->part) + (p->jb * p->part + p->top) * displaced;
    bool stays = by_device && p->is_mine;
    int need = stays ? by_peers ? 0 : devices - 1 : devices;
    double agreed = stays && p->is_shared ? p->jb * (2.0 * p->jb + 2.0) : 0.0;
    traffic_t t = {.up = devices * (lists + l1) + need * body + agreed};

    if (stays)
        t.down = l1 + (p->is_shared ? agreed : p->jb) +
                 (travels || need > 0 ? body : 0.0);
    else if (p->is_mine)
        t.down = p->top * p->jb + body;
    return t;
}

/* Elements of the lists of panel k joined with the earlier panels of its group,
 * counted twice for the panel that closes the group. */
static double wide_lists(const hyb_groups_t *groups, const panel_t *p, int nb,
                         int k)
{
    hyb_group_t group = groups->of[k];
    double columns = (k - group.first) * (double)nb + p->jb;
    double left = p->rows / fmax(p->part, 1e-9) + columns - p->jb;
    double all = columns * ((p->is_shared ? 1.0 : 0.0) + p->part +
                            2.0 * p->part * (1.0 - columns / left));

    if (group.end == group.first + 1)
        return 0.0;
    return k + 1 == group.end ? 2.0 * all : all;
}

/*
 * Doubles that columns exchange if P > 1. Pivots are assumed to be spread
 * evenly over all rows. Local rows of U leave, and its other rows arrive.
 * Displaced rows leave the top, and go to the places that rows of U left.
 *
 * part  in  the top's fraction of the remaining rows
 */
static traffic_t row_traffic(const panel_t *p, double part)
{
    double mine = p->jb * p->part;

    if (p->top > 0.0)
        return (traffic_t){.up = p->columns * (p->jb - mine),
                           .down = p->columns * (mine + p->jb * (1.0 - part))};
    return (traffic_t){.up = p->columns * p->jb, .down = p->columns * mine};
}

/* Doubles exchanged for panel k: near columns with the top of one panel, far
 * columns with the top of its group, parts of which are on other processes. */
static traffic_t group_traffic(const hpl_shape_t *shape,
                               const hyb_groups_t *groups, const panel_t *all,
                               int k, double left)
{
    hyb_group_t group = groups->of[k];
    double nb = shape->nb, before = (k - group.first) * nb;
    double part = (group.end - group.first) * nb / (left + before);
    panel_t near = *all, far = *all;
    traffic_t t, u;

    if (group.end == group.first + 1)
        return row_traffic(all, all->jb / left);
    near.columns = fmin(all->columns, HYB_GROUP_LEAD * nb / shape->npcol);
    far.columns -= near.columns;
    t = row_traffic(&near, all->jb / left);
    u = row_traffic(&far, part);
    if (far.top == 0.0)
        u.up -= far.columns * far.jb * far.part * part;
    return (traffic_t){t.up + u.up, t.down + u.down};
}

/* Doubles of L2 rows of the panels before panel k in its group, which one
 * device sends and all devices receive. */
static traffic_t l2_traffic(const hyb_groups_t *groups, const panel_t *all,
                            int nb, int k, int devices, double left)
{
    panel_t p = *all;
    traffic_t t;

    if (k + 1 == groups->panels)
        return (traffic_t){0.0, 0.0};
    p.columns = (k - groups->of[k].first) * (double)nb;
    t = row_traffic(&p, p.jb / left);
    t.up = devices * t.up + (devices - 1) * p.columns * p.jb * p.part;
    return t;
}

static void add(traffic_t *sum, traffic_t t)
{
    sum->up += t.up;
    sum->down += t.down;
}

/* Number of panels that have been applied to guest `block` at the end of
 * iteration k. */
static int applied(const hpl_shape_t *shape, const hyb_homes_t *homes,
                   const hyb_groups_t *groups, int64_t block, int k)
{
    hpl_map_t map = hpl_system_column_map(shape);
    int closed = hyb_groups_closed(groups, k).end;
    hyb_far_t far = {
        .panel = hpl_map_block_global(&map, block),
        .block = block,
        .from = xh_units(hpl_map_count(&map, (int64_t)closed * shape->nb),
                         shape->nb),
        .blocks = homes->guests};

    return hyb_groups_applied(groups, groups->panels, &far, k);
}

/* Number of local rows from the first row of `panel` on. */
static double rows_from(const hpl_shape_t *shape, int panel)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);

    return (double)(hpl_map_count(&rows, shape->n) -
                    hpl_map_count(&rows, (int64_t)panel * shape->nb));
}

/*
 * Doubles of rows that travel with a guest when `panels` panels, from `first`
 * on, are applied to it: rows of U and displaced rows arrive. The guest's own
 * rows leave from the device only if it has stayed there; else from host
 * memory.
 */
static traffic_t guest_rows(const hpl_shape_t *shape, int first, int panels,
                            bool stayed)
{
    double rows = (double)panels * shape->nb;
    double mine = rows * rows_from(shape, first) /
                  ((double)shape->n - (double)first * shape->nb);

    if (shape->nprow == 1)
        return (traffic_t){0.0, 0.0};
    return (traffic_t){rows + mine, stayed ? 2.0 * mine : 0.0};
}

/*
 * Doubles of a guest's ways up and down, each time from the first row of the
 * first panel that has not been applied to it. After its last way up only its U
 * goes down. b is one column and never a panel.
 */
static traffic_t guest_traffic(const hpl_shape_t *shape,
                               const hyb_homes_t *homes,
                               const hyb_groups_t *groups, int64_t block)
{
    hpl_map_t map = hpl_system_column_map(shape);
    int panel = (int)hpl_map_block_global(&map, block), first = 0, before = 0;
    int nb = shape->nb, end = (int)xh_smaller(panel, groups->panels), now;
    double width =
        (double)xh_larger(1, xh_smaller(nb, shape->n - (int64_t)panel * nb));
    bool is_there = panel == 0;
    traffic_t t = {.up = is_there ? rows_from(shape, 0) : 0.0};

    for (int k = 0; k < end; k++, before = now) {
        now = applied(shape, homes, groups, block, k);
        if (now > before) {
            add(&t, guest_rows(shape, before, now - before, is_there));
            first = is_there ? first : before;
            t.up += is_there ? 0.0 : rows_from(shape, first);
            is_there = true;
        }
        if (is_there && !hyb_groups_is_near(panel, k + 1)) {
            t.down += rows_from(shape, first);
            is_there = false;
        }
    }
    t.down += rows_from(shape, first) - rows_from(shape, end);
    return (traffic_t){width * t.up, width * t.down};
}

void hyb_residence_traffic(const hpl_shape_t *shape, const hyb_homes_t *homes,
                           const hyb_groups_t *groups, bool rows_stay,
                           bool by_device, double *up_p, double *down_p)
{
    int panels = groups->panels;
    hpl_map_t columns = hpl_system_column_map(shape);
    traffic_t sum = {0.0, 0.0}, t;

    for (int64_t b = 0; b < homes->guests; b++) {
        if (!hyb_homes_is_guest(homes, b))
            continue;
        add(&sum, guest_traffic(shape, homes, groups, b));
    }
    for (int k = 0; k < panels; k++) {
        panel_t p = panel_of(shape, homes, k);
        bool resides =
            p.is_mine && hpl_map_block_local(&columns, k) >= homes->guests;

        t = panel_traffic(&p, homes->places - 1, by_device, shape->npcol > 1,
                          homes->peers && resides);
        sum.up += t.up + (resides ? 2.0 * p.jb + p.above : 0.0) +
                  (homes->places - 1) * wide_lists(groups, &p, shape->nb, k);
        sum.down += t.down + (resides ? p.above : 0.0);
        if (shape->nprow > 1 && !rows_stay) {
            double left = (double)(shape->n - k * shape->nb);

            add(&sum, group_traffic(shape, groups, &p, k, left));
            add(&sum,
                l2_traffic(groups, &p, shape->nb, k, homes->places - 1, left));
        }
    }
    if (hpl_map_owner(&columns, shape->n) == columns.me)
        sum.down += (double)hpl_system_rows(shape);
    *up_p = 8.0 * sum.up;
    *down_p = 8.0 * sum.down;
}
