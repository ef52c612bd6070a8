/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/rates.h"

#include <math.h>
#include <stdlib.h>
#include "hpl/comm/schedule.h"

static double slope(const hyb_model_curve_t *curve, int from, int to)
{
    return (curve->seconds[to] - curve->seconds[from]) /
           (curve->rows[to] - curve->rows[from]);
}

double hyb_model_curve_at(const hyb_model_curve_t *curve, double rows)
{
    const double *x = curve->rows, *y = curve->seconds;
    int to = 1, last = curve->count - 1;

    if (curve->count == 0)
        return 0.0;
    while (to < last && rows > x[to])
        to++;
    if (rows > x[last])
        return y[last] + (rows - x[last]) * fmax(0.0, slope(curve, 0, last));
    return fmax(0.0, y[to] + (rows - x[to]) * slope(curve, to - 1, to));
}

static void scale(hyb_model_curve_t *curve, double factor)
{
    for (int i = 0; i < curve->count; i++)
        curve->seconds[i] *= factor;
}

void hyb_model_width_scale(hyb_model_width_t *width, double work, double panels)
{
    enum { WORK, PANEL, MESSAGE };
    const double by[] = {[WORK] = work, [PANEL] = panels, [MESSAGE] = 1.0};

#define SCALE(name, kind) scale(&width->name, by[kind]);
    HYB_MODEL_CURVES(SCALE)
#undef SCALE
}

void hyb_model_slow_down(hyb_model_rates_t *rates, double factor)
{
    rates->sweep /= factor;
    rates->ceiling /= fmax(1.0, factor);
    rates->process /= fmax(1.0, factor);
    for (int i = 0; i < rates->widths; i++)
        hyb_model_width_scale(&rates->width[i], factor, factor);
}

/* Return the seconds of a panel with `threads` threads, from the seconds with
 * one and with `most` threads. */
static double by_amdahl(double alone, double team, int most, double threads)
{
    static const double usual = 0.2; /* serial fraction if unknown */
    double serial = usual;

    if (most > 1)
        serial = (team / alone - 1.0 / most) / (1.0 - 1.0 / most);
    serial = fmin(1.0, fmax(0.0, serial));
    return alone * (serial + (1.0 - serial) / threads);
}

void hyb_model_share_out(hyb_model_rates_t *rates, double part)
{
    int most = rates->threads;
    int threads = (int)fmax(1.0, round(most * part));

    for (int i = 0; i < rates->widths; i++) {
        hyb_model_width_t *width = &rates->width[i];

        for (int j = 0; j < width->team.count; j++)
            width->team.seconds[j] = by_amdahl(
                width->alone.seconds[j], width->team.seconds[j], most, threads);
        hyb_model_width_scale(width, 1.0 / part, 1.0);
    }
    rates->sweep *= part;
    rates->process *= part;
    rates->threads = threads;
}

hyb_model_width_t hyb_model_of_width(const hyb_model_rates_t *rates, int nb)
{
    hyb_model_width_t width = rates->width[0];
    double factor;

    for (int i = 1; i < rates->widths; i++)
        if (abs(rates->width[i].nb - nb) < abs(width.nb - nb))
            width = rates->width[i];
    factor = (double)nb / width.nb;
    hyb_model_width_scale(&width, factor, factor * factor);
    width.nb = nb;
    return width;
}

/* ---- messages between processes ------------------------------------------ */

double hyb_messages_transfer(const hyb_model_link_t *link, double bytes)
{
    return link->bandwidth > 0.0 ? link->latency + bytes / link->bandwidth
                                 : 0.0;
}

int hyb_messages_rounds(int processes)
{
    int rounds = 0;

    while (1 << rounds < processes)
        rounds++;
    return rounds;
}

/* Return where the second ring begins, or npcol if there is no second ring. */
static int second_ring(int bcast, int npcol)
{
    int first = bcast % 2 == 1 ? 2 : 1;

    return bcast >= 2 ? first + (npcol - first + 1) / 2 : npcol;
}

/*
 * The root sends the whole message first to the process that factors next, then
 * to the rings, which share its link. In a ring, HPL_PIECES_TOGETHER pieces at
 * a time are passed on.
 */
static double along_ring(const hyb_model_link_t *link, int bcast, int npcol,
                         int distance, double bytes)
{
    int modified = bcast % 2, second = second_ring(bcast, npcol);
    int hops = distance - (distance >= second ? second : 1 + modified);
    double pieces = (double)hpl_message_pieces((size_t)bytes / sizeof(double));
    double passed = bytes * fmin(1.0, HPL_PIECES_TOGETHER / pieces);

    if (modified && distance == 1)
        return hyb_messages_transfer(link, bytes);
    return modified * bytes / link->bandwidth +
           hyb_messages_transfer(link, second < npcol ? 2.0 * bytes : bytes) +
           hops * hyb_messages_transfer(link, passed);
}

double hyb_messages_broadcast(const hyb_model_link_t *link, int bcast,
                              int npcol, int distance, double bytes)
{
    int members = npcol - (bcast == 5);

    if (distance == 0 || link->bandwidth <= 0.0)
        return 0.0;
    if (bcast < 4 || members < 2 || (bcast == 5 && distance == 1))
        return along_ring(link, bcast < 4 ? bcast : 1, npcol, distance, bytes);
    return (hyb_messages_rounds(members) + members - 1) * link->latency +
           2.0 * bytes * (members - 1) / members / link->bandwidth;
}

int hyb_messages_copies(int bcast, int npcol, int distance)
{
    bool modified = bcast % 2 == 1;

    if (npcol == 1)
        return 0;
    if (distance == 0)
        return 1 + (modified && npcol > 2) + (bcast >= 2 && npcol > 3);
    return (modified && distance == 1) || (bcast < 4 && distance == npcol - 1)
               ? 1
               : 2;
}
