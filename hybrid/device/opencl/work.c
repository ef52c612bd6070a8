/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hybrid/device/opencl/opencl.h"

/* ---- one launch of a kernel --------------------------------------------- */

/* Run a kernel of `program`, which is created at its first use. Each queue has
 * kernels of its own, because arguments belong to a kernel. */
static xh_status_t run(hyb_opencl_queue_t *queue, cl_program program,
                       cl_kernel *kernel, const hyb_launch_t *l,
                       const size_t items[2])
{
#define NAME_OF(kernel, name) #name,
    static const char *const names[] = {HYB_OPENCL_KERNELS(NAME_OF)};
    const size_t all[] = {(size_t)l->x * items[0], (size_t)l->y * items[1]};
    cl_int error = CL_SUCCESS;

    if (*kernel == NULL)
        *kernel = hyb_cl.CreateKernel(program, names[l->kernel], &error);
    for (int i = 0; i < l->count && error == CL_SUCCESS; i++)
        error = hyb_cl.SetKernelArg(*kernel, (cl_uint)i, l->argument[i].bytes,
                                    l->argument[i].value);
    if (error == CL_SUCCESS)
        error = hyb_cl.EnqueueNDRangeKernel(queue->commands, *kernel, 2, NULL,
                                            all, items, 0, NULL, NULL);
    return hyb_opencl_status(queue->device, names[l->kernel], error);
}

/* Launch any kernel except the product's. */
static xh_status_t launch(void *state, const hyb_launch_t *l)
{
    hyb_opencl_queue_t *queue = state;
    const bool is_panel = l->kernel == HYB_OPENCL_PANEL_COLUMN ||
                          l->kernel == HYB_OPENCL_PANEL_PIVOT;
    const size_t items[] = {is_panel
                                ? (size_t)hyb_opencl_panel_items(queue->device)
                                : HYB_OPENCL_ITEMS,
                            1};

    return run(queue, queue->device->program, &queue->kernels[l->kernel], l,
               items);
}

/* Launch a kernel of the product, whose program may have changed since the last
 * launch. */
static xh_status_t launch_product(hyb_opencl_queue_t *queue,
                                  const hyb_opencl_product_t *product,
                                  const hyb_launch_t *l, const size_t items[2])
{
    ptrdiff_t i = product - queue->device->products;
    cl_kernel *kernels = queue->products[i].kernels;

    if (queue->products[i].version != product->version)
        hyb_opencl_release_kernels(HYB_OPENCL_OF_PRODUCT, kernels);
    queue->products[i].version = product->version;
    return run(queue, product->program, &kernels[l->kernel - HYB_OPENCL_OTHERS],
               l, items);
}

/* Provide memory for proposed pivots; memory that is too small is freed once
 * work that uses it has run. */
static xh_status_t hold_proposals(void *state, int64_t doubles,
                                  void *vector_p[2])
{
    hyb_opencl_queue_t *queue = state;
    const size_t bytes = (size_t)doubles * sizeof(double);

    if (queue->proposals[1] == NULL || queue->proposals_bytes < bytes) {
        for (int i = 0; i < 2; i++) {
            hyb_opencl_free(queue->device, queue->proposals[i],
                            queue->proposals_bytes);
            queue->proposals[i] = NULL;
        }
        queue->proposals_bytes = bytes;
        for (int i = 0; i < 2; i++)
            XH_TRY(hyb_opencl_allocate(queue->device, bytes,
                                       &queue->proposals[i]));
    }
    for (int i = 0; i < 2; i++)
        vector_p[i] = queue->proposals[i];
    return XH_OK;
}

static xh_status_t by_kernel(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const hyb_launcher_t by = {queue, launch, hold_proposals,
                               queue->device->jump_table,
                               HYB_OPENCL_PANEL_GROUPS};

    return hyb_launch_task(&by, t);
}

static void pass_number(hyb_launch_t *l, int64_t number)
{
    hyb_launch_pass(l, &number, sizeof(number));
}

static void pass_memory(hyb_launch_t *l, cl_mem memory)
{
    hyb_launch_pass(l, &memory, sizeof(memory));
}

/* ---- moving elements ---------------------------------------------------- */

/* Copy a matrix; without gaps on either side, it is copied as one column. */
static xh_status_t cross(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    const hyb_device_view_t b = t->link.block;
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
    hyb_launch_t l =
        hyb_launch_of_rows(HYB_OPENCL_COPY, t->copy.to.rows, t->copy.to.cols);

    hyb_launch_pass_block(&l, t->copy.from);
    hyb_launch_pass_block(&l, t->copy.to);
    return launch(queue, &l);
}

/* ---- products ----------------------------------------------------------- */

/* Element (i, l) of an operand is number offset + i * down + l * across of its
 * buffer. */
typedef struct {
    cl_long offset, rows, depth, down, across;
} operand_t;

static operand_t operand_of(hyb_device_view_t b, bool transposed)
{
    return transposed ? (operand_t){b.offset, b.cols, b.rows, b.ld, 1}
                      : (operand_t){b.offset, b.rows, b.cols, 1, b.ld};
}

/* The queue and product that the functions below use. */
typedef struct {
    hyb_opencl_queue_t *queue;
    const hyb_opencl_product_t *product;
} multiplier_t;

static void pass_operand(hyb_launch_t *l, cl_mem memory, operand_t at)
{
    pass_memory(l, memory);
    hyb_launch_pass(l, &at, sizeof(at));
}

/* Pack an operand in strips, by the kernel pack_a or pack_b, if the product
 * needs that. */
static xh_status_t pack(multiplier_t with, hyb_opencl_kernel_t which,
                        hyb_device_view_t b, operand_t at)
{
    const hyb_opencl_config_t *config = &with.product->config;
    const bool is_a = which == HYB_OPENCL_PACK_A;
    const int width =
        is_a ? hyb_opencl_tile_m(config) : hyb_opencl_tile_n(config);
    const size_t items =
        config->items_m * config->items_n == 1 ? 1 : HYB_OPENCL_ITEMS;
    const int64_t depth = xh_whole_units(at.depth, config->depth);
    hyb_launch_t l = {which, .x = xh_units(at.rows, width),
                      .y = xh_units(depth, HYB_OPENCL_PACKED)};

    if (config->packed == 0 || depth == 0)
        return XH_OK;
    pass_operand(&l, b.buffer->memory, at);
    pass_number(&l, depth);
    pass_memory(&l, is_a ? with.queue->strips_a : with.queue->strips_b);
    return launch_product(with.queue, with.product, &l,
                          (const size_t[]){items, 1});
}

/* Pass an operand, or its strips if it was packed. */
static void pass_factor(hyb_launch_t *l, const hyb_opencl_config_t *config,
                        cl_mem strips, hyb_device_view_t b, operand_t at)
{
    const bool in_place = config->packed == 0 && b.buffer != NULL;

    if (config->packed == 1)
        at.depth = xh_whole_units(at.depth, config->depth);
    pass_operand(l, in_place ? b.buffer->memory : strips, at);
}

/* c := beta c + alpha a b, for one piece; operands are packed if necessary */
static xh_status_t multiply(multiplier_t with, const hyb_gemm_t *p)
{
    const hyb_opencl_config_t *config = &with.product->config;
    hyb_launch_t l = {HYB_OPENCL_MULTIPLY,
                      .x = xh_units(p->c.rows, hyb_opencl_tile_m(config)) *
                           xh_units(p->c.cols, hyb_opencl_tile_n(config)),
                      .y = 1};

    pass_factor(&l, config, with.queue->strips_a, p->a,
                operand_of(p->a, p->trans_a == XH_TRANS));
    pass_factor(&l, config, with.queue->strips_b, p->b,
                operand_of(p->b, p->trans_b == XH_NO_TRANS));
    hyb_launch_pass(&l, &p->alpha, sizeof(p->alpha));
    hyb_launch_pass(&l, &p->beta, sizeof(p->beta));
    hyb_launch_pass_block(&l, p->c);
    return launch_product(
        with.queue, with.product, &l,
        (const size_t[]){(size_t)config->items_m, (size_t)config->items_n});
}

/* The part of b that holds a part of op(b), like xh_view_op_part. */
static hyb_device_view_t op_part(hyb_device_view_t b, xh_trans_t op, int64_t i,
                                 int64_t j, int64_t rows, int64_t cols)
{
    return op == XH_NO_TRANS ? hyb_device_view_part(b, i, j, rows, cols)
                             : hyb_device_view_part(b, j, i, cols, rows);
}

/* Multiply piece by piece, as working memory allows. */
static xh_status_t product(multiplier_t with, const hyb_gemm_t *p)
{
    enum { SIDE = HYB_OPENCL_SIDE, DEPTH = HYB_OPENCL_DEPTH };
    const int64_t m = p->c.rows, n = p->c.cols, k = hyb_gemm_depth(p);

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
                piece.c = hyb_device_view_part(p->c, i, j, rows, cols);
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
    return product(multiplier(queue, hyb_gemm_depth(&t->gemm)), &t->gemm);
}

/* ---- the rest of algebra ------------------------------------------------ */

static xh_status_t gemv(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    hyb_launch_t l = hyb_launch_of_rows(HYB_OPENCL_GEMV, t->gemv.a.rows, 1);

    hyb_launch_pass_block(&l, t->gemv.a);
    hyb_launch_pass_block(&l, t->gemv.x);
    hyb_launch_pass_block(&l, t->gemv.y);
    return launch(queue, &l);
}

/* Invert the diagonal blocks of l1, at most as many as working memory holds. */
static xh_status_t invert(hyb_opencl_queue_t *queue, hyb_device_view_t l1)
{
    const int64_t blocks = xh_units(l1.rows, HYB_OPENCL_INVERTED);
    hyb_launch_t l = {HYB_OPENCL_INVERT,
                      .x = xh_smaller(blocks, HYB_OPENCL_INVERSES), .y = 1};

    hyb_launch_pass_block(&l, l1);
    pass_memory(&l, queue->inverses);
    return launch(queue, &l);
}

/*
 * Solve U block by block: multiply by the inverse, then update the rows below.
 * C may be B, because the default product packs all of B's strips first.
 */
static xh_status_t trsm(hyb_opencl_queue_t *queue, const hyb_task_t *t)
{
    enum { WIDTH = HYB_OPENCL_INVERTED };
    const hyb_device_view_t l1 = t->trsm.l1, u = t->trsm.u;
    const multiplier_t with = {queue,
                               &queue->device->products[HYB_OPENCL_DEFAULT]};
    hyb_buffer_t inverses = {.memory = queue->inverses};

    for (int64_t first = 0, slot = 0; first < u.rows; first += WIDTH) {
        const int64_t n = xh_smaller(WIDTH, u.rows - first), next = first + n,
                      left = u.rows - next;
        const hyb_device_view_t solved =
            hyb_device_view_part(u, first, 0, n, u.cols);

        slot = first / WIDTH % HYB_OPENCL_INVERSES;
        if (slot == 0)
            XH_TRY(invert(queue, hyb_device_view_part(l1, first, first,
                                                      n + left, n + left)));
        XH_TRY(product(
            with,
            &(hyb_gemm_t){.alpha = 1,
                          .a = {&inverses, slot * WIDTH * WIDTH, n, n, WIDTH},
                          .b = solved,
                          .c = solved}));
        if (left > 0)
            XH_TRY(product(with, &(hyb_gemm_t){.alpha = -1,
                                               .beta = 1,
                                               .a = hyb_device_view_part(
                                                   l1, next, first, left, n),
                                               .b = solved,
                                               .c = hyb_device_view_part(
                                                   u, next, 0, left, u.cols)}));
    }
    return XH_OK;
}

/* ---- all operations ----------------------------------------------------- */

xh_status_t hyb_opencl_work(void *state, void *queue, const hyb_task_t *task)
{
    static xh_status_t (*const ops[HYB_OPS])(hyb_opencl_queue_t *,
                                             const hyb_task_t *) = {
        [HYB_OP_COPY_IN] = cross, [HYB_OP_COPY_OUT] = cross,
        [HYB_OP_GEMM] = gemm,     [HYB_OP_COPY] = copy,
        [HYB_OP_TRSM] = trsm,     [HYB_OP_GEMV] = gemv};
    hyb_opencl_queue_t *q = queue;

    XH_TRY((ops[task->op] != NULL ? ops[task->op] : by_kernel)(q, task));
    return hyb_opencl_status(state, "starting work", hyb_cl.Flush(q->commands));
}
