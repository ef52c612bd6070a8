/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hybrid/device/cuda/cuda.h"
#include "hybrid/device/kernels/groups.h"

/* Where a block is; NULL if it has no buffer, for want of elements. */
static double *address(hyb_block_t b)
{
    double *memory = b.buffer != NULL ? b.buffer->memory : NULL;

    return memory != NULL ? memory + b.offset : NULL;
}

/* ---- copies ------------------------------------------------------------- */

static xh_view_t view_of(hyb_block_t b)
{
    return (xh_view_t){address(b), b.rows, b.cols, b.ld};
}

static xh_status_t move(hyb_cuda_queue_t *queue, xh_view_t from, xh_view_t to,
                        enum cudaMemcpyKind kind)
{
    size_t column = (size_t)from.rows * sizeof(double);
    size_t columns = (size_t)from.cols;
    bool whole = columns == 1 || (from.ld == from.rows && to.ld == to.rows);

    return hyb_cuda_status(
        queue->device, "queueing a copy",
        whole ? cudaMemcpyAsync(to.data, from.data, columns * column, kind,
                                queue->stream)
              : cudaMemcpy2DAsync(to.data, (size_t)to.ld * sizeof(double),
                                  from.data, (size_t)from.ld * sizeof(double),
                                  column, columns, kind, queue->stream));
}

static xh_status_t copy_in(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    return move(queue, t->link.host, view_of(t->link.block),
                cudaMemcpyHostToDevice);
}

static xh_status_t copy_out(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    return move(queue, view_of(t->link.block), t->link.host,
                cudaMemcpyDeviceToHost);
}

static xh_status_t copy(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    return move(queue, view_of(t->copy.from), view_of(t->copy.to),
                cudaMemcpyDeviceToDevice);
}

/* ---- algebra, by cuBLAS ------------------------------------------------- */

static const double one = 1.0, minus_one = -1.0;

static cublasOperation_t operation(xh_trans_t trans)
{
    return trans == XH_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* Where an operand is: cuBLAS wants a valid address of each. */
static const double *operand(hyb_block_t b, hyb_block_t otherwise)
{
    return b.rows > 0 && b.cols > 0 ? address(b) : address(otherwise);
}

static xh_status_t gemm(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_gemm_t *p = &t->gemm;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dgemm",
        queue->device->blas->dgemm(
            queue->blas, operation(p->trans_a), operation(p->trans_b),
            p->c.rows, p->c.cols,
            p->trans_a == XH_TRANS ? p->a.rows : p->a.cols, &p->alpha,
            operand(p->a, p->c), p->a.ld, operand(p->b, p->c), p->b.ld,
            &p->beta, address(p->c), p->c.ld));
}

static xh_status_t trsm(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_block_t l1 = t->trsm.l1, u = t->trsm.u;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dtrsm",
        queue->device->blas->dtrsm(queue->blas, CUBLAS_SIDE_LEFT,
                                   CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                                   CUBLAS_DIAG_UNIT, u.rows, u.cols, &one,
                                   address(l1), l1.ld, address(u), u.ld));
}

static xh_status_t gemv(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_block_t a = t->gemv.a;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dgemv",
        queue->device->blas->dgemv(
            queue->blas, CUBLAS_OP_N, a.rows, a.cols, &minus_one, address(a),
            a.ld, address(t->gemv.x), 1, &one, address(t->gemv.y), 1));
}

/* ---- our kernels -------------------------------------------------------- */

/* The arguments of a launch. A block is two: its buffer, and the part of it as
 * block_t of hybrid/device/kernels. */
typedef struct {
    struct {
        const void *memory;
        int64_t offset, rows, cols, ld;
    } block[5];
    void *list[10];
    int blocks, count;
} arguments_t;

static void pass(arguments_t *a, const void *value)
{
    a->list[a->count++] = (void *)(uintptr_t)value;
}

static void pass_block(arguments_t *a, hyb_block_t b)
{
    const int i = a->blocks++;

    a->block[i].memory = b.buffer != NULL ? b.buffer->memory : NULL;
    a->block[i].offset = b.offset;
    a->block[i].rows = b.rows;
    a->block[i].cols = b.cols;
    a->block[i].ld = b.ld;
    pass(a, &a->block[i].memory);
    pass(a, &a->block[i].offset);
}

/* Queue it for a grid of x times y groups; those of panel_step meet. */
static xh_status_t launch(hyb_cuda_queue_t *queue, hyb_cuda_kernel_t which,
                          arguments_t *a, int64_t x, int64_t y)
{
    const unsigned items =
        which >= HYB_CUDA_PANEL_COLUMN ? HYB_CUDA_PANEL_ITEMS : HYB_CUDA_ITEMS;
    const cudaKernel_t kernel = queue->device->kernels[which];
    const struct dim3 grid = {(unsigned)x, (unsigned)y, 1},
                      group = {items, 1, 1};

    return hyb_cuda_status(
        queue->device, hyb_cuda_kernel_name(which),
        which == HYB_CUDA_PANEL_STEP
            ? cudaLaunchCooperativeKernel(kernel, grid, group, a->list, 0,
                                          queue->stream)
            : cudaLaunchKernel(kernel, grid, group, a->list, 0, queue->stream));
}

/* For so many rows, each an item's, and so many columns. */
static xh_status_t launch_rows(hyb_cuda_queue_t *queue, hyb_cuda_kernel_t which,
                               arguments_t *a, int64_t rows, int64_t cols)
{
    enum { MOST = 65535 }; /* kernels take more in turn */

    return launch(queue, which, a, xh_units(rows, HYB_CUDA_ITEMS),
                  xh_smaller(cols, MOST));
}

static xh_status_t swap_rows(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_row_swap_t *swap = &t->swap_rows;
    arguments_t a = {.count = 0};

    pass_block(&a, swap->columns);
    pass_block(&a, swap->u);
    pass_block(&a, swap->source);
    pass_block(&a, swap->from);
    pass_block(&a, swap->to);
    return launch(queue, HYB_CUDA_SWAP_ROWS, &a, swap->u.cols, 1);
}

static xh_status_t pack_rows(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    arguments_t a = {.count = 0};

    pass_block(&a, t->pack.columns);
    pass_block(&a, t->pack.rows);
    pass_block(&a, t->pack.packed);
    return launch_rows(queue,
                       t->op == HYB_OP_GATHER_ROWS ? HYB_CUDA_GATHER_ROWS
                                                   : HYB_CUDA_SCATTER_ROWS,
                       &a, t->pack.packed.rows, t->pack.packed.cols);
}

static xh_status_t generate(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_generate_t *part = &t->generate;
    arguments_t a = {.count = 0};

    pass_block(&a, part->block);
    pass(&a, &part->seed);
    pass(&a, &part->order);
    pass(&a, &part->rows);
    pass(&a, &part->cols);
    pass(&a, &queue->device->jumps);
    return launch_rows(queue, HYB_CUDA_GENERATE, &a, part->block.rows,
                       part->block.cols);
}

static xh_status_t checksum(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    arguments_t a = {.count = 0};

    pass_block(&a, t->checksum.of);
    pass_block(&a, t->checksum.sums);
    return launch(queue, HYB_CUDA_CHECKSUM, &a, t->checksum.sums.cols, 1);
}

/* ---- panels ------------------------------------------------------------- */

void hyb_cuda_proposals_free(hyb_cuda_queue_t *queue)
{
    if (queue->proposals != NULL)
        hyb_cuda_status(queue->device, "freeing memory",
                        cudaFree(queue->proposals));
    queue->proposals = NULL;
    queue->proposals_longest = 0;
}

/* Of a launch a column. */
static const hyb_panel_groups_t groups = {HYB_CUDA_PANEL_GROUPS,
                                          HYB_CUDA_PANEL_ROWS};

_Static_assert(HYB_CUDA_PANEL_COLUMNS == HYB_PANEL_STEP,
               "panel_step has registers for so many columns");

/* Of one launch, whose groups have their rows in registers. */
enum { HELD_ROWS = HYB_CUDA_PANEL_HELD * HYB_CUDA_PANEL_ITEMS };

/* What comes behind the two vectors of proposals: the turn of each group. */
static void *arrived(const hyb_cuda_queue_t *queue)
{
    return queue->proposals + 2 * queue->proposals_longest;
}

/* Memory for proposals of pivots, of rows that are so wide. CUDA frees what is
 * too small after all work that is queued. */
static xh_status_t hold_proposals(hyb_cuda_queue_t *queue, int64_t nb)
{
    const int64_t longest = hyb_proposals_doubles(nb, groups.most);
    const size_t turns = (size_t)groups.most * sizeof(uint64_t);
    void *memory;

    if (queue->proposals_longest >= longest)
        return XH_OK;
    hyb_cuda_proposals_free(queue);
    XH_TRY(hyb_cuda_status(
        queue->device, "allocating memory",
        cudaMalloc(&memory, (size_t)(2 * longest) * sizeof(double) + turns)));
    queue->proposals = memory;
    queue->proposals_longest = longest;
    return hyb_cuda_status(
        queue->device, "clearing memory",
        cudaMemsetAsync(arrived(queue), 0, turns, queue->stream));
}

typedef struct { /* panel_step_t of hybrid/device/kernels */
    int64_t column, next, end, done, rows_of_group, above;
} step_t;

/* Column p, whose pivot is one of proposals; leave those for the next one. */
static xh_status_t advance(hyb_cuda_queue_t *queue, const hyb_panel_column_t *p,
                           hyb_block_t pivots, int64_t above,
                           const double *proposals)
{
    const int64_t next = p->column + 1;
    const step_t step = {.column = p->column < p->first ? -1 : p->column,
                         .next = next,
                         .end = p->end,
                         .done = p->top.rows > 0 ? 0 : next,
                         .rows_of_group = hyb_rows_of_group(&groups, p->panel),
                         .above = above};
    arguments_t a = {.count = 0};

    pass_block(&a, p->panel);
    pass_block(&a, p->top.rows > 0 ? p->top : p->panel);
    pass_block(&a, pivots);
    pass_block(&a, p->pivot);
    pass(&a, &step);
    pass(&a, &proposals);
    return launch(queue, HYB_CUDA_PANEL_COLUMN, &a,
                  hyb_groups_of(&groups, p->panel), 1);
}

static xh_status_t panel_column(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_panel_column_t *p = &t->panel_column;
    arguments_t a = {.count = 0};
    hyb_buffer_t memory;

    XH_TRY(hold_proposals(queue, p->panel.cols));
    memory.memory = queue->proposals;
    XH_TRY(advance(queue, p, (hyb_block_t){0}, 0, queue->proposals));
    pass_block(&a, hyb_proposals_of(&groups, p->panel, &memory));
    pass_block(&a, p->pivot);
    return launch(queue, HYB_CUDA_PANEL_PIVOT, &a, 1, 1);
}

/* All columns of a step, in one launch, whose groups wait for each other. */
static xh_status_t step_at_once(hyb_cuda_queue_t *queue, hyb_block_t columns,
                                hyb_block_t pivots, int64_t above)
{
    const hyb_panel_groups_t all = {groups.most, HELD_ROWS};
    const step_t step = {.rows_of_group = HELD_ROWS, .above = above};
    const uint64_t turn = queue->turn + 1;
    const void *turns = arrived(queue);
    arguments_t a = {.count = 0};
    hyb_buffer_t memory = {.memory = queue->proposals};

    pass_block(&a, columns);
    pass_block(&a, pivots);
    pass_block(&a, hyb_proposals_of(&all, columns, &memory));
    pass(&a, &step);
    pass(&a, &turn);
    pass(&a, &turns);
    queue->turn += HYB_PANEL_STEP;
    return launch(queue, HYB_CUDA_PANEL_STEP, &a, hyb_groups_of(&all, columns),
                  1);
}

static xh_status_t step_by_columns(hyb_cuda_queue_t *queue, hyb_block_t columns,
                                   hyb_block_t pivots, int64_t above)
{
    hyb_buffer_t memory = {.memory = queue->proposals};
    hyb_panel_column_t p = {.panel = columns,
                            .end = columns.cols,
                            .column = -1,
                            .pivot =
                                hyb_proposals_of(&groups, columns, &memory)};
    int64_t other;

    for (; p.column < p.end; p.column++) {
        other = p.pivot.rows - p.pivot.offset;
        XH_TRY(advance(queue, &p, pivots, above, queue->proposals + other));
        p.pivot.offset = other;
    }
    return XH_OK;
}

/* Rows change places in the step's columns, and then in the others. */
static xh_status_t panel_step(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_panel_step_t *s = &t->panel_step;
    const int64_t first = s->first, others = s->panel.cols - s->count;
    const hyb_block_t columns = hyb_step_columns(s);
    const hyb_block_t pivots = hyb_step_pivots(s);
    const int64_t most = xh_smaller(queue->device->panel_groups, groups.most);
    arguments_t a = {.count = 0};

    XH_TRY(hold_proposals(queue, HYB_PANEL_STEP));
    XH_TRY(columns.rows <= most * HELD_ROWS
               ? step_at_once(queue, columns, pivots, first)
               : step_by_columns(queue, columns, pivots, first));
    if (others == 0)
        return XH_OK;
    pass_block(&a, s->panel);
    pass_block(&a, pivots);
    pass(&a, &first);
    return launch(queue, HYB_CUDA_PANEL_SWAP, &a, others, 1);
}

/* ---- all operations ----------------------------------------------------- */

xh_status_t hyb_cuda_work(void *state, void *queue, const hyb_task_t *task)
{
    static xh_status_t (*const ops[])(hyb_cuda_queue_t *,
                                      const hyb_task_t *) = {
        [HYB_OP_COPY_IN] = copy_in,
        [HYB_OP_COPY_OUT] = copy_out,
        [HYB_OP_GEMM] = gemm,
        [HYB_OP_COPY] = copy,
        [HYB_OP_SWAP_ROWS] = swap_rows,
        [HYB_OP_GATHER_ROWS] = pack_rows,
        [HYB_OP_SCATTER_ROWS] = pack_rows,
        [HYB_OP_TRSM] = trsm,
        [HYB_OP_GEMV] = gemv,
        [HYB_OP_GENERATE] = generate,
        [HYB_OP_CHECKSUM] = checksum,
        [HYB_OP_PANEL_STEP] = panel_step,
        [HYB_OP_PANEL_COLUMN] = panel_column,
    };

    (void)state;
    return ops[task->op](queue, task);
}
