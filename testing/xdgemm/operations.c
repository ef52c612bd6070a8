/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/runs.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/median.h"
#include "base/product.h"

#define PATIENCE 600.0 /* seconds for one operation */

enum { A, B, C, OPERANDS };

typedef xh_status_t queue_fn_t(hyb_queue_t *queue,
                               const hyb_device_view_t *on_device);

/* ---- the operations ------------------------------------------------------ */

static xh_status_t queue_gemm(hyb_queue_t *queue,
                              const hyb_device_view_t *on_device)
{
    return hyb_queue_gemm(queue, &(hyb_gemm_t){.alpha = -1,
                                               .beta = 1,
                                               .a = on_device[A],
                                               .b = on_device[B],
                                               .c = on_device[C]});
}

static xh_status_t queue_syrk(hyb_queue_t *queue,
                              const hyb_device_view_t *on_device)
{
    return hyb_queue_syrk(queue, -1, on_device[A], 1, on_device[C]);
}

static xh_status_t queue_trsm(hyb_queue_t *queue,
                              const hyb_device_view_t *on_device)
{
    return hyb_queue_trsm(queue, on_device[A], on_device[C]);
}

static xh_status_t queue_gemv(hyb_queue_t *queue,
                              const hyb_device_view_t *on_device)
{
    return hyb_queue_gemv(queue, on_device[A], on_device[B], on_device[C]);
}

typedef struct {
    const char *name;
    const char *shape[OPERANDS]; /* rows and columns by the names of options */
    queue_fn_t *queue;
    double flop_share; /* flop, relative to those of a product */
} operation_t;

static const operation_t operations[] = {
    {"gemm", {"mk", "kn", "mn"}, queue_gemm, 1},
    {"syrk", {"mk", "mk", "mm"}, queue_syrk, 0.5},
    {"trsm", {"kk", "kn", "kn"}, queue_trsm, 0.5},
    {"gemv", {"mn", "n1", "m1"}, queue_gemv, 1},
};

static bool is_syrk(const operation_t *o)
{
    return o->queue == queue_syrk;
}

static bool is_trsm(const operation_t *o)
{
    return o->queue == queue_trsm;
}

/* ---- operands ------------------------------------------------------------ */

typedef struct {
    const operation_t *operation;
    xdg_gemm_t *gemm;
    hyb_device_t *device;
    hyb_queue_t *queue;
    hyb_event_t *begin, *end;
    xh_view_t host[OPERANDS];
    xh_view_t computed,
        expected; /* C as computed by the device, and by the host */
    hyb_device_view_t on_device[OPERANDS];
    double *memory; /* memory of the host's matrices */
    size_t bytes;
} bench_t;

static int64_t size_of(const xh_gemm_t *sizes, char letter)
{
    return letter == 'm'   ? sizes->c.rows
           : letter == 'n' ? sizes->c.cols
           : letter == 'k' ? xh_gemm_depth(sizes)
                           : 1;
}

static int64_t elements(xh_view_t v)
{
    return v.rows * v.cols;
}

/* Set the shapes of A, B and C, and allocate them and two more matrices of C's
 * shape. */
static xh_status_t open_host(bench_t *b, const xh_gemm_t *sizes)
{
    double *next = NULL;
    int64_t all;

    for (int i = 0; i < OPERANDS; i++) {
        const char *shape = b->operation->shape[i];

        b->host[i].rows = size_of(sizes, shape[0]);
        b->host[i].cols = size_of(sizes, shape[1]);
    }
    all =
        elements(b->host[A]) + elements(b->host[B]) + 3 * elements(b->host[C]);
    b->bytes = (size_t)all * sizeof(double);
    XH_TRY(hyb_pinned_alloc(b->device, b->bytes, &b->memory));
    next = b->memory;
    for (int i = 0; i < OPERANDS; i++)
        b->host[i] = xh_view_take(&next, b->host[i].rows, b->host[i].cols);
    b->computed = xh_view_take(&next, b->host[C].rows, b->host[C].cols);
    b->expected = xh_view_take(&next, b->host[C].rows, b->host[C].cols);
    return XH_OK;
}

/* Fill the operands. Elements of A shrink with its number of columns, so that
 * sums do not grow; L1 has the form that a product expects. */
static void fill(const bench_t *b)
{
    const xh_view_t a = b->host[A];

    for (uint64_t i = 0; i < OPERANDS; i++)
        xdg_fill(hyb_machine_team(b->gemm->machine),
                 &(xdg_random_t){XDG_UNIFORM, i + 1}, 0, 0, b->host[i]);
    for (int64_t j = 0; j < a.cols; j++)
        for (int64_t i = 0; i < a.rows; i++) {
            double *x = a.data + i + j * a.ld;

            *x = is_trsm(b->operation) && i <= j ? (i == j ? 1.0 : 0.0)
                                                 : *x / (double)a.cols;
        }
}

static xh_status_t open_device(bench_t *b)
{
    XH_TRY(hyb_queue_create(b->device, HYB_QUEUE_NORMAL, &b->queue));
    XH_TRY(hyb_event_create(b->device, &b->begin));
    XH_TRY(hyb_event_create(b->device, &b->end));
    for (int i = 0; i < OPERANDS; i++) {
        xh_view_t v = b->host[i];
        hyb_buffer_t *buffer = NULL;

        XH_TRY(hyb_buffer_create(
            b->device, (size_t)elements(v) * sizeof(double), &buffer));
        b->on_device[i] = hyb_device_view(buffer, 0, v.rows, v.cols);
        XH_TRY(hyb_queue_copy_in(b->queue, v, b->on_device[i]));
    }
    return XH_OK;
}

static void close_bench(bench_t *b)
{
    hyb_queue_destroy(b->queue);
    hyb_event_destroy(b->begin);
    hyb_event_destroy(b->end);
    for (int i = 0; i < OPERANDS; i++)
        hyb_buffer_destroy(b->on_device[i].buffer);
    hyb_pinned_free(b->device, b->memory, b->bytes);
}

/* ---- one of them --------------------------------------------------------- */

/* Copy C in, compute, and copy the result out; *seconds_p is the device's time
 * for the operation. */
static xh_status_t run_once(const bench_t *b, double *seconds_p)
{
    XH_TRY(hyb_queue_copy_in(b->queue, b->host[C], b->on_device[C]));
    XH_TRY(hyb_event_record(b->queue, b->begin));
    XH_TRY(b->operation->queue(b->queue, b->on_device));
    XH_TRY(hyb_event_record(b->queue, b->end));
    XH_TRY(hyb_event_await(b->end, PATIENCE));
    XH_TRY(hyb_event_elapsed(b->begin, b->end, seconds_p));
    XH_TRY(hyb_queue_copy_out(b->queue, b->on_device[C], b->computed));
    XH_TRY(hyb_event_record(b->queue, b->end));
    return hyb_event_await(b->end, PATIENCE);
}

/* Compute the expected result on the team; for a solve, multiply L1 by the
 * result. */
static xh_status_t multiply(const bench_t *b)
{
    const xdg_participants_t team = {.team = true};
    xh_gemm_t p = {
        .alpha = 1, .a = b->host[A], .b = b->computed, .c = b->expected};
    hyb_report_t report = {0};
    xh_status_t status;

    if (!is_trsm(b->operation)) {
        memcpy(p.c.data, b->host[C].data,
               (size_t)elements(p.c) * sizeof(double));
        p.b = is_syrk(b->operation) ? b->host[A] : b->host[B];
        p.trans_b = is_syrk(b->operation) ? XH_TRANS : XH_NO_TRANS;
        p.alpha = -1;
        p.beta = 1;
    }
    status = xdg_gemm(b->gemm, &p, team, &report);
    free(report.owner);
    return status;
}

/* Number of elements whose error exceeds rounding. */
static int64_t wrong_elements(const bench_t *b)
{
    const xh_view_t x = is_trsm(b->operation) ? b->host[C] : b->computed;
    double bound = (double)(b->host[A].cols + 16) * DBL_EPSILON;
    int64_t wrong = 0;

    for (int64_t j = 0; j < x.cols; j++)
        for (int64_t i = is_syrk(b->operation) ? j : 0; i < x.rows; i++)
            wrong += !(fabs(x.data[i + j * x.ld] -
                            b->expected.data[i + j * x.ld]) <= bound);
    return wrong;
}

static xh_status_t run(bench_t *b, int64_t repeat, double *seconds,
                       xdg_operation_t *found)
{
    double unused;

    XH_TRY(run_once(b, &unused));
    for (int64_t r = 0; r < repeat; r++) {
        XH_TRY(run_once(b, &seconds[r]));
        XH_TRY(multiply(b));
        found->wrong += wrong_elements(b) > 0;
    }
    found->seconds = xh_median(seconds, (int)repeat);
    found->rate = 2.0 * b->operation->flop_share *
                  (double)elements(b->host[C]) * (double)b->host[A].cols /
                  found->seconds;
    return XH_OK;
}

const char *xdg_operation_name(int number)
{
    enum { COUNT = sizeof(operations) / sizeof(operations[0]) };

    return number < COUNT ? operations[number].name : NULL;
}

xh_status_t xdg_operation_measure(xdg_gemm_t *gemm, int device, int number,
                                  const xh_gemm_t *sizes, int64_t repeat,
                                  xdg_operation_t *operation_p)
{
    bench_t b = {.operation = &operations[number],
                 .gemm = gemm,
                 .device = hyb_machine_device(gemm->machine, device)};
    double *seconds = calloc((size_t)repeat, sizeof(*seconds));
    xdg_operation_t found = {.wrong = 0};
    xh_status_t status = seconds != NULL ? XH_OK : XH_ERR_MEMORY;

    if (status == XH_OK)
        status = open_host(&b, sizes);
    if (status == XH_OK) {
        fill(&b);
        status = open_device(&b);
    }
    if (status == XH_OK)
        status = run(&b, repeat, seconds, &found);
    close_bench(&b);
    free(seconds);
    if (status == XH_OK)
        *operation_p = found;
    return status;
}
