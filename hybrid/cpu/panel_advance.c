/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include "base/integers.h"
#include "hybrid/cpu/panel_private.h"

/* From so many operations on, all members take part in finding U. */
static const double shared_work = 16384;

/* Pack - U in count columns from j on, and compute its new rows. */
static void prepare_group(const hyb_panel_worker_t *w,
                          const hyb_panel_step_t *step, int j, int count)
{
    const hyb_panel_engine_t *engine = w->engine;
    int cols = engine->kernel->cols, depth = step->q - step->from, i, k;
    double *b = engine->b + (int64_t)(j - step->q) * depth, *to = b;
    double *row;

    for (i = step->from; i < step->q; i++, to += cols) {
        row = engine->rows + i * engine->ld + j;
        for (k = 0; k < count; k++)
            to[k] = -row[k];
        for (; k < cols; k++)
            to[k] = 0.0;
    }
    engine->loops->substitute(engine->rows + step->from * engine->ld +
                                  step->from,
                              engine->ld, step->solve - step->from, depth, b);
    for (i = step->solve; i < step->q; i++) {
        row = engine->rows + i * engine->ld + j;
        for (k = 0; k < count; k++)
            row[k] = -b[(i - step->from) * cols + k];
    }
}

static void prepare_groups(const hyb_panel_worker_t *w,
                           const hyb_panel_step_t *step, int first, int stride)
{
    int cols = w->engine->kernel->cols, j;

    for (j = step->q + first * cols; j < step->solve_end; j += stride * cols)
        prepare_group(w, step, j, (int)xh_smaller(cols, step->solve_end - j));
}

/* After this all members know pivot q - 1 and - U. */
static void prepare(const hyb_panel_worker_t *w, const hyb_panel_step_t *step)
{
    double depth = step->q - step->from;

    if (depth * depth * (step->solve_end - step->q) < shared_work) {
        if (w->member == 0)
            prepare_groups(w, step, 0, 1);
    } else {
        hyb_barrier_wait(w->barrier);
        prepare_groups(w, step, w->member, w->members);
    }
    hyb_barrier_wait(w->barrier);
}

static void divide(const hyb_panel_part_t *part, int c, double pivot)
{
    int64_t row, end = part->end * part->tiles.height;

    for (row = part->begin * part->tiles.height; row < end; row++)
        *hyb_tiles_at(&part->tiles, row, c) /= pivot;
}

/*
 * What column c is to be multiplied by. The inverse of a tiny pivot may be no
 * number: then the division is done here, and 1 remains.
 */
static double scale_of(const hyb_panel_worker_t *w, int c)
{
    double pivot = w->engine->rows[c * w->engine->ld + c];
    int p;

    if (pivot == 0.0)
        return 1.0;
    if (!(fabs(pivot) < DBL_MIN))
        return 1.0 / pivot;
    for (p = 0; p < HYB_PANEL_PARTS; p++)
        divide(&w->parts[p], c, pivot);
    return 1.0;
}

/* The largest of the live elements of column c in tile i. */
static void scan(hyb_panel_worker_t *w, const hyb_panel_part_t *part, int64_t i,
                 int c)
{
    const hyb_tiles_t *t = &part->tiles;
    int64_t row = xh_larger(i * t->height, part->alive);
    int64_t end = xh_smaller((i + 1) * t->height, t->rows);

    for (; row < end; row++) {
        double x = *hyb_tiles_at(t, row, c);
        double key = isnan(x) ? INFINITY : fabs(x);

        if (key > w->best.key)
            w->best = (hyb_candidate_t){.key = key, .row = part->row + row};
    }
}

static void start_search(hyb_panel_worker_t *w)
{
    w->best = (hyb_candidate_t){.key = -1.0, .row = -1};
}

void hyb_panel_search(hyb_panel_worker_t *w)
{
    int64_t i;
    int p;

    start_search(w);
    for (p = 0; p < HYB_PANEL_PARTS; p++)
        for (i = w->parts[p].begin; i < w->parts[p].end; i++)
            scan(w, &w->parts[p], i, 0);
}

/* Tiles from tile i on of which all rows are candidates. */
static int64_t whole_tiles(const hyb_panel_part_t *part, int64_t i)
{
    const hyb_tiles_t *t = &part->tiles;

    if (i * t->height < part->alive)
        return 0;
    return xh_smaller(part->end, t->rows / t->height) - i;
}

static void advance_part(hyb_panel_worker_t *w, const hyb_panel_part_t *part,
                         const hyb_panel_step_t *step,
                         const hyb_elimination_t *e)
{
    const hyb_tiles_t *t = &part->tiles;
    int64_t i = xh_larger(part->begin, part->alive / t->height), count;
    hyb_candidate_t found;

    for (; i < part->end; i += xh_larger(count, 1)) {
        count = whole_tiles(part, i);
        found = w->engine->loops->eliminate(
            e, hyb_tiles_at(t, i * t->height, step->from), t->height * t->cols,
            xh_larger(count, 1));
        if (count == 0 && e->cols > 0)
            scan(w, part, i, step->q);
        if (count > 0 && found.key > w->best.key)
            w->best = (hyb_candidate_t){
                .key = found.key, .row = part->row + i * t->height + found.row};
    }
}

void hyb_panel_advance(hyb_panel_worker_t *w, const hyb_panel_step_t *step)
{
    hyb_elimination_t e = {.depth = step->q - step->from,
                           .cols = step->update_end - step->q,
                           .b = w->engine->b,
                           .multiply = w->engine->kernel->multiply};
    int p;

    prepare(w, step);
    hyb_panel_settle(w, step->q - 1);
    e.scale = scale_of(w, step->q - 1);
    start_search(w);
    w->parts[HYB_PANEL_TOP].alive = step->q;
    for (p = 0; p < HYB_PANEL_PARTS; p++)
        advance_part(w, &w->parts[p], step, &e);
}
