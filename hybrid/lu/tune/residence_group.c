/* SPDX-License-Identifier: BSD-3-Clause */
/* Compute what fits on devices, and how many panels a group has. */

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/settings.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence.h"
#include "hybrid/lu/tune/residence_private.h"
#include "hybrid/lu/tune/sizes.h"

double hyb_residence_device_rate(const hyb_residence_figures_t *f, int64_t nb)
{
    int d = 0;

    while (d + 1 < HYB_RATE_DEPTHS && nb > hyb_rate_depth(d) * 3 / 2)
        d++;
    return f->rate[d];
}

/* ---- room ---------------------------------------------------------------- */

/* All processes of a process column use the same extent: that of the process
 * with the most rows. */
hyb_extent_t hyb_residence_extent(const hpl_shape_t *shape, int width,
                                  int seats, bool checked)
{
    hpl_shape_t tallest = *shape;
    int64_t nb = xh_smaller(shape->nb, shape->n);

    tallest.myrow = 0;
    return (hyb_extent_t){.rows = hpl_system_rows(&tallest),
                          .columns = checked ? HYB_CHECK_COLUMNS : 0,
                          .nb = nb,
                          .all = hpl_system_columns(shape) +
                                 HYB_EXECUTORS * HYB_CHECK_COLUMNS,
                          .wide = width * nb,
                          .nprow = shape->nprow,
                          .seats = seats,
                          .checked = checked};
}

/* Check columns are always counted. All process columns use the room of the
 * process with the most columns. */
double hyb_residence_room(const hyb_residence_figures_t *figures,
                          const hpl_shape_t *shape, int width, int seats)
{
    hpl_shape_t widest = *shape;
    hyb_extent_t e;

    widest.mycol = 0;
    e = hyb_residence_extent(&widest, width, seats, true);
    return figures->devices * (double)hyb_sizes_blocks(&e, figures->memory);
}

double hyb_residence_blocks(const hpl_shape_t *shape)
{
    return ceil((double)shape->n / shape->npcol / shape->nb) + 1.0;
}

double hyb_residence_blocks_there(const hyb_residence_figures_t *f,
                                  const hpl_shape_t *shape, int width,
                                  bool *guests_p)
{
    double there = hyb_residence_room(f, shape, width, 0);

    *guests_p = hyb_residence_is_host() || there < hyb_residence_blocks(shape);
    for (int seats = HYB_SEATS; *guests_p; seats--) {
        there = hyb_residence_room(f, shape, width, seats);
        *guests_p = there > 0.0 || seats > HYB_GUEST_SEATS;
        if (there > 0.0)
            break;
    }
    return there;
}

bool hyb_residence_is_host(void)
{
    return strcmp(xh_settings_text("home"), "host") == 0;
}

/* ---- groups -------------------------------------------------------------- */

/* A group of panels; `columns` columns of C remain at its first panel. */
typedef struct {
    double width;   /* number of panels */
    double rows;    /* local rows of C */
    double columns; /* local columns of C */
    double guests;
    double npcol; /* Q: near columns belong to one process in Q */
} width_t;

/* Return the seconds of `work`; 0 if the rate is unknown. */
static double seconds_of(double work, double rate)
{
    return rate > 0.0 ? work / rate : 0.0;
}

/* Seconds in which a device factors a panel of `rows` rows. */
static double panel_seconds(const hyb_residence_figures_t *f, double nb,
                            double rows)
{
    return seconds_of(rows * nb * nb,
                      HYB_PANEL_PART_THERE *
                          hyb_residence_device_rate(f, (int64_t)nb));
}

/* Factor for a link that sometimes waits for data. */
static const double longer = 1.4;

/*
 * Seconds of a group. The group's panels are applied one by one to the next
 * group's columns, on one device, and as a whole to all other columns, on all
 * devices. Meanwhile the next panels are factored, and guests come and go over
 * the link, in both directions at once.
 */
static double group_seconds(const hyb_residence_figures_t *f, double nb,
                            width_t g)
{
    double near = g.width * nb, far = fmax(0.0, g.columns - near / g.npcol);
    double work =
        seconds_of(g.rows * near * near / g.npcol,
                   hyb_residence_device_rate(f, (int64_t)nb)) +
        seconds_of(2.0 * g.rows * near * far,
                   f->devices * hyb_residence_device_rate(f, (int64_t)near));
    double way = longer * seconds_of(sizeof(double) * g.rows * g.guests,
                                     f->devices * f->link);

    return fmax(fmax(work, way), g.width * panel_seconds(f, nb, g.rows));
}

/*
 * Seconds of all groups. With guests, the first group is complete, and its
 * panels, which overlap with nothing, are added. HUGE_VAL: there is no room for
 * groups of this width.
 */
static double seconds_by(const hyb_residence_figures_t *f,
                         const hpl_shape_t *shape, int width)
{
    enum { STEPS = 64 }; /* at most; beyond, several groups count as one */
    double nb = shape->nb, n = shape->n, rows = n / shape->nprow, sum = 0.0;
    double step = fmax(width * nb, n / STEPS);
    bool guests;
    double there = nb * hyb_residence_blocks_there(f, shape, width, &guests);

    if (there <= 0.0)
        return HUGE_VAL;
    if (guests)
        sum = width * (panel_seconds(f, nb, rows) +
                       seconds_of(sizeof(double) * rows * nb, f->link));
    if (hyb_residence_is_host())
        there = 0.0;
    for (double left = n; left > 0.0; left -= step) {
        double columns = left / shape->npcol;
        width_t g = {width, left / shape->nprow, columns,
                     guests ? fmax(0.0, columns - there) : 0.0, shape->npcol};

        sum += group_seconds(f, nb, g) * fmin(step, left) / (width * nb);
    }
    return sum;
}

/* The narrowest width whose time is within 1% of the least. */
static int best_width(const hyb_residence_figures_t *f,
                      const hpl_shape_t *shape, int most)
{
    const double little = 0.99;
    double least = HUGE_VAL;
    int best = 1;

    for (int width = 1; width <= most; width++) {
        double seconds = seconds_by(f, shape, width);

        if (seconds < little * least) {
            least = seconds;
            best = width;
        }
    }
    return best;
}

int hyb_residence_group(const hyb_residence_figures_t *f,
                        const hpl_shape_t *shape)
{
    int panels = shape->nb > 0 ? (int)xh_units(shape->n, shape->nb) : 0;
    const char *asked = xh_settings_text("group");
    bool guests;
    int width;

    if (panels == 0)
        return 1;
    if (strcmp(asked, "auto") == 0)
        return best_width(f, shape, (int)xh_smaller(HYB_GROUP_MOST, panels));
    width = (int)xh_smaller(strtol(asked, NULL, 10), panels);
    while (width > 1 &&
           hyb_residence_blocks_there(f, shape, width, &guests) <= 0.0)
        width = (width + 1) / 2;
    return width;
}
