/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hybrid/device/opencl/opencl.h"
#include "hybrid/device/kernels/groups.h"

/* ---- one launch of a kernel --------------------------------------------- */

typedef struct {
    hyb_opencl_queue_t *queue;
    cl_kernel kernel;
    const char *name;
    cl_uint arguments; /* passed so far */
    cl_int error;      /* the first */
} launch_t;

/* Of program, made when it is first used. Each queue has its own: arguments
 * belong to the kernel. */
static launch_t launch_of(hyb_opencl_queue_t *queue, cl_program program,
                          hyb_opencl_kernel_t which, cl_kernel *kernel)
{
#define NAME_OF(kernel, name) #name,
    static const char *const names[] = {HYB_OPENCL_KERNELS(NAME_OF)};
    launch_t l = {.queue = queue, .name = names[which], .error = CL_SUCCESS};

    if (*kernel == NULL)
        *kernel = hyb_cl.CreateKernel(program, l.name, &l.error);
    l.kernel = *kernel;
    return l;
}

static launch_t launch(hyb_opencl_queue_t *queue, hyb_opencl_kernel_t which)
{
    return launch_of(queue, queue->device->program, which,
                     &queue->kernels[which]);
}

/* The product's program may have changed since the last time. */
static launch_t launch_product(hyb_opencl_queue_t *queue,
                               const hyb_opencl_product_t *product,
                               hyb_opencl_kernel_t which)
{
    ptrdiff_t i = product - queue->device->products;
    cl_kernel *kernels = queue->products[i].kernels;

    if (queue->products[i].version != product->version)
        hyb_opencl_release_kernels(HYB_OPENCL_OF_PRODUCT, kernels);
    queue->products[i].version = product->version;
    return launch_of(queue, product->program, which,
                     &kernels[which - HYB_OPENCL_OTHERS]);
}

static void pass(launch_t *l, const void *value, size_t bytes)
{
    if (l->error == CL_SUCCESS)
        l->error = hyb_cl.SetKernelArg(l->kernel, l->arguments++, bytes, value);
}

static void pass_number(launch_t *l, int64_t number)
{
    pass(l, &number, sizeof(number));
}

static void pass_memory(launch_t *l, cl_mem memory)
{
    pass(l, &memory, sizeof(memory));
}

/* A buffer, and which part of it. */
static void pass_block(launch_t *l, hyb_block_t b)
{
    const cl_long at[] = {b.offset, b.rows, b.cols, b.ld};

    pass_memory(l, b.buffer != NULL ? b.buffer->memory : NULL);
    pass(l, at, sizeof(at));
}

/* Queue it for a grid of x times y groups. */
static xh_status_t run(launch_t *l, int64_t x, int64_t y, const size_t items[2])
{
    const size_t all[] = {(size_t)x * items[0], (size_t)y * items[1]};

    if (l->error == CL_SUCCESS)
        l->error = hyb_cl.EnqueueNDRangeKernel(l->queue->commands, l->kernel, 2,
                                               NULL, all, items, 0, NULL, NULL);
    return hyb_opencl_status(l->queue->device, l->name, l->error);
}

/* For so many rows, each an item's, and so many columns. */
static xh_status_t run_rows(launch_t *l, int64_t rows, int64_t cols)
{
    enum { MOST = 65535 }; /* kernels take more in turn */

    return run(l, xh_units(rows, HYB_OPENCL_ITEMS), xh_smaller(cols, MOST),
               (const size_t[]){HYB_OPENCL_ITEMS, 1});
}

/* ---- moving elements ---------------------------------------------------- */

/* A matrix without gaps on either side crosses as one column. */
static xh_status_t cross(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const hyb_block_t b = t->link.block;
    const xh_view_t h = t->link.host;
    const size_t unit = sizeof(double), here[] = {0, 0, 0};
    const size_t there[] = {(size_t)b.offset * unit, 0, 0};
    const bool whole = b.ld == b.rows && h.ld == h.rows;
    const int64_t rows = whole ? b.rows * b.cols : b.rows;
    const size_t part[] = {(size_t)rows * unit, whole ? 1 : (size_t)b.cols, 1};
    const size_t pitch = whole ? part[0] : (size_t)b.ld * unit;
    const size_t host_pitch = whole ? part[0] : (size_t)h.ld * unit;
    cl_int error;

    if (t->op == HYB_OP_COPY_IN)
        error = hyb_cl.EnqueueWriteBufferRect(
            queue->commands, b.buffer->memory, CL_FALSE, there, here, part,
            pitch, 0, host_pitch, 0, h.data, 0, NULL, NULL);
    else
        error = hyb_cl.EnqueueReadBufferRect(
            queue->commands, b.buffer->memory, CL_FALSE, there, here, part,
            pitch, 0, host_pitch, 0, h.data, 0, NULL, NULL);
    return hyb_opencl_status(queue->device, "queueing a copy", error);
}

static xh_status_t copy(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l = launch(queue, HYB_OPENCL_COPY);

    pass_block(&l, t->copy.from);
    pass_block(&l, t->copy.to);
    return run_rows(&l, t->copy.to.rows, t->copy.to.cols);
}

static xh_status_t swap_rows(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l = launch(queue, HYB_OPENCL_SWAP_ROWS);
    const hyb_row_swap_t *swap = &t->swap_rows;

    pass_block(&l, swap->columns);
    pass_block(&l, swap->u);
    pass_block(&l, swap->source);
    pass_block(&l, swap->from);
    pass_block(&l, swap->to);
    return run(&l, swap->u.cols, 1, (const size_t[]){HYB_OPENCL_ITEMS, 1});
}

static xh_status_t pack_rows(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l =
        launch(queue, t->op == HYB_OP_GATHER_ROWS ? HYB_OPENCL_GATHER_ROWS
                                                  : HYB_OPENCL_SCATTER_ROWS);

    pass_block(&l, t->pack.columns);
    pass_block(&l, t->pack.rows);
    pass_block(&l, t->pack.packed);
    return run_rows(&l, t->pack.packed.rows, t->pack.packed.cols);
}

static xh_status_t generate(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l = launch(queue, HYB_OPENCL_GENERATE);
    const hyb_generate_t *part = &t->generate;

    pass_block(&l, part->block);
    pass(&l, &part->seed, sizeof(part->seed));
    pass_number(&l, part->order);
    pass(&l, &part->rows, sizeof(part->rows));
    pass(&l, &part->cols, sizeof(part->cols));
    pass_memory(&l, queue->device->jumps);
    return run_rows(&l, part->block.rows, part->block.cols);
}

static xh_status_t checksum(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l = launch(queue, HYB_OPENCL_CHECKSUM);

    pass_block(&l, t->checksum.of);
    pass_block(&l, t->checksum.sums);
    return run(&l, t->checksum.sums.cols, 1,
               (const size_t[]){HYB_OPENCL_ITEMS, 1});
}

/* ---- products ----------------------------------------------------------- */

/* Element (i, l) of an operand is number offset + i down + l across. */
typedef struct {
    cl_long offset, rows, depth, down, across;
} operand_t;

static operand_t operand_of(hyb_block_t b, bool transposed)
{
    return transposed ? (operand_t){b.offset, b.cols, b.rows, b.ld, 1}
                      : (operand_t){b.offset, b.rows, b.cols, 1, b.ld};
}

/* What the product's kernels work with. */
typedef struct {
    hyb_opencl_queue_t *queue;
    const hyb_opencl_product_t *product;
} multiplier_t;

static void pass_operand(launch_t *l, cl_mem memory, operand_t at)
{
    pass_memory(l, memory);
    pass(l, &at, sizeof(at));
}

/* Pack it in strips, by the kernel pack_a or pack_b, if products are to be. */
static xh_status_t pack(multiplier_t with, hyb_opencl_kernel_t which,
                        hyb_block_t b, operand_t at)
{
    const hyb_opencl_cut_t *cut = &with.product->cut;
    const bool is_a = which == HYB_OPENCL_PACK_A;
    const int width = is_a ? hyb_opencl_tile_m(cut) : hyb_opencl_tile_n(cut);
    const size_t items =
        cut->items_m * cut->items_n == 1 ? 1 : HYB_OPENCL_ITEMS;
    const int64_t depth = xh_whole_units(at.depth, cut->depth);
    launch_t l;

    if (cut->packed == 0 || depth == 0)
        return XH_OK;
    l = launch_product(with.queue, with.product, which);
    pass_operand(&l, b.buffer->memory, at);
    pass_number(&l, depth);
    pass_memory(&l, is_a ? with.queue->strips_a : with.queue->strips_b);
    return run(&l, xh_units(at.rows, width), xh_units(depth, HYB_OPENCL_PACKED),
               (const size_t[]){items, 1});
}

/* An operand, from its strips if it was packed. */
static void pass_factor(launch_t *l, const hyb_opencl_cut_t *cut, cl_mem strips,
                        hyb_block_t b, operand_t at)
{
    const bool in_place = cut->packed == 0 && b.buffer != NULL;

    if (cut->packed == 1)
        at.depth = xh_whole_units(at.depth, cut->depth);
    pass_operand(l, in_place ? b.buffer->memory : strips, at);
}

/* c := beta c + alpha a b, of one piece that is packed if it has to be */
static xh_status_t multiply(multiplier_t with, const hyb_gemm_t *p)
{
    const hyb_opencl_cut_t *cut = &with.product->cut;
    launch_t l = launch_product(with.queue, with.product, HYB_OPENCL_MULTIPLY);

    pass_factor(&l, cut, with.queue->strips_a, p->a,
                operand_of(p->a, p->trans_a == XH_TRANS));
    pass_factor(&l, cut, with.queue->strips_b, p->b,
                operand_of(p->b, p->trans_b == XH_NO_TRANS));
    pass(&l, &p->alpha, sizeof(p->alpha));
    pass(&l, &p->beta, sizeof(p->beta));
    pass_block(&l, p->c);
    return run(&l,
               xh_units(p->c.rows, hyb_opencl_tile_m(cut)) *
                   xh_units(p->c.cols, hyb_opencl_tile_n(cut)),
               1, (const size_t[]){(size_t)cut->items_m, (size_t)cut->items_n});
}

/* The part of b that holds a part of op(b), as xh_view_op_part. */
static hyb_block_t op_part(hyb_block_t b, xh_trans_t op, int64_t i, int64_t j,
                           int64_t rows, int64_t cols)
{
    return op == XH_NO_TRANS ? hyb_block_part(b, i, j, rows, cols)
                             : hyb_block_part(b, j, i, cols, rows);
}

/* Piece by piece, as working memory allows. */
static xh_status_t product(multiplier_t with, const hyb_gemm_t *p)
{
    enum { SIDE = HYB_OPENCL_SIDE, DEPTH = HYB_OPENCL_DEPTH };
    const int64_t m = p->c.rows, n = p->c.cols,
                  k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;

    for (int64_t j = 0; j < n; j += SIDE)
        for (int64_t l = 0; l == 0 || l < k; l += DEPTH) {
            const int64_t cols = xh_smaller(SIDE, n - j),
                          depth = xh_smaller(DEPTH, k - l);
            hyb_gemm_t piece = *p;

            piece.beta = l == 0 ? p->beta : 1;
            piece.b = op_part(p->b, p->trans_b, l, j, depth, cols);
            XH_TRY(pack(with, HYB_OPENCL_PACK_B, piece.b,
                        operand_of(piece.b, p->trans_b == XH_NO_TRANS)));
            for (int64_t i = 0; i < m; i += SIDE) {
                const int64_t rows = xh_smaller(SIDE, m - i);

                piece.a = op_part(p->a, p->trans_a, i, l, rows, depth);
                piece.c = hyb_block_part(p->c, i, j, rows, cols);
                XH_TRY(pack(with, HYB_OPENCL_PACK_A, piece.a,
                            operand_of(piece.a, p->trans_a == XH_TRANS)));
                XH_TRY(multiply(with, &piece));
            }
        }
    return XH_OK;
}

static multiplier_t multiplier(hyb_opencl_queue_t *queue, int64_t depth)
{
    return (multiplier_t){queue, hyb_opencl_product(queue->device, depth)};
}

static xh_status_t gemm(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const hyb_gemm_t *p = &t->gemm;
    int64_t depth = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;

    return product(multiplier(queue, depth), p);
}

/* ---- the rest of algebra ------------------------------------------------ */

static xh_status_t gemv(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    launch_t l = launch(queue, HYB_OPENCL_GEMV);

    pass_block(&l, t->gemv.a);
    pass_block(&l, t->gemv.x);
    pass_block(&l, t->gemv.y);
    return run_rows(&l, t->gemv.a.rows, 1);
}

/* Inverses of the diagonal blocks of l1, at most as many as there is room. */
static xh_status_t invert(hyb_opencl_queue_t *queue, hyb_block_t l1)
{
    launch_t l = launch(queue, HYB_OPENCL_INVERT);

    pass_block(&l, l1);
    pass_memory(&l, queue->inverses);
    return run(
        &l,
        xh_smaller(xh_units(l1.rows, HYB_OPENCL_INVERTED), HYB_OPENCL_INVERSES),
        1, (const size_t[]){HYB_OPENCL_INVERTED, 1});
}

/*
 * U's rows block by block: solved by the inverse, then subtracted below. C may
 * be B where strips of all of it are packed before: the default's are.
 */
static xh_status_t trsm(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    enum { WIDTH = HYB_OPENCL_INVERTED };
    const hyb_block_t l1 = t->trsm.l1, u = t->trsm.u;
    const multiplier_t with = {queue,
                               &queue->device->products[HYB_OPENCL_DEFAULT]};
    hyb_buffer_t inverses = {.memory = queue->inverses};

    for (int64_t first = 0, slot = 0; first < u.rows; first += WIDTH) {
        const int64_t n = xh_smaller(WIDTH, u.rows - first), next = first + n,
                      left = u.rows - next;
        const hyb_block_t solved = hyb_block_part(u, first, 0, n, u.cols);

        slot = first / WIDTH % HYB_OPENCL_INVERSES;
        if (slot == 0)
            XH_TRY(invert(
                queue, hyb_block_part(l1, first, first, n + left, n + left)));
        XH_TRY(product(
            with,
            &(hyb_gemm_t){.alpha = 1,
                          .a = {&inverses, slot * WIDTH * WIDTH, n, n, WIDTH},
                          .b = solved,
                          .c = solved}));
        if (left > 0)
            XH_TRY(product(
                with,
                &(hyb_gemm_t){.alpha = -1,
                              .beta = 1,
                              .a = hyb_block_part(l1, next, first, left, n),
                              .b = solved,
                              .c = hyb_block_part(u, next, 0, left, u.cols)}));
    }
    return XH_OK;
}

/* ---- panels -------------------------------------------------------------- */

static const hyb_panel_groups_t groups = {HYB_OPENCL_PANEL_GROUPS,
                                          HYB_OPENCL_PANEL_ROWS};

/* Memory for proposals of pivots, of rows that are so wide; what is too small
 * lives on until work that uses it has run. */
static xh_status_t hold_proposals(hyb_opencl_queue_t *queue, int64_t nb)
{
    const size_t bytes =
        (size_t)hyb_proposals_doubles(nb, groups.most) * sizeof(double);

    if (queue->proposals_bytes >= bytes)
        return XH_OK;
    for (int i = 0; i < 2; i++) {
        hyb_opencl_free(queue->device, queue->proposals[i],
                        queue->proposals_bytes);
        queue->proposals[i] = NULL;
    }
    queue->proposals_bytes = bytes;
    for (int i = 0; i < 2; i++)
        XH_TRY(hyb_opencl_allocate(queue->device, bytes, &queue->proposals[i]));
    return XH_OK;
}

/* Column p, whose pivot is one of proposals; leave those for the next one. */
static xh_status_t advance(hyb_opencl_queue_t *queue,
                           const hyb_panel_column_t *p, hyb_block_t pivots,
                           int64_t above, cl_mem proposals)
{
    const size_t items[] = {(size_t)hyb_opencl_panel_items(queue->device), 1};
    const bool apart = p->top.rows > 0;
    const cl_long next = p->column + 1,
                  what[] = {p->column < p->first ? -1 : p->column,
                            next,
                            p->end,
                            apart ? 0 : next,
                            hyb_rows_of_group(&groups, p->panel),
                            above};
    launch_t l = launch(queue, HYB_OPENCL_PANEL_COLUMN);

    pass_block(&l, p->panel);
    pass_block(&l, apart ? p->top : p->panel);
    pass_block(&l, pivots);
    pass_block(&l, p->pivot);
    pass(&l, what, sizeof(what));
    pass_memory(&l, proposals);
    return run(&l, hyb_groups_of(&groups, p->panel), 1, items);
}

static xh_status_t panel_column(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const size_t items[] = {(size_t)hyb_opencl_panel_items(queue->device), 1};
    const hyb_panel_column_t *p = &t->panel_column;
    hyb_buffer_t memory;
    launch_t l;

    XH_TRY(hold_proposals(queue, p->panel.cols));
    memory.memory = queue->proposals[0];
    XH_TRY(advance(queue, p, (hyb_block_t){0}, 0, memory.memory));
    l = launch(queue, HYB_OPENCL_PANEL_PIVOT);
    pass_block(&l, hyb_proposals_of(&groups, p->panel, &memory));
    pass_block(&l, p->pivot);
    return run(&l, 1, 1, items);
}

static xh_status_t step_by_columns(hyb_opencl_queue_t *queue,
                                   hyb_block_t columns, hyb_block_t pivots,
                                   int64_t above)
{
    hyb_panel_column_t p = {.panel = columns, .end = columns.cols};
    hyb_buffer_t memory;

    for (p.column = -1; p.column < p.end; p.column++) {
        memory.memory = queue->proposals[p.column & 1];
        p.pivot = hyb_proposals_of(&groups, columns, &memory);
        XH_TRY(
            advance(queue, &p, pivots, above, queue->proposals[~p.column & 1]));
    }
    return XH_OK;
}

/* Rows change places in the step's columns, and then in the others. */
static xh_status_t panel_step(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const hyb_panel_step_t *s = &t->panel_step;
    const int64_t first = s->first, others = s->panel.cols - s->count;
    const hyb_block_t columns = hyb_step_columns(s);
    const hyb_block_t pivots = hyb_step_pivots(s);
    launch_t l;

    XH_TRY(hold_proposals(queue, s->count));
    XH_TRY(step_by_columns(queue, columns, pivots, first));
    if (others == 0)
        return XH_OK;
    l = launch(queue, HYB_OPENCL_PANEL_SWAP);
    pass_block(&l, s->panel);
    pass_block(&l, pivots);
    pass_number(&l, first);
    return run(&l, others, 1, (const size_t[]){HYB_OPENCL_ITEMS, 1});
}

/* ---- all operations ----------------------------------------------------- */

xh_status_t hyb_opencl_work(void *state, void *queue, const hyb_task_t *task)
{
    static xh_status_t (*const ops[])(hyb_opencl_queue_t *,
                                      const hyb_task_t *) = {
        [HYB_OP_COPY_IN] = cross,
        [HYB_OP_COPY_OUT] = cross,
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
    hyb_opencl_queue_t *q = queue;

    XH_TRY(ops[task->op](q, task));
    return hyb_opencl_status(state, "starting work", hyb_cl.Flush(q->commands));
}
