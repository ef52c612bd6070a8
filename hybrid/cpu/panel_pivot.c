/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>
#include "hybrid/cpu/panel_private.h"

/* Row `local` is in the part returned, at *row_p; NULL: it is not mine. */
static const hyb_panel_part_t *part_of(const hyb_panel_worker_t *w,
                                       int64_t local, int64_t *row_p)
{
    int i;

    for (i = 0; i < HYB_PANEL_PARTS; i++) {
        const hyb_panel_part_t *part = &w->parts[i];
        int64_t row = local - part->row;

        if (row >= part->begin * part->tiles.height && row < part->tiles.rows &&
            row < part->end * part->tiles.height) {
            *row_p = row;
            return part;
        }
    }
    return NULL;
}

/* Copy row `local` out if it is mine. */
static void take_row(const hyb_panel_worker_t *w, int64_t local, double *to)
{
    int64_t row, height, j;
    const hyb_panel_part_t *part = part_of(w, local, &row);
    const double *from;

    if (part == NULL)
        return;
    height = part->tiles.height;
    from = hyb_tiles_at(&part->tiles, row, 0);
    for (j = 0; j < w->cols; j++)
        to[j] = from[j * height];
}

static void put_row(const hyb_panel_worker_t *w, int64_t local,
                    const double *from)
{
    int64_t row, height, j;
    const hyb_panel_part_t *part = part_of(w, local, &row);
    double *to;

    if (part == NULL)
        return;
    height = part->tiles.height;
    to = hyb_tiles_at(&part->tiles, row, 0);
    for (j = 0; j < w->cols; j++)
        to[j * height] = from[j];
}

static double *current_row(const hyb_panel_worker_t *w, int c)
{
    return w->engine->current + c % 2 * w->engine->ld;
}

static bool better(hyb_candidate_t a, hyb_candidate_t b)
{
    return a.key > b.key || (a.key == b.key && a.row < b.row);
}

/* The member with the best candidate; of equal ones the first row's. */
static int winner(const hyb_panel_worker_t *w)
{
    const hyb_panel_offer_t *offers = w->engine->offers;
    int best = 0, i;

    for (i = 1; i < w->members; i++)
        if (better(offers[i].best, offers[best].best))
            best = i;
    return best;
}

static void choose(const hyb_panel_worker_t *w, int c)
{
    hyb_panel_engine_t *engine = w->engine;
    const hyb_panel_t *panel = w->panel;
    int best = winner(w);
    int64_t row = engine->offers[best].best.row;
    hyb_pivot_t pivot = {.key = engine->offers[best].best.key,
                         .row = row,
                         .mine = true,
                         .candidate = engine->candidates + best * engine->ld,
                         .current = current_row(w, c)};

    if (panel->agree != NULL)
        panel->agree(panel->context, c, &pivot);
    engine->place = pivot.mine ? row : -1;
    panel->pivot[c] = pivot.row;
    if (pivot.candidate[c] == 0.0 && *panel->zero_p == 0)
        *panel->zero_p = c + 1;
    memcpy(engine->rows + c * engine->ld, pivot.candidate,
           (size_t)w->cols * sizeof(double));
}

void hyb_panel_elect(hyb_panel_worker_t *w, int c)
{
    hyb_panel_engine_t *engine = w->engine;

    engine->offers[w->member].best = w->best;
    take_row(w, w->best.row, engine->candidates + w->member * engine->ld);
    if (w->parts[HYB_PANEL_TOP].tiles.rows > 0)
        take_row(w, c, current_row(w, c));
    hyb_barrier_wait(w->barrier);
    if (w->member == 0)
        choose(w, c);
}

void hyb_panel_settle(const hyb_panel_worker_t *w, int c)
{
    put_row(w, w->engine->place, current_row(w, c));
}
