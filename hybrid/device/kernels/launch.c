/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/kernels/launch.h"

#include <string.h>
#include "base/integers.h"

/* ---- one launch ---------------------------------------------------------- */

void hyb_launch_pass(hyb_launch_t *launch, const void *value, size_t bytes)
{
    const int i = launch->count++;

    launch->argument[i].bytes = bytes;
    memcpy(launch->argument[i].value, value, bytes);
}

static void pass_pointer(hyb_launch_t *launch, const void *memory)
{
    hyb_launch_pass(launch, &memory, sizeof(memory));
}

void hyb_launch_pass_block(hyb_launch_t *launch, hyb_device_view_t b)
{
    const int64_t part[] = {b.offset, b.rows, b.cols, b.ld};

    pass_pointer(launch, b.buffer != NULL ? b.buffer->memory : NULL);
    hyb_launch_pass(launch, part, sizeof(part));
}

hyb_launch_t hyb_launch_of_rows(int kernel, int64_t rows, int64_t cols)
{
    enum { MOST = 65535 }; /* groups loop over more columns */

    return (hyb_launch_t){.kernel = kernel,
                          .x = xh_units(rows, HYB_LAUNCH_ITEMS),
                          .y = xh_smaller(cols, MOST)};
}

/* ---- rows, entries, sums ------------------------------------------------- */

static xh_status_t swap_rows(const hyb_launcher_t *by, const hyb_task_t *t)
{
    const hyb_row_swap_t *swap = &t->swap_rows;
    hyb_launch_t l = {HYB_LAUNCH_SWAP_ROWS, .x = swap->u.cols, .y = 1};

    hyb_launch_pass_block(&l, swap->columns);
    hyb_launch_pass_block(&l, swap->u);
    hyb_launch_pass_block(&l, swap->source);
    hyb_launch_pass_block(&l, swap->from);
    hyb_launch_pass_block(&l, swap->to);
    return by->launch(by->queue, &l);
}

static xh_status_t pack_rows(const hyb_launcher_t *by, const hyb_task_t *t)
{
    const hyb_device_view_t packed = t->pack.packed;
    hyb_launch_t l = hyb_launch_of_rows(t->op == HYB_OP_GATHER_ROWS
                                            ? HYB_LAUNCH_GATHER_ROWS
                                            : HYB_LAUNCH_SCATTER_ROWS,
                                        packed.rows, packed.cols);

    hyb_launch_pass_block(&l, t->pack.columns);
    hyb_launch_pass_block(&l, t->pack.rows);
    hyb_launch_pass_block(&l, packed);
    return by->launch(by->queue, &l);
}

static xh_status_t generate(const hyb_launcher_t *by, const hyb_task_t *t)
{
    const hyb_generate_t *part = &t->generate;
    hyb_launch_t l = hyb_launch_of_rows(HYB_LAUNCH_GENERATE, part->block.rows,
                                        part->block.cols);

    hyb_launch_pass_block(&l, part->block);
    hyb_launch_pass(&l, &part->seed, sizeof(part->seed));
    hyb_launch_pass(&l, &part->order, sizeof(part->order));
    hyb_launch_pass(&l, &part->rows, sizeof(part->rows));
    hyb_launch_pass(&l, &part->cols, sizeof(part->cols));
    pass_pointer(&l, by->jump_table);
    return by->launch(by->queue, &l);
}

static xh_status_t checksum(const hyb_launcher_t *by, const hyb_task_t *t)
{
    hyb_launch_t l = {HYB_LAUNCH_CHECKSUM, .x = t->checksum.sums.cols, .y = 1};

    hyb_launch_pass_block(&l, t->checksum.of);
    hyb_launch_pass_block(&l, t->checksum.sums);
    return by->launch(by->queue, &l);
}

/* ---- panels -------------------------------------------------------------- */

int64_t hyb_launch_proposals(int64_t nb, int64_t groups)
{
    return nb + groups * (nb + 2);
}

/* Rows of a panel per group. */
static int64_t rows_of_group(const hyb_launcher_t *by, hyb_device_view_t panel)
{
    enum { LEAST = 256 };

    return xh_larger(LEAST, xh_units(panel.rows, by->panel_groups));
}

static int64_t groups_of(const hyb_launcher_t *by, hyb_device_view_t panel)
{
    return xh_larger(1, xh_units(panel.rows, rows_of_group(by, panel)));
}

/* The part of `memory` that the groups of the panel fill. */
static hyb_device_view_t proposals_of(const hyb_launcher_t *by,
                                      hyb_device_view_t panel,
                                      hyb_buffer_t *memory)
{
    return hyb_device_view(
        memory, 0, hyb_launch_proposals(panel.cols, groups_of(by, panel)), 1);
}

static xh_status_t hold(const hyb_launcher_t *by, int64_t nb, void *vector_p[2])
{
    return by->hold(by->queue, hyb_launch_proposals(nb, by->panel_groups),
                    vector_p);
}

/* Process column p, with a pivot chosen from `proposals`, and leave proposals
 * for the next column. */
static xh_status_t advance(const hyb_launcher_t *by,
                           const hyb_panel_column_t *p,
                           hyb_device_view_t pivots, int64_t above,
                           const void *proposals)
{
    const bool apart = p->top.rows > 0;
    const int64_t next = p->column + 1;
    const hyb_launch_step_t step = {
        p->column < p->first ? -1 : p->column, next, p->end, apart ? 0 : next,
        rows_of_group(by, p->panel),           above};
    hyb_launch_t l = {HYB_LAUNCH_PANEL_COLUMN, .x = groups_of(by, p->panel),
                      .y = 1};

    hyb_launch_pass_block(&l, p->panel);
    hyb_launch_pass_block(&l, apart ? p->top : p->panel);
    hyb_launch_pass_block(&l, pivots);
    hyb_launch_pass_block(&l, p->pivot);
    hyb_launch_pass(&l, &step, sizeof(step));
    pass_pointer(&l, proposals);
    return by->launch(by->queue, &l);
}

static xh_status_t panel_column(const hyb_launcher_t *by, const hyb_task_t *t)
{
    const hyb_panel_column_t *p = &t->panel_column;
    hyb_launch_t l = {HYB_LAUNCH_PANEL_PIVOT, .x = 1, .y = 1};
    hyb_buffer_t memory;
    void *vector[2];

    XH_TRY(hold(by, p->panel.cols, vector));
    memory.memory = vector[0];
    XH_TRY(advance(by, p, (hyb_device_view_t){0}, 0, vector[0]));
    hyb_launch_pass_block(&l, proposals_of(by, p->panel, &memory));
    hyb_launch_pass_block(&l, p->pivot);
    return by->launch(by->queue, &l);
}

hyb_device_view_t hyb_launch_step_columns(const hyb_panel_step_t *s)
{
    return hyb_device_view_part(s->panel, s->first, s->first,
                                s->panel.rows - s->first, s->count);
}

hyb_device_view_t hyb_launch_step_pivots(const hyb_panel_step_t *s)
{
    return hyb_device_view_part(s->pivots, s->first, 0, s->count, 1);
}

xh_status_t hyb_launch_step_swap(const hyb_launcher_t *by,
                                 const hyb_panel_step_t *s)
{
    hyb_launch_t l = {HYB_LAUNCH_PANEL_SWAP, .x = s->panel.cols - s->count,
                      .y = 1};

    if (l.x == 0)
        return XH_OK;
    hyb_launch_pass_block(&l, s->panel);
    hyb_launch_pass_block(&l, hyb_launch_step_pivots(s));
    hyb_launch_pass(&l, &s->first, sizeof(s->first));
    return by->launch(by->queue, &l);
}

static xh_status_t panel_step(const hyb_launcher_t *by, const hyb_task_t *t)
{
    const hyb_panel_step_t *s = &t->panel_step;
    hyb_panel_column_t p = {.panel = hyb_launch_step_columns(s),
                            .end = s->count};
    hyb_buffer_t memory;
    void *vector[2];

    XH_TRY(hold(by, HYB_PANEL_STEP, vector));
    for (p.column = -1; p.column < p.end; p.column++) {
        memory.memory = vector[p.column & 1];
        p.pivot = proposals_of(by, p.panel, &memory);
        XH_TRY(advance(by, &p, hyb_launch_step_pivots(s), s->first,
                       vector[~p.column & 1]));
    }
    return hyb_launch_step_swap(by, s);
}

/* ---- all of them --------------------------------------------------------- */

xh_status_t hyb_launch_task(const hyb_launcher_t *by, const hyb_task_t *task)
{
    static xh_status_t (*const ops[HYB_OPS])(const hyb_launcher_t *,
                                             const hyb_task_t *) = {
        [HYB_OP_SWAP_ROWS] = swap_rows,       [HYB_OP_GATHER_ROWS] = pack_rows,
        [HYB_OP_SCATTER_ROWS] = pack_rows,    [HYB_OP_GENERATE] = generate,
        [HYB_OP_CHECKSUM] = checksum,         [HYB_OP_PANEL_STEP] = panel_step,
        [HYB_OP_PANEL_COLUMN] = panel_column,
    };

    return ops[task->op](by, task);
}
