/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hybrid/device/opencl/opencl.h"

/* ---- one launch of a kernel --------------------------------------------- */

typedef struct {
    hyb_opencl_queue_t *queue;
    hyb_opencl_kernel_t which;
    cl_uint arguments; /* passed so far */
    cl_int error;      /* the first */
} launch_t;

#define NAME_OF(kernel, name) #name,
static const char *const names[] = {HYB_OPENCL_KERNELS(NAME_OF)};

/* Each queue has its own kernels: arguments belong to the kernel. */
static launch_t launch(hyb_opencl_queue_t *queue, hyb_opencl_kernel_t which)
{
    launch_t l = {queue, which, 0, CL_SUCCESS};

    if (queue->kernels[which] == NULL)
        queue->kernels[which] =
            hyb_cl.CreateKernel(queue->device->program, names[which], &l.error);
    return l;
}

static void pass(launch_t *l, const void *value, size_t bytes)
{
    if (l->error == CL_SUCCESS)
        l->error = hyb_cl.SetKernelArg(l->queue->kernels[l->which],
                                       l->arguments++, bytes, value);
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
        l->error = hyb_cl.EnqueueNDRangeKernel(l->queue->commands,
                                               l->queue->kernels[l->which], 2,
                                               NULL, all, items, 0, NULL, NULL);
    return hyb_opencl_status(l->queue->device, names[l->which], l->error);
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

/* ---- products ----------------------------------------------------------- */

/* Strips of scale b, or of its transpose, with their depth in whole steps. */
static xh_status_t pack(hyb_opencl_queue_t *queue, hyb_block_t b,
                        bool transposed, double scale, int width, cl_mem strips)
{
    enum { DEPTH = 16 }; /* that an item packs */
    const int64_t rows = transposed ? b.cols : b.rows;
    const int64_t depth =
        xh_whole_units(transposed ? b.rows : b.cols, queue->device->tile.depth);
    const cl_int flag = transposed;
    launch_t l = launch(queue, HYB_OPENCL_PACK);

    if (depth == 0)
        return XH_OK;
    pass_block(&l, b);
    pass(&l, &flag, sizeof(flag));
    pass(&l, &scale, sizeof(scale));
    pass_number(&l, width);
    pass_number(&l, depth);
    pass_memory(&l, strips);
    return run(&l, xh_units(xh_whole_units(rows, width), HYB_OPENCL_ITEMS),
               xh_units(depth, DEPTH), (const size_t[]){HYB_OPENCL_ITEMS, 1});
}

/* c := beta c + the product of the queue's strips */
static xh_status_t multiply(hyb_opencl_queue_t *queue, int64_t depth,
                            double beta, hyb_block_t c)
{
    const hyb_opencl_tile_t t = queue->device->tile;
    launch_t l = launch(queue, HYB_OPENCL_MULTIPLY);

    pass_memory(&l, queue->strips_a);
    pass_memory(&l, queue->strips_b);
    pass_number(&l, xh_whole_units(depth, t.depth));
    pass(&l, &beta, sizeof(beta));
    pass_block(&l, c);
    return run(&l, xh_units(c.cols, t.tile_n), xh_units(c.rows, t.tile_m),
               (const size_t[]){(size_t)t.items_m, (size_t)t.items_n});
}

/* The part of b that holds a part of op(b), as xh_view_op_part. */
static hyb_block_t op_part(hyb_block_t b, xh_trans_t op, int64_t i, int64_t j,
                           int64_t rows, int64_t cols)
{
    return op == XH_NO_TRANS ? hyb_block_part(b, i, j, rows, cols)
                             : hyb_block_part(b, j, i, cols, rows);
}

/*
 * Piece by piece, as working memory allows. A and B are packed before C is
 * written: C may be B, if A is of one piece.
 */
static xh_status_t product(hyb_opencl_queue_t *q, const hyb_gemm_t *p)
{
    enum { SIDE = HYB_OPENCL_SIDE, DEPTH = HYB_OPENCL_DEPTH };
    const int64_t m = p->c.rows, n = p->c.cols,
                  k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;
    const hyb_opencl_tile_t tile = q->device->tile;

    for (int64_t j = 0; j < n; j += SIDE)
        for (int64_t l = 0; l == 0 || l < k; l += DEPTH) {
            const int64_t cols = xh_smaller(SIDE, n - j),
                          depth = xh_smaller(DEPTH, k - l);

            XH_TRY(pack(q, op_part(p->b, p->trans_b, l, j, depth, cols),
                        p->trans_b == XH_NO_TRANS, 1, tile.tile_n,
                        q->strips_b));
            for (int64_t i = 0; i < m; i += SIDE) {
                const int64_t rows = xh_smaller(SIDE, m - i);

                XH_TRY(pack(q, op_part(p->a, p->trans_a, i, l, rows, depth),
                            p->trans_a == XH_TRANS, p->alpha, tile.tile_m,
                            q->strips_a));
                XH_TRY(multiply(q, depth, l == 0 ? p->beta : 1,
                                hyb_block_part(p->c, i, j, rows, cols)));
            }
        }
    return XH_OK;
}

static xh_status_t gemm(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    return product(queue, &t->gemm);
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

/* U's rows block by block: solved by the inverse, then subtracted below. */
static xh_status_t trsm(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    enum { WIDTH = HYB_OPENCL_INVERTED };
    const hyb_block_t l1 = t->trsm.l1, u = t->trsm.u;
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
            queue,
            &(hyb_gemm_t){.alpha = 1,
                          .a = {&inverses, slot * WIDTH * WIDTH, n, n, WIDTH},
                          .b = solved,
                          .c = solved}));
        if (left > 0)
            XH_TRY(product(
                queue,
                &(hyb_gemm_t){.alpha = -1,
                              .beta = 1,
                              .a = hyb_block_part(l1, next, first, left, n),
                              .b = solved,
                              .c = hyb_block_part(u, next, 0, left, u.cols)}));
    }
    return XH_OK;
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
    };
    hyb_opencl_queue_t *q = queue;

    XH_TRY(ops[task->op](q, task));
    return hyb_opencl_status(state, "starting work", hyb_cl.Flush(q->commands));
}
