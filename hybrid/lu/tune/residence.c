/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/residence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/tune/residence_private.h"

/* ---- rates --------------------------------------------------------------- */

static const double panel_part = 0.25; /* of a thread's rate, in panels */
static const double solve_part = 0.5;  /* ... in swaps and solves */
/* flop that a device, and a thread, do in the time of one byte of memory
 * traffic. */
static const double flop_of_byte = 16.0, thread_flop_of_byte = 6.0;
static const double line = 64.0; /* bytes */
/* Bytes/s of a thread that converts a panel from columns to tiles. */
static const double converted = 4e9;
/* Fraction of the host's seconds below which devices count as faster. */
static const double clearly = 0.95;

/* ---- one iteration ------------------------------------------------------- */

typedef struct {
    double nb;
    double team;     /* flop/s of all threads of a process */
    double convert;  /* bytes/s of all threads that convert a panel */
    double device;   /* flop/s of a device for its own columns */
    double devices;  /* flop/s of all devices */
    double visitors; /* flop/s of all devices for visitors */
    double link;     /* bytes/s */
    double visits;   /* bytes/s of guests, over all links, each way */
    double count;    /* number of devices */
    double nprow, npcol;
    bool factor; /* devices factor panels if they are faster */
    bool peers;  /* devices copy panels from each other */
    bool rows_travel;
    bool overlaps; /* the next panel overlaps updates */
    double group;  /* panels per group */
} rates_t;

double hyb_residence_visitor_rate(double rate, double link, double nb)
{
    return link > 0.0 ? fmin(rate, nb * link / 4.0) : rate;
}

static rates_t rates_of(const hyb_residence_figures_t *f,
                        const hpl_shape_t *shape)
{
    double rate = hyb_residence_device_rate(f, shape->nb), nb = shape->nb;
    int group = hyb_residence_group(f, shape);

    return (rates_t){
        .nb = nb,
        .team = f->threads * f->thread_rate,
        .convert = f->threads * converted,
        .device = rate,
        .devices = f->devices * hyb_residence_device_rate(f, group * shape->nb),
        .visitors = f->devices * hyb_residence_visitor_rate(rate, f->link, nb),
        .link = f->link,
        .visits = f->devices * f->link,
        .count = f->devices,
        .nprow = shape->nprow,
        .npcol = shape->npcol,
        .factor = shape->nprow <= f->panel_rows,
        .peers = f->devices > 1.0 && f->peers > 0.0,
        .rows_travel =
            shape->nprow > 1 && (f->devices > 1.0 || f->device_mpi <= 0.0),
        .overlaps = shape->depth > 0,
        .group = group};
}

typedef struct {          /* numbers of columns */
    double host, devices; /* computed by the host; by devices */
    double guests;        /* guests among the devices' columns */
    bool spread; /* are the host's columns spread among the devices'? */
} columns_t;

/* Seconds that guests spend on the link, one way. */
static double visits(const rates_t *r, double m, double guests)
{
    return sizeof(double) * m * guests / r->group / r->visits;
}

/* Seconds in which each device copies rows of U and displaced rows, for
 * `columns` columns. */
static double rows_way(const rates_t *r, double columns)
{
    double rows = r->nb * (1.0 + 2.0 / r->nprow);

    return r->rows_travel ? sizeof(double) * rows * columns / r->link : 0.0;
}

/*
 * Number of successive link crossings of a panel that a device factored: down
 * and up if it is read through the host; and one to each peer.
 */
static double crossings(const rates_t *r)
{
    bool by_host = r->npcol > 1.0 || (r->count > 1.0 && !r->peers);

    return (by_host ? 2.0 : 0.0) + (r->peers ? r->count - 1.0 : 0.0);
}

/*
 * Add the panel's factorization and copies: by a device, if all columns but the
 * team's share live on devices and that is faster; else by the team. A team
 * with a share converts a device's panel to tiles. Returns true if a device
 * factors.
 */
static bool let_factor(const rates_t *r, double m, columns_t c,
                       hyb_residence_seconds_t *s)
{
    double elements = (m + r->nb) * r->nb, flop = elements * r->nb;
    double crossing = sizeof(double) * elements / r->link;
    double there = flop / (HYB_PANEL_PART_THERE * r->device);
    double way = crossings(r) * crossing;

    s->panel = flop / (panel_part * r->team);
    s->link = c.devices > 0.0
                  ? (c.host > 0.0 && !c.spread ? 1.0 : 2.0) * crossing
                  : 0.0;
    if (c.spread && crossings(r) == 0.0)
        way = crossing;
    if (!r->factor || (c.host > 0.0 && !c.spread) || c.devices <= 0.0 ||
        there + way > s->panel + s->link)
        return false;
    s->devices += r->overlaps ? there / r->count / r->npcol : 0.0;
    if (c.host > 0.0)
        s->host += sizeof(double) * elements / r->convert;
    s->panel = there;
    s->link = way;
    return true;
}

/*
 * Add the work of host and devices. A swap on the host moves two rows of U for
 * each panel column, each in a cache line of its own. Devices take so many
 * products of the host's columns that both end together; `panel` is the time in
 * which the team first factors.
 */
static void let_work(const rates_t *r, double m, columns_t c, double panel,
                     hyb_residence_seconds_t *s)
{
    double flop = 2.0 * m * r->nb, solve = r->nb * r->nb;
    double move = flop_of_byte * 5.0 * sizeof(double) * r->nb;
    double swap = thread_flop_of_byte * 2.0 * line * r->nb;
    double work = c.host * (flop + swap + solve / solve_part) / r->team;
    double shared = c.host * flop / r->team;
    double visiting = c.host * flop / r->visitors;

    s->devices += c.devices * (flop + solve + move) / r->devices;
    if (shared + visiting > 0.0 && !c.spread)
        s->share = fmin(1.0, fmax(0.0, work + panel - s->devices) /
                                 (shared + visiting));
    s->host += work - s->share * shared;
    s->devices += s->share * visiting;
}

/* Seconds of an iteration, for m rows of C. */
static hyb_residence_seconds_t iteration(const rates_t *r, double m,
                                         columns_t c)
{
    hyb_residence_seconds_t s = {.total = 0.0};
    double next = fmin(r->nb, c.host + c.devices) * 2.0 * m * r->nb;
    double team, way, beside = visits(r, m, c.guests);

    team = let_factor(r, m, c, &s) ? 0.0 : s.panel / r->npcol;
    let_work(r, m, c, team, &s);
    way = s.link + rows_way(r, fmin(r->nb, c.devices));
    beside += rows_way(r, c.devices / r->count);
    s.link += beside;
    if (!r->overlaps) {
        s.total = fmax(s.host, s.devices) + s.panel + s.link;
        return s;
    }
    next = next / (c.host > 0.0 ? r->team : r->device) + s.panel + way;
    s.total = fmax(fmax(s.host + team, next), fmax(s.devices, beside));
    return s;
}

static void add(hyb_residence_seconds_t *sum, hyb_residence_seconds_t s,
                double times)
{
    sum->panel += times * s.panel;
    sum->link += times * s.link;
    sum->host += times * s.host;
    sum->devices += times * s.devices;
    sum->total += times * s.total;
}

/* The prediction if the team computes the fraction `share` of the columns. */
static hyb_residence_seconds_t predict(const rates_t *rates,
                                       const hpl_shape_t *shape, double share,
                                       double rest, bool guests)
{
    enum { STEPS = 256 }; /* at most; beyond, several panels count as one */
    int64_t panels = xh_units(shape->n, shape->nb);
    int64_t run = xh_units(panels, STEPS);
    double n = shape->n, columns = n / shape->npcol, products = 0.0;
    hyb_residence_seconds_t all = {.total = 0.0}, one;

    for (int64_t k = 0; k < panels; k += run) {
        double left = fmax(0.0, n - (double)(k + 1) * shape->nb);
        double mine = left / shape->npcol;
        double others = fmax(0.0, mine - (1.0 - rest) * columns);
        double host = guests ? share * mine : others + share * (mine - others);
        double times = (double)xh_smaller(run, panels - k);

        one = iteration(rates, left / shape->nprow,
                        (columns_t){host, mine - host,
                                    guests ? (1.0 - share) * others : 0.0,
                                    share > 0.0});
        add(&all, one, times);
        all.share += times * host * left * one.share;
        products += times * host * left;
    }
    all.share = products > 0.0 ? all.share / products : 0.0;
    return all;
}

/* ---- the choice ---------------------------------------------------------- */

/* Read the setting `share`; *share_p is NaN for auto. Returns false if invalid.
 */
static bool read_share(const char *text, double *share_p)
{
    char *end;

    *share_p = NAN;
    if (strcmp(text, "auto") == 0)
        return true;
    *share_p = strtod(text, &end);
    return end != text && *end == '\0' && *share_p >= 0.0 && *share_p <= 1.0;
}

bool hyb_residence_share_is_valid(void)
{
    const char *text = xh_settings_text("share");
    double share;

    if (read_share(text, &share))
        return true;
    xh_log_error("share: '%s' is neither auto nor a number from 0 to 1", text);
    return false;
}

/* The seconds of a run without guests in which the team has a share. */
static double seconds_of_share(const rates_t *rates, const hpl_shape_t *shape,
                               double share)
{
    return predict(rates, shape, share, 0.0, false).total;
}

/*
 * The share with the least seconds, or 0 if the gain is little. Seconds fall
 * while devices end last, and rise while the team does. The team may reach less
 * than its rate, as it also feeds the devices, and then all would wait for it.
 */
static double best_share(rates_t rates, const hpl_shape_t *shape)
{
    enum { HALVINGS = 10 };
    const double little = 0.99, step = 1e-4, sure = 0.9;
    double low = 0.0, high = 1.0;

    rates.team *= sure;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2.0;

        if (seconds_of_share(&rates, shape, middle + step) <
            seconds_of_share(&rates, shape, middle))
            low = middle;
        else
            high = middle;
    }
    return seconds_of_share(&rates, shape, high) <
                   little * seconds_of_share(&rates, shape, 0.0)
               ? high
               : 0.0;
}

static double share_of(const rates_t *rates, const hpl_shape_t *shape)
{
    double share;

    if (!read_share(xh_settings_text("share"), &share))
        return 0.0;
    if (!isnan(share))
        return share;
    return rates->devices > 0.0 && rates->team > 0.0 ? best_share(*rates, shape)
                                                     : 0.0;
}

double hyb_residence_share(const hyb_residence_figures_t *f,
                           const hpl_shape_t *shape)
{
    rates_t rates = rates_of(f, shape);

    return share_of(&rates, shape);
}

hyb_residence_seconds_t
hyb_residence_predict(const hyb_residence_figures_t *figures,
                      const hpl_shape_t *shape, double rest, bool guests)
{
    rates_t rates = rates_of(figures, shape);
    double share = rest > 0.0 && !guests ? 0.0 : share_of(&rates, shape);

    return predict(&rates, shape, share, rest, guests);
}

/* Do columns that live in host memory visit devices as guests? */
static bool columns_visit(void)
{
    return strcmp(xh_settings_text("visit"), "column") == 0;
}

/* If some columns do not fit, part of the memory is for guests' seats. */
double hyb_residence_rest(const hyb_residence_figures_t *figures,
                          const hpl_shape_t *shape, bool *guests_p)
{
    double columns = (double)shape->n / shape->npcol;
    double blocks = hyb_residence_blocks(shape);
    int group = hyb_residence_group(figures, shape);
    /* The devices' fraction of the columns. */
    double devices = 1.0 - hyb_residence_share(figures, shape);
    double there;

    *guests_p = false;
    if (!hyb_residence_is_host() &&
        hyb_residence_room(figures, shape, group, 0) >= blocks * devices)
        return 0.0;
    there = hyb_residence_blocks_there(figures, shape, group, guests_p);
    if (hyb_residence_is_host())
        return 1.0;
    if (*guests_p)
        there = devices > 0.0 ? there / devices : blocks;
    return fmin(1.0, fmax(0.0, blocks - there) * shape->nb / columns);
}

hyb_grouping_t hyb_residence_grouping(const hyb_residence_figures_t *figures,
                                      const hpl_shape_t *shape)
{
    bool guests;
    double rest = hyb_residence_rest(figures, shape, &guests);
    double panels = ceil((double)shape->n / shape->nb);

    return (hyb_grouping_t){.width = hyb_residence_group(figures, shape),
                            .guests = guests ? (int)(rest * panels) + 1 : 0};
}

bool hyb_residence_may_be_device(const char *asked,
                                 const hyb_residence_figures_t *figures)
{
    return figures->devices > 0.0 &&
           (strcmp(asked, "device") == 0 || figures->rate[0] > 0.0) &&
           (strcmp(asked, "host") != 0 || columns_visit());
}

bool hyb_residence_is_device(const char *asked,
                             const hyb_residence_figures_t *figures,
                             const hpl_shape_t *shape)
{
    bool guests;
    double rest;

    if (shape->n == 0)
        return false;
    if (strcmp(asked, "device") == 0)
        return true;
    if (!hyb_residence_may_be_device(asked, figures))
        return false;
    rest = hyb_residence_rest(figures, shape, &guests);
    if (strcmp(asked, "host") == 0)
        return guests;
    return (rest < 1.0 || guests) &&
           hyb_residence_predict(figures, shape, rest, guests).total <
               clearly *
                   hyb_residence_predict(figures, shape, 1.0, false).total;
}
