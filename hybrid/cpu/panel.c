/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/panel.h"

#include <stdlib.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"
#include "hybrid/cpu/pack.h"
#include "hybrid/cpu/panel_private.h"

/* Columns begin .. end - 1, taken in parts of `part` columns. */
typedef struct {
    hyb_panel_worker_t *worker;
    hyb_panel_variant_t variant;
    int begin, end, part;
    bool leaf; /* its parts are columns; else they are factored by recursion */
} stage_t;

static void factor_columns(hyb_panel_worker_t *w, int begin, int end);

/*
 * After the part p .. q - 1
 *
 *     left-looking    U above the next part is finished, the part updated
 *     Crout           the part's own rows of U, then the next part
 *     right-looking   the part's own rows of U, then all columns to the right
 */
static hyb_panel_step_t step_after(const stage_t *s, int p, int q)
{
    int next = (int)xh_smaller(q + s->part, s->end);
    bool left = s->variant == HYB_LEFT, right = s->variant == HYB_RIGHT;

    return (hyb_panel_step_t){.from = right ? p : s->begin,
                              .solve = left ? s->begin : p,
                              .q = q,
                              .solve_end = left ? next : s->end,
                              .update_end = right ? s->end : next};
}

static void factor_stage(const stage_t *s)
{
    hyb_panel_step_t step;
    int p, q;

    for (p = s->begin; p < s->end; p = q) {
        q = (int)xh_smaller(p + s->part, s->end);
        if (s->leaf)
            hyb_panel_elect(s->worker, p);
        else
            factor_columns(s->worker, p, q);
        if (q == s->end)
            return;
        step = step_after(s, p, q);
        hyb_panel_advance(s->worker, &step);
    }
}

/* Columns of a part: whole blocks, dealt evenly. */
static int part_width(const hyb_panel_method_t *method, int cols)
{
    int blocks = (cols - 1) / method->base_cols + 1;

    return ((blocks - 1) / method->parts + 1) * method->base_cols;
}

static void tell_leaf(const hyb_panel_worker_t *w)
{
    if (w->member == 0 && w->panel->leaf != NULL)
        w->panel->leaf(w->panel->context);
}

static void factor_columns(hyb_panel_worker_t *w, int begin, int end)
{
    const hyb_panel_method_t *method = &w->panel->method;
    stage_t s = {.worker = w, .begin = begin, .end = end};

    s.leaf = end - begin <= method->base_cols;
    s.variant = s.leaf ? method->base : method->recursion;
    s.part = s.leaf ? 1 : part_width(method, end - begin);
    if (!s.leaf) {
        factor_stage(&s);
        return;
    }
    tell_leaf(w);
    factor_stage(&s);
    tell_leaf(w);
}

static int64_t tiles_in(const hyb_tiles_t *t)
{
    return (t->rows + t->height - 1) / t->height;
}

/*
 * This member's tiles of a part. The top is dealt for itself: its tiles drop
 * out one by one.
 */
static void deal(const hyb_panel_worker_t *w, hyb_panel_part_t *part)
{
    int64_t count = tiles_in(&part->tiles);

    part->begin = count * w->member / w->members;
    part->end = count * (w->member + 1) / w->members;
}

/* Zeros: whatever a tile is filled up with must not become a NaN. */
static void fill_up(const hyb_panel_part_t *part)
{
    const hyb_tiles_t *t = &part->tiles;
    int64_t rest = t->rows % t->height, i, j;
    double *column;

    if (rest == 0 || part->begin == part->end || part->end != tiles_in(t))
        return;
    for (j = 0; j < t->cols; j++) {
        column = hyb_tiles_at(t, t->rows - rest, j);
        for (i = rest; i < t->height; i++)
            column[i] = 0.0;
    }
}

static void copy_top(const hyb_panel_worker_t *w)
{
    const hyb_panel_part_t *part = &w->parts[HYB_PANEL_TOP];
    int height = part->tiles.height;
    int64_t row = part->begin * height;
    int64_t rows = xh_smaller(part->end * height, part->tiles.rows) - row;

    if (rows > 0)
        hyb_pack(xh_view_part(w->panel->top, row, 0, rows, w->cols),
                 XH_NO_TRANS, 1.0, height, hyb_tiles_at(&part->tiles, row, 0));
}

/* My columns of L1, which is kept by rows until now. */
static void copy_l1(const hyb_panel_worker_t *w)
{
    const hyb_panel_engine_t *engine = w->engine;
    xh_view_t l1 = w->panel->l1;
    int64_t begin = (int64_t)w->cols * w->member / w->members;
    int64_t end = (int64_t)w->cols * (w->member + 1) / w->members, i, j;

    for (j = begin; j < end; j++)
        for (i = 0; i < w->cols; i++)
            l1.data[i + j * l1.ld] = engine->rows[i * engine->ld + j];
}

static hyb_panel_worker_t worker_of(hyb_panel_engine_t *engine,
                                    const hyb_panel_t *panel, int member,
                                    int members)
{
    hyb_panel_worker_t w = {.engine = engine,
                            .panel = panel,
                            .barrier = engine->barriers[members - 1],
                            .member = member,
                            .members = members,
                            .cols = (int)panel->l1.cols};
    hyb_panel_part_t *top = &w.parts[HYB_PANEL_TOP];
    hyb_panel_part_t *body = &w.parts[HYB_PANEL_BODY];

    top->tiles = (hyb_tiles_t){.data = engine->top,
                               .rows = panel->top.rows,
                               .cols = w.cols,
                               .height = engine->kernel->rows};
    body->tiles = panel->body;
    body->row = panel->top.rows;
    deal(&w, top);
    deal(&w, body);
    return w;
}

void hyb_panel_factor(hyb_panel_engine_t *engine, const hyb_panel_t *panel,
                      int member, int members)
{
    hyb_panel_worker_t w = worker_of(engine, panel, member, members);
    hyb_panel_step_t last = {.from = w.cols - 1,
                             .solve = w.cols - 1,
                             .q = w.cols,
                             .solve_end = w.cols,
                             .update_end = w.cols};

    if (member == 0)
        *panel->zero_p = 0;
    copy_top(&w);
    fill_up(&w.parts[HYB_PANEL_BODY]);
    hyb_panel_search(&w);
    factor_columns(&w, 0, w.cols);
    hyb_panel_advance(&w, &last);
    fill_up(&w.parts[HYB_PANEL_BODY]);
    copy_l1(&w);
    hyb_barrier_wait(w.barrier);
}

/* The scratch memory, array by array. */
typedef struct {
    int64_t ld;
    int64_t rows, candidates, current, top, b; /* doubles */
} scratch_t;

static scratch_t scratch_of(const hyb_kernel_t *kernel, int64_t cols,
                            int members)
{
    int64_t ld = (cols + 7) / 8 * 8 + 8; /* columns spread over the cache */

    return (scratch_t){.ld = ld,
                       .rows = cols * ld,
                       .candidates = members * ld,
                       .current = 2 * ld,
                       .top = (hyb_pack_size(cols, cols, kernel->rows) + 7) /
                              8 * 8,
                       .b = hyb_pack_size(cols, cols, kernel->cols)};
}

static int64_t doubles_of(const scratch_t *s)
{
    return s->rows + s->candidates + s->current + s->top + s->b;
}

size_t hyb_panel_engine_doubles(const hyb_kernel_t *kernel, int most_cols,
                                int members)
{
    scratch_t s = scratch_of(kernel, most_cols, members);

    return (size_t)doubles_of(&s);
}

/* All arrays in one block of memory. */
static xh_status_t reserve(hyb_panel_engine_t *engine, int64_t cols)
{
    scratch_t s = scratch_of(engine->kernel, cols, hyb_team_size(engine->team));
    size_t bytes = (size_t)doubles_of(&s) * sizeof(double);
    xh_status_t status;
    void *memory;

    status = xh_memory_allocate(bytes, &memory);
    if (status != XH_OK)
        return status;
    engine->ld = s.ld;
    engine->memory = memory;
    engine->bytes = bytes;
    engine->rows = engine->memory;
    engine->candidates = engine->rows + s.rows;
    engine->current = engine->candidates + s.candidates;
    engine->top = engine->current + s.current;
    engine->b = engine->top + s.top;
    return XH_OK;
}

static xh_status_t create_barriers(hyb_panel_engine_t *engine)
{
    int size = hyb_team_size(engine->team), i;
    xh_status_t status;

    engine->barriers = calloc((size_t)size, sizeof(*engine->barriers));
    engine->offers = aligned_alloc(_Alignof(hyb_panel_offer_t),
                                   (size_t)size * sizeof(*engine->offers));
    if (engine->barriers == NULL || engine->offers == NULL) {
        xh_log_error("cannot allocate for panels of %d threads", size);
        return XH_ERR_MEMORY;
    }
    for (i = 0; i < size; i++) {
        status = hyb_barrier_create(engine->team, i + 1, &engine->barriers[i]);
        if (status != XH_OK)
            return status;
    }
    return XH_OK;
}

xh_status_t hyb_panel_engine_create(hyb_team_t *team,
                                    const hyb_kernel_t *kernel, int most_cols,
                                    hyb_panel_engine_t **engine_p)
{
    hyb_panel_engine_t *engine = calloc(1, sizeof(*engine));
    xh_status_t status;

    if (engine == NULL) {
        xh_log_error("cannot allocate for panels of %d columns", most_cols);
        return XH_ERR_MEMORY;
    }
    engine->team = team;
    engine->kernel = kernel;
    engine->loops = hyb_eliminate_find(kernel->isa);
    status = create_barriers(engine);
    if (status == XH_OK)
        status = reserve(engine, most_cols);
    if (status == XH_OK)
        *engine_p = engine;
    else
        hyb_panel_engine_destroy(engine);
    return status;
}

void hyb_panel_engine_destroy(hyb_panel_engine_t *engine)
{
    int i;

    if (engine == NULL)
        return;
    for (i = 0; engine->barriers != NULL && i < hyb_team_size(engine->team);
         i++)
        hyb_barrier_destroy(engine->barriers[i]);
    if (engine->memory != NULL)
        xh_memory_free(engine->memory, engine->bytes);
    free(engine->barriers);
    free(engine->offers);
    free(engine);
}
