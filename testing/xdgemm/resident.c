/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/resident.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/product.h"

#define SLOWEST 1e10 /* flop/s of a device whose products are not yet known */

enum { TIMES = 10 }; /* of the longest product: longer is a stall */

/* The vectors of the products in flight: product i has slot i % XDG_AHEAD. */
typedef struct {
    hyb_device_view_t residual; /* in device memory ... */
    xh_view_t returned;         /* ... and on the host */
    hyb_event_t *checked, *end;
} slot_t;

struct xdg_resident {
    hyb_device_t *device;
    const xdg_row_check_t *check;
    hyb_gemm_t product;
    hyb_device_view_t x;
    hyb_device_view_t expected[2]; /* of A B and of -(A B) */
    slot_t slot[XDG_AHEAD];
    hyb_queue_t *work, *back; /* products and checks; copies to the host */
    hyb_buffer_t *buffer;
    double *pinned;
    size_t pinned_bytes;
    double stall;
    double longest; /* seconds of a product; infinite: unknown */
    int64_t queued, finished;
};

/* ---- opening ------------------------------------------------------------- */

static size_t bytes_of(int64_t doubles)
{
    return (size_t)doubles * sizeof(double);
}

/* The next rows x cols doubles of the buffer. */
static hyb_device_view_t take(const xdg_resident_t *r, int64_t *offset,
                              int64_t rows, int64_t cols)
{
    hyb_device_view_t v = hyb_device_view(r->buffer, *offset, rows, cols);

    *offset += rows * cols;
    return v;
}

/* Provide memory on the device, and pinned memory for vectors: the slots',
 * then x and both expected ones. */
static xh_status_t allocate(xdg_resident_t *r, const xh_gemm_t *p)
{
    const int64_t m = p->c.rows, n = p->c.cols;
    int64_t vectors = (XDG_AHEAD + 2) * m + n, offset = 0;
    double *next;

    XH_TRY(hyb_buffer_create(r->device,
                             bytes_of(p->a.rows * p->a.cols +
                                      p->b.rows * p->b.cols + m * n + vectors),
                             &r->buffer));
    r->product.a = take(r, &offset, p->a.rows, p->a.cols);
    r->product.b = take(r, &offset, p->b.rows, p->b.cols);
    r->product.c = take(r, &offset, m, n);
    r->x = take(r, &offset, n, 1);
    r->expected[0] = take(r, &offset, m, 1);
    r->expected[1] = take(r, &offset, m, 1);
    r->pinned_bytes = bytes_of(vectors);
    XH_TRY(hyb_pinned_alloc(r->device, r->pinned_bytes, &r->pinned));
    next = r->pinned;
    for (int i = 0; i < XDG_AHEAD; i++) {
        r->slot[i].residual = take(r, &offset, m, 1);
        r->slot[i].returned = xh_view_take(&next, m, 1);
    }
    return XH_OK;
}

static xh_status_t create_queues(xdg_resident_t *r)
{
    XH_TRY(hyb_queue_create(r->device, HYB_QUEUE_NORMAL, &r->work));
    XH_TRY(hyb_queue_create(r->device, HYB_QUEUE_NORMAL, &r->back));
    for (int i = 0; i < XDG_AHEAD; i++) {
        XH_TRY(hyb_event_create(r->device, &r->slot[i].checked));
        XH_TRY(hyb_event_create(r->device, &r->slot[i].end));
    }
    return XH_OK;
}

/* Copy operands and vectors to the device, and wait for them. */
static xh_status_t send(xdg_resident_t *r, const xh_gemm_t *p)
{
    const xdg_row_check_t *c = r->check;
    double *next = r->pinned + XDG_AHEAD * c->rows;
    const xh_view_t x = xh_view_take(&next, c->cols, 1);
    const xh_view_t plus = xh_view_take(&next, c->rows, 1);
    const xh_view_t minus = xh_view_take(&next, c->rows, 1);

    memcpy(x.data, c->x, bytes_of(c->cols));
    for (int64_t i = 0; i < c->rows; i++) {
        plus.data[i] = c->expected[i];
        minus.data[i] = -c->expected[i];
    }
    XH_TRY(hyb_queue_copy_in(r->work, p->a, r->product.a));
    XH_TRY(hyb_queue_copy_in(r->work, p->b, r->product.b));
    XH_TRY(hyb_queue_copy_in(r->work, x, r->x));
    XH_TRY(hyb_queue_copy_in(r->work, plus, r->expected[0]));
    XH_TRY(hyb_queue_copy_in(r->work, minus, r->expected[1]));
    XH_TRY(hyb_event_record(r->work, r->slot[0].end));
    return hyb_event_await(r->slot[0].end,
                           r->stall + xh_gemm_flop(p) / SLOWEST);
}

static xh_status_t open_on(xdg_resident_t *r, const xh_gemm_t *product)
{
    XH_TRY(create_queues(r));
    XH_TRY(allocate(r, product));
    return send(r, product);
}

xh_status_t xdg_resident_open(hyb_device_t *device, const xh_gemm_t *product,
                              const xdg_row_check_t *check, double stall,
                              xdg_resident_t **resident_p)
{
    xdg_resident_t *r = calloc(1, sizeof(*r));
    xh_status_t status;

    if (r == NULL)
        return XH_ERR_MEMORY;
    *r = (xdg_resident_t){
        .device = device,
        .check = check,
        .product = {.trans_a = product->trans_a, .trans_b = product->trans_b},
        .stall = stall,
        .longest = INFINITY};
    status = open_on(r, product);
    if (status == XH_OK)
        *resident_p = r;
    else
        xdg_resident_close(r);
    return status;
}

void xdg_resident_close(xdg_resident_t *r)
{
    if (r == NULL)
        return;
    hyb_queue_destroy(r->work);
    hyb_queue_destroy(r->back);
    for (int i = 0; i < XDG_AHEAD; i++) {
        hyb_event_destroy(r->slot[i].checked);
        hyb_event_destroy(r->slot[i].end);
    }
    hyb_pinned_free(r->device, r->pinned, r->pinned_bytes);
    hyb_buffer_destroy(r->buffer);
    free(r);
}

/* ---- products ------------------------------------------------------------ */

static double sign_of(int64_t product)
{
    return product % 2 == 0 ? 1.0 : -1.0;
}

/* Queue a product, its check, and the return of the residual. */
static xh_status_t queue_product(xdg_resident_t *r)
{
    const slot_t *s = &r->slot[r->queued % XDG_AHEAD];

    r->product.alpha = sign_of(r->queued);
    XH_TRY(hyb_queue_gemm(r->work, &r->product));
    XH_TRY(hyb_queue_copy(r->work, r->expected[r->queued % 2], s->residual));
    XH_TRY(hyb_queue_gemv(r->work, r->product.c, r->x, s->residual));
    XH_TRY(hyb_event_record(r->work, s->checked));
    XH_TRY(hyb_queue_wait(r->back, s->checked));
    XH_TRY(hyb_queue_copy_out(r->back, s->residual, s->returned));
    XH_TRY(hyb_event_record(r->back, s->end));
    r->queued++;
    return XH_OK;
}

/* Wait for the oldest product in flight, and judge it. */
static xh_status_t finish_product(xdg_resident_t *r, xdg_wrong_rows_t *wrong_p)
{
    const slot_t *s = &r->slot[r->finished % XDG_AHEAD];
    double flop = 2.0 * (double)r->product.c.rows * (double)r->product.c.cols *
                  (double)hyb_gemm_depth(&r->product);
    double started = xh_clock_now(), seconds;
    bool is_first = isinf(r->longest);

    XH_TRY(hyb_event_await(
        s->end, r->stall + (is_first ? flop / SLOWEST : TIMES * r->longest)));
    seconds = xh_clock_now() - started;
    r->longest = is_first ? seconds : fmax(r->longest, seconds);
    r->finished++;
    *wrong_p = xdg_row_check_judge(r->check, s->returned.data);
    return XH_OK;
}

xh_status_t xdg_resident_run(xdg_resident_t *r, xdg_product_fn_t *done,
                             void *context)
{
    xdg_wrong_rows_t wrong;
    bool goes_on = true;

    while (goes_on || r->finished < r->queued) {
        while (goes_on && r->queued - r->finished < XDG_AHEAD)
            XH_TRY(queue_product(r));
        XH_TRY(finish_product(r, &wrong));
        goes_on = done(context, &wrong) && goes_on;
    }
    return XH_OK;
}

/* ---- on the host --------------------------------------------------------- */

/* C := sign A B, and residual := sign expected - C x. */
static xh_status_t multiply(hyb_host_gemm_t *host, const xh_gemm_t *product,
                            const xdg_row_check_t *check, double sign,
                            double *residual)
{
    xh_gemm_t p = *product;
    /* transposed, so that all threads have columns */
    const xh_gemm_t sums = {.trans_b = XH_TRANS,
                            .alpha = -1.0,
                            .beta = 1.0,
                            .a = {check->x, 1, check->cols, 1},
                            .b = p.c,
                            .c = {residual, 1, check->rows, 1}};

    p.alpha = sign;
    XH_TRY(hyb_host_gemm(host, &p));
    for (int64_t i = 0; i < check->rows; i++)
        residual[i] = sign * check->expected[i];
    return hyb_host_gemm(host, &sums);
}

xh_status_t xdg_host_run(hyb_host_gemm_t *host, const xh_gemm_t *product,
                         const xdg_row_check_t *check, xdg_product_fn_t *done,
                         void *context)
{
    double *residual = calloc((size_t)check->rows, sizeof(*residual));
    xh_status_t status = residual != NULL ? XH_OK : XH_ERR_MEMORY;
    bool goes_on = true;

    for (int64_t i = 0; status == XH_OK && goes_on; i++) {
        status = multiply(host, product, check, sign_of(i), residual);
        if (status == XH_OK) {
            xdg_wrong_rows_t wrong = xdg_row_check_judge(check, residual);

            goes_on = done(context, &wrong);
        }
    }
    free(residual);
    return status;
}
