/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hybrid/device/cuda/cuda.h"

/* ---- copies ------------------------------------------------------------- */

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
    return move(queue, t->link.host, hyb_view(t->link.block),
                cudaMemcpyHostToDevice);
}

static xh_status_t copy_out(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    return move(queue, hyb_view(t->link.block), t->link.host,
                cudaMemcpyDeviceToHost);
}

static xh_status_t copy(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    return move(queue, hyb_view(t->copy.from), hyb_view(t->copy.to),
                cudaMemcpyDeviceToDevice);
}

/* ---- algebra, by cuBLAS ------------------------------------------------- */

static const double one = 1.0, minus_one = -1.0;

static cublasOperation_t operation(xh_trans_t trans)
{
    return trans == XH_TRANS ? CUBLAS_OP_T : CUBLAS_OP_N;
}

/* The address of an operand; if it is empty, another valid one, which cuBLAS
 * wants. */
static const double *operand(hyb_device_view_t b, hyb_device_view_t otherwise)
{
    return b.rows > 0 && b.cols > 0 ? hyb_view(b).data
                                    : hyb_view(otherwise).data;
}

static xh_status_t gemm(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_gemm_t *p = &t->gemm;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dgemm",
        queue->device->blas->dgemm(
            queue->blas, operation(p->trans_a), operation(p->trans_b),
            p->c.rows, p->c.cols, hyb_gemm_depth(p), &p->alpha,
            operand(p->a, p->c), p->a.ld, operand(p->b, p->c), p->b.ld,
            &p->beta, hyb_view(p->c).data, p->c.ld));
}

static xh_status_t trsm(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_device_view_t l1 = t->trsm.l1, u = t->trsm.u;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dtrsm",
        queue->device->blas->dtrsm(
            queue->blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
            CUBLAS_DIAG_UNIT, u.rows, u.cols, &one, hyb_view(l1).data, l1.ld,
            hyb_view(u).data, u.ld));
}

static xh_status_t gemv(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_device_view_t a = t->gemv.a;

    return hyb_cuda_blas_status(
        queue->device, HYB_CUDA_BLAS "Dgemv",
        queue->device->blas->dgemv(queue->blas, CUBLAS_OP_N, a.rows, a.cols,
                                   &minus_one, hyb_view(a).data, a.ld,
                                   hyb_view(t->gemv.x).data, 1, &one,
                                   hyb_view(t->gemv.y).data, 1));
}

/* ---- our kernels -------------------------------------------------------- */

_Static_assert((int)HYB_CUDA_ITEMS == (int)HYB_LAUNCH_ITEMS,
               "kernels are compiled for groups of so many items");
_Static_assert(HYB_CUDA_PANEL_COLUMNS == HYB_PANEL_STEP,
               "panel_step has registers for so many columns");

/* Launch a kernel; panel_step is cooperative, because its groups meet. */
static xh_status_t launch(void *state, const hyb_launch_t *l)
{
    hyb_cuda_queue_t *queue = state;
    const cudaKernel_t kernel = queue->device->kernels[l->kernel];
    const struct dim3 grid = {(unsigned)l->x, (unsigned)l->y, 1},
                      group = {l->kernel >= HYB_CUDA_PANEL_COLUMN
                                   ? HYB_CUDA_PANEL_ITEMS
                                   : HYB_CUDA_ITEMS,
                               1, 1};
    void *list[HYB_LAUNCH_ARGUMENTS];

    for (int i = 0; i < l->count; i++)
        list[i] = (void *)(uintptr_t)l->argument[i].value;
    return hyb_cuda_status(
        queue->device, hyb_cuda_kernel_name((hyb_cuda_kernel_t)l->kernel),
        l->kernel == HYB_CUDA_PANEL_STEP
            ? cudaLaunchCooperativeKernel(kernel, grid, group, list, 0,
                                          queue->stream)
            : cudaLaunchKernel(kernel, grid, group, list, 0, queue->stream));
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

/* Turns of the groups, stored after the two vectors of proposals. */
static void *arrived(const hyb_cuda_queue_t *queue)
{
    return queue->proposals + 2 * queue->proposals_longest;
}

/* CUDA frees the old, too small memory after all queued work. */
static xh_status_t hold_proposals(void *state, int64_t doubles,
                                  void *vector_p[2])
{
    const size_t turn_bytes = HYB_CUDA_PANEL_GROUPS * sizeof(uint64_t);
    hyb_cuda_queue_t *queue = state;
    void *memory;

    if (queue->proposals_longest < doubles) {
        hyb_cuda_proposals_free(queue);
        XH_TRY(hyb_cuda_status(
            queue->device, "allocating memory",
            cudaMalloc(&memory,
                       (size_t)(2 * doubles) * sizeof(double) + turn_bytes)));
        queue->proposals = memory;
        queue->proposals_longest = doubles;
        XH_TRY(hyb_cuda_status(
            queue->device, "clearing memory",
            cudaMemsetAsync(arrived(queue), 0, turn_bytes, queue->stream)));
    }
    vector_p[0] = queue->proposals;
    vector_p[1] = queue->proposals + queue->proposals_longest;
    return XH_OK;
}

static hyb_launcher_t launcher_of(hyb_cuda_queue_t *queue)
{
    return (hyb_launcher_t){queue, launch, hold_proposals,
                            queue->device->jump_table, HYB_CUDA_PANEL_GROUPS};
}

static xh_status_t by_kernel(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_launcher_t by = launcher_of(queue);

    return hyb_launch_task(&by, t);
}

/* Rows of one group, if one launch holds all rows in registers. */
enum { HELD_ROWS = HYB_CUDA_PANEL_HELD * HYB_CUDA_PANEL_ITEMS };

/* Factor all columns of a step in one launch, whose groups wait for each other.
 */
static xh_status_t step_at_once(hyb_cuda_queue_t *queue,
                                const hyb_panel_step_t *s)
{
    const hyb_launch_step_t step = {.rows_of_group = HELD_ROWS,
                                    .above = s->first};
    const hyb_device_view_t columns = hyb_launch_step_columns(s);
    const int64_t groups = xh_larger(1, xh_units(columns.rows, HELD_ROWS));
    const uint64_t turn = queue->turn + 1;
    const void *turns = arrived(queue);
    hyb_buffer_t memory = {.memory = queue->proposals};
    hyb_launch_t l = {HYB_CUDA_PANEL_STEP, .x = groups, .y = 1};

    hyb_launch_pass_block(&l, columns);
    hyb_launch_pass_block(&l, hyb_launch_step_pivots(s));
    hyb_launch_pass_block(
        &l, hyb_device_view(&memory, 0,
                            hyb_launch_proposals(columns.cols, groups), 1));
    hyb_launch_pass(&l, &step, sizeof(step));
    hyb_launch_pass(&l, &turn, sizeof(turn));
    hyb_launch_pass(&l, &turns, sizeof(turns));
    queue->turn += HYB_PANEL_STEP;
    return launch(queue, &l);
}

/* Factor a step, in one launch if the device holds groups for all rows. */
static xh_status_t panel_step(hyb_cuda_queue_t *queue, const hyb_task_t *t)
{
    const hyb_panel_step_t *s = &t->panel_step;
    const int64_t most =
        xh_smaller(queue->device->panel_groups, HYB_CUDA_PANEL_GROUPS);
    const hyb_launcher_t by = launcher_of(queue);
    void *vector[2];

    if (s->panel.rows - s->first > most * HELD_ROWS)
        return hyb_launch_task(&by, t);
    XH_TRY(hold_proposals(
        queue, hyb_launch_proposals(HYB_PANEL_STEP, HYB_CUDA_PANEL_GROUPS),
        vector));
    XH_TRY(step_at_once(queue, s));
    return hyb_launch_step_swap(&by, s);
}

/* ---- all operations ----------------------------------------------------- */

xh_status_t hyb_cuda_work(void *state, void *queue, const hyb_task_t *task)
{
    static xh_status_t (*const ops[HYB_OPS])(hyb_cuda_queue_t *,
                                             const hyb_task_t *) = {
        [HYB_OP_COPY_IN] = copy_in,
        [HYB_OP_COPY_OUT] = copy_out,
        [HYB_OP_GEMM] = gemm,
        [HYB_OP_COPY] = copy,
        [HYB_OP_TRSM] = trsm,
        [HYB_OP_GEMV] = gemv,
        [HYB_OP_PANEL_STEP] = panel_step};

    (void)state;
    return (ops[task->op] != NULL ? ops[task->op] : by_kernel)(queue, task);
}
