/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/panel/panel.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "base/integers.h"
#include "hybrid/cpu/panel/scratch.h"

/* Rows of the panel in tiles, of the top or of the body. Each member owns some
 * tiles. */
typedef struct {
    hyb_tiles_t tiles;
    int64_t row;        /* local number of the first row */
    int64_t begin, end; /* tiles owned by this member */
    int64_t alive;      /* rows before this one belong to L1 */
} strip_t;

enum { TOP, BODY, STRIPS };

/* One member's part of a factorization. */
typedef struct {
    hyb_panel_scratch_t *scratch;
    const hyb_panel_t *panel;
    hyb_barrier_t *barrier;
    int member, members;
    int cols; /* columns of the panel */
    strip_t strips[STRIPS];
    hyb_candidate_t best; /* this member's candidate for the next pivot */
} worker_t;

/*
 * The work between pivot q - 1 and pivot q, with columns from .. q - 1 of L:
 *
 *     U's rows solve .. q - 1 are finished in columns q .. solve_end - 1
 *     the member's rows are updated in columns q .. update_end - 1
 */
typedef struct {
    int from, solve, q, solve_end, update_end;
} step_t;

/* ---- pivots -------------------------------------------------------------- */

/* Address of local row number `local`, whose elements are `height` doubles
 * apart; NULL if this member does not own it. */
static double *row_at(const worker_t *w, int64_t local)
{
    for (int i = 0; i < STRIPS; i++) {
        const strip_t *strip = &w->strips[i];
        const hyb_tiles_t *t = &strip->tiles;
        int64_t row = local - strip->row;

        if (row >= strip->begin * t->height && row < strip->end * t->height &&
            row < t->rows)
            return hyb_tiles_at(t, row, 0);
    }
    return NULL;
}

/* Copy local row number `local` to `to` if this member owns it. */
static void take_row(const worker_t *w, int64_t local, double *to)
{
    const double *from = row_at(w, local);
    int64_t height = w->scratch->kernel->rows;

    for (int64_t j = 0; j < w->cols && from != NULL; j++)
        to[j] = from[j * height];
}

static void put_row(const worker_t *w, int64_t local, const double *from)
{
    double *to = row_at(w, local);
    int64_t height = w->scratch->kernel->rows;

    for (int64_t j = 0; j < w->cols && to != NULL; j++)
        to[j * height] = from[j];
}

static double *current_row(const worker_t *w, int c)
{
    return w->scratch->current + c % 2 * w->scratch->ld;
}

/* The member with the best candidate; ties go to the first row. */
static int winner(const worker_t *w)
{
    const hyb_panel_offer_t *offers = w->scratch->offers;
    int best = 0;

    for (int i = 1; i < w->members; i++) {
        hyb_candidate_t x = offers[i].best, so_far = offers[best].best;

        if (x.key > so_far.key || (x.key == so_far.key && x.row < so_far.row))
            best = i;
    }
    return best;
}

/* Decide on pivot c from all members' candidates, together with other processes
 * that hold rows. */
static void decide(const worker_t *w, int c)
{
    hyb_panel_scratch_t *scratch = w->scratch;
    const hyb_panel_t *panel = w->panel;
    int best = winner(w);
    int64_t row = scratch->offers[best].best.row;
    hyb_pivot_t pivot = {.key = scratch->offers[best].best.key,
                         .row = row,
                         .mine = true,
                         .candidate = scratch->candidates + best * scratch->ld,
                         .current = current_row(w, c)};

    if (panel->agree != NULL)
        panel->agree(panel->context, &pivot);
    scratch->pivot_row = pivot.mine ? row : -1;
    panel->pivot[c] = pivot.row;
    if (pivot.candidate[c] == 0.0 && *panel->zero_p == 0)
        *panel->zero_p = c + 1;
    memcpy(scratch->rows + c * scratch->ld, pivot.candidate,
           (size_t)w->cols * sizeof(double));
}

/*
 * Agree on the pivot of column c. Member 0 then knows the pivot; the other
 * members know it after the next barrier.
 */
static void elect(worker_t *w, int c)
{
    hyb_panel_scratch_t *scratch = w->scratch;

    scratch->offers[w->member].best = w->best;
    take_row(w, w->best.row, scratch->candidates + w->member * scratch->ld);
    if (w->strips[TOP].tiles.rows > 0)
        take_row(w, c, current_row(w, c));
    hyb_barrier_wait(w->barrier);
    if (w->member == 0)
        decide(w, c);
}

/* ---- between two pivots -------------------------------------------------- */

/* From this number of operations on, all members take part in finding U. */
static const double shared_work = 16384;

/* Pack -U in `count` columns from j on, and compute the new rows of U. */
static void prepare_group(const worker_t *w, const step_t *step, int j,
                          int count)
{
    const hyb_panel_scratch_t *scratch = w->scratch;
    int cols = scratch->kernel->cols, depth = step->q - step->from, k;
    double *b = scratch->b + (int64_t)(j - step->q) * depth, *to = b;
    double *row;

    for (int i = step->from; i < step->q; i++, to += cols) {
        row = scratch->rows + i * scratch->ld + j;
        for (k = 0; k < count; k++)
            to[k] = -row[k];
        for (; k < cols; k++)
            to[k] = 0.0;
    }
    scratch->kernel->substitute(
        scratch->rows + step->from * scratch->ld + step->from, scratch->ld,
        step->solve - step->from, depth, b);
    for (int i = step->solve; i < step->q; i++) {
        row = scratch->rows + i * scratch->ld + j;
        for (k = 0; k < count; k++)
            row[k] = -b[(i - step->from) * cols + k];
    }
}

/* Prepare -U and pivot q - 1; afterwards all members know both. */
static void prepare(const worker_t *w, const step_t *step)
{
    double depth = step->q - step->from;
    bool shared = depth * depth * (step->solve_end - step->q) >= shared_work;
    int cols = w->scratch->kernel->cols, members = shared ? w->members : 1;

    if (shared)
        hyb_barrier_wait(w->barrier);
    for (int j = step->q + w->member * cols;
         w->member < members && j < step->solve_end; j += members * cols)
        prepare_group(w, step, j, (int)xh_smaller(cols, step->solve_end - j));
    hyb_barrier_wait(w->barrier);
}

/*
 * The factor by which column c is to be multiplied. The inverse of a tiny pivot
 * may overflow: then divide here and return 1.
 */
static double scale_of(const worker_t *w, int c)
{
    double pivot = w->scratch->rows[c * w->scratch->ld + c];

    if (pivot == 0.0)
        return 1.0;
    if (!(fabs(pivot) < DBL_MIN))
        return 1.0 / pivot;
    for (int p = 0; p < STRIPS; p++) {
        const hyb_tiles_t *t = &w->strips[p].tiles;
        int64_t end = w->strips[p].end * t->height;

        for (int64_t row = w->strips[p].begin * t->height; row < end; row++)
            *hyb_tiles_at(t, row, c) /= pivot;
    }
    return 1.0;
}

/* Find the largest live element of column c in tile i. */
static void scan(worker_t *w, const strip_t *strip, int64_t i, int c)
{
    const hyb_tiles_t *t = &strip->tiles;
    int64_t row = xh_larger(i * t->height, strip->alive);
    int64_t end = xh_smaller((i + 1) * t->height, t->rows);

    for (; row < end; row++) {
        double x = *hyb_tiles_at(t, row, c);
        double key = isnan(x) ? INFINITY : fabs(x);

        if (key > w->best.key)
            w->best = (hyb_candidate_t){.key = key, .row = strip->row + row};
    }
}

static const hyb_candidate_t none = {.key = -1.0, .row = -1};

/* Find this member's candidate for pivot 0. */
static void search(worker_t *w)
{
    w->best = none;
    for (int p = 0; p < STRIPS; p++)
        for (int64_t i = w->strips[p].begin; i < w->strips[p].end; i++)
            scan(w, &w->strips[p], i, 0);
}

/* Number of tiles, from tile i on, all of whose rows are candidates. */
static int64_t whole_tiles(const strip_t *strip, int64_t i)
{
    const hyb_tiles_t *t = &strip->tiles;

    if (i * t->height < strip->alive)
        return 0;
    return xh_smaller(strip->end, t->rows / t->height) - i;
}

static void advance_strip(worker_t *w, const strip_t *strip, const step_t *step,
                          const hyb_elimination_t *e)
{
    const hyb_tiles_t *t = &strip->tiles;
    int64_t i = xh_larger(strip->begin, strip->alive / t->height), count;
    hyb_candidate_t found;

    for (; i < strip->end; i += xh_larger(count, 1)) {
        count = whole_tiles(strip, i);
        found = w->scratch->kernel->eliminate(
            e, hyb_tiles_at(t, i * t->height, step->from), t->height * t->cols,
            xh_larger(count, 1));
        if (count == 0 && e->cols > 0)
            scan(w, strip, i, step->q);
        if (count > 0 && found.key > w->best.key)
            w->best = (hyb_candidate_t){.key = found.key,
                                        .row = strip->row + i * t->height +
                                               found.row};
    }
}

/*
 * Move the top's row to the place of pivot row q - 1, divide its column by the
 * pivot, update the member's rows, and find its candidate for pivot q.
 * Afterwards all members know pivot q - 1.
 */
static void advance(worker_t *w, const step_t *step)
{
    hyb_elimination_t e = {.depth = step->q - step->from,
                           .cols = step->update_end - step->q,
                           .b = w->scratch->b};

    prepare(w, step);
    put_row(w, w->scratch->pivot_row, current_row(w, step->q - 1));
    e.scale = scale_of(w, step->q - 1);
    w->best = none;
    w->strips[TOP].alive = step->q;
    for (int p = 0; p < STRIPS; p++)
        advance_strip(w, &w->strips[p], step, &e);
}

/* ---- recursion ----------------------------------------------------------- */

/* Columns begin .. end - 1, processed in parts of `part` columns. */
typedef struct {
    hyb_panel_variant_t variant;
    int begin, end, part;
} stage_t;

/*
 * The step after the part p .. q - 1:
 *
 *     left-looking    finish U above the next part, update the part
 *     Crout           finish the part's own rows of U, update the next part
 *     right-looking   finish the part's own rows of U, update all later columns
 */
static step_t step_after(const stage_t *s, int p, int q)
{
    int next = (int)xh_smaller(q + s->part, s->end);
    bool left = s->variant == HYB_LEFT, right = s->variant == HYB_RIGHT;

    return (step_t){.from = right ? p : s->begin,
                    .solve = left ? s->begin : p,
                    .q = q,
                    .solve_end = left ? next : s->end,
                    .update_end = right ? s->end : next};
}

/* Columns per part, in whole blocks of base_cols, dealt evenly. */
static int part_width(const hyb_panel_method_t *method, int cols)
{
    int64_t blocks = xh_units(cols, method->base_cols);

    return (int)xh_units(blocks, method->parts) * method->base_cols;
}

static stage_t stage_of(const hyb_panel_method_t *method, int begin, int end)
{
    bool leaf = end - begin <= method->base_cols;

    return (stage_t){.variant = leaf ? method->base : method->recursion,
                     .begin = begin,
                     .end = end,
                     .part = leaf ? 1 : part_width(method, end - begin)};
}

static void tell_leaf(const worker_t *w)
{
    if (w->member == 0 && w->panel->leaf != NULL)
        w->panel->leaf(w->panel->context);
}

/* Factor columns begin .. end - 1. Parts of a leaf are single columns; other
 * parts are factored by recursion. */
static void factor_columns(worker_t *w, int begin, int end)
{
    const hyb_panel_method_t *method = &w->panel->method;
    bool leaf = end - begin <= method->base_cols;
    stage_t s = stage_of(method, begin, end);

    if (leaf)
        tell_leaf(w);
    for (int p = begin, q; p < end; p = q) {
        q = (int)xh_smaller(p + s.part, end);
        if (leaf)
            elect(w, p);
        else
            factor_columns(w, p, q);
        if (q < end) {
            step_t step = step_after(&s, p, q);

            advance(w, &step);
        }
    }
    if (leaf)
        tell_leaf(w);
}

void hyb_panel_replay(const hyb_panel_method_t *method, int begin, int end,
                      int *applied, hyb_panel_pivot_fn_t at, void *context)
{
    bool leaf = end - begin <= method->base_cols;
    stage_t s = stage_of(method, begin, end);

    for (int p = begin, q; p < end; p = q) {
        q = (int)xh_smaller(p + s.part, end);
        if (leaf)
            at(context, p);
        else
            hyb_panel_replay(method, p, q, applied, at, context);
        for (int j = q; q < end && j < step_after(&s, p, q).update_end; j++)
            applied[j] = q;
    }
}

/* ---- the panel ----------------------------------------------------------- */

/* Deal this member its tiles of a strip. Tiles of the top drop out one by one
 * as rows join L1. */
static void deal(const worker_t *w, strip_t *strip)
{
    int64_t count = xh_units(strip->tiles.rows, strip->tiles.height);

    strip->begin = count * w->member / w->members;
    strip->end = count * (w->member + 1) / w->members;
}

/* Pad the last tile with zeros, so that no NaN arises in it. */
static void fill_up(const strip_t *strip)
{
    const hyb_tiles_t *t = &strip->tiles;
    int64_t rest = t->rows % t->height;
    double *column;

    if (rest == 0 || strip->begin == strip->end ||
        strip->end != xh_units(t->rows, t->height))
        return;
    for (int64_t j = 0; j < t->cols; j++) {
        column = hyb_tiles_at(t, t->rows - rest, j);
        for (int64_t i = rest; i < t->height; i++)
            column[i] = 0.0;
    }
}

static void copy_top(const worker_t *w)
{
    const strip_t *strip = &w->strips[TOP];
    int height = strip->tiles.height;
    int64_t row = strip->begin * height;
    int64_t rows = xh_smaller(strip->end * height, strip->tiles.rows) - row;

    if (rows > 0)
        hyb_pack(xh_view_part(w->panel->top, row, 0, rows, w->cols),
                 XH_NO_TRANS, 1.0, height, hyb_tiles_at(&strip->tiles, row, 0));
}

/* Copy this member's columns of L1, which was stored by rows until now. */
static void copy_l1(const worker_t *w)
{
    const hyb_panel_scratch_t *scratch = w->scratch;
    xh_view_t l1 = w->panel->l1;
    int64_t begin = (int64_t)w->cols * w->member / w->members;
    int64_t end = (int64_t)w->cols * (w->member + 1) / w->members;

    for (int64_t j = begin; j < end; j++)
        for (int64_t i = 0; i < w->cols; i++)
            l1.data[i + j * l1.ld] = scratch->rows[i * scratch->ld + j];
}

void hyb_panel_factor(hyb_panel_scratch_t *scratch, const hyb_panel_t *panel,
                      int member, int members)
{
    int nb = (int)panel->l1.cols;
    step_t last = {.from = nb - 1, .solve = nb - 1, nb, nb, nb};
    worker_t w = {.scratch = scratch,
                  .panel = panel,
                  .barrier = scratch->barriers[members - 1],
                  .member = member,
                  .members = members,
                  .cols = nb};
    strip_t *top = &w.strips[TOP], *body = &w.strips[BODY];

    top->tiles = (hyb_tiles_t){.data = scratch->top,
                               .rows = panel->top.rows,
                               .cols = nb,
                               .height = scratch->kernel->rows};
    body->tiles = panel->body;
    body->row = panel->top.rows;
    deal(&w, top);
    deal(&w, body);
    if (member == 0)
        *panel->zero_p = 0;
    copy_top(&w);
    fill_up(body);
    search(&w);
    factor_columns(&w, 0, nb);
    advance(&w, &last);
    fill_up(body);
    copy_l1(&w);
    hyb_barrier_wait(w.barrier);
}
