/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "testing/unit/device/device_cases.h"

enum {
    ORDER = 40, /* of the largest operand here */
    LD = 47,
    LDA = LD - 4, /* of a product's A and B */
    LDB = LD - 2
};

static void fill(double *x, size_t count)
{
    for (size_t i = 0; i < count; i++)
        x[i] = (double)rand() / RAND_MAX - 0.5;
}

/* ---- copies ------------------------------------------------------------- */

/* Through pinned memory; the link has moved what was copied. */
DEVICE_CASE(whole_matrices_come_back)
{
    enum { ROWS = 1000, COLS = 700 };
    const size_t bytes = sizeof(double[ROWS][COLS]);
    hyb_device_view_t matrix = device_cases_matrix(f->device, ROWS, COLS);
    hyb_traffic_t traffic;
    double *from, *to;

    assert_ok(hyb_pinned_alloc(f->device, bytes, &from));
    assert_ok(hyb_pinned_alloc(f->device, bytes, &to));
    fill(from, ROWS * COLS);
    for (int i = 0; i < 2; i++)
        assert_ok(hyb_queue_copy_in(
            f->queue, (xh_view_t){from, ROWS, COLS, ROWS}, matrix));
    device_cases_read(f->device, f->queue, matrix, to);
    assert_memory_equal(from, to, bytes);
    traffic = hyb_device_traffic(f->device);
    assert_int_equal(traffic.in, 2 * bytes);
    assert_int_equal(traffic.out, bytes);
    hyb_pinned_free(f->device, from, bytes);
    hyb_pinned_free(f->device, to, bytes);
    hyb_buffer_destroy(matrix.buffer);
}

DEVICE_CASE(copies_keep_every_element_and_touch_no_other)
{
    static double from[LD * ORDER], to[LD * ORDER];
    hyb_device_view_t whole = device_cases_matrix(f->device, ORDER, ORDER);
    hyb_device_view_t part = hyb_device_view_part(whole, 3, 4, 20, 30);

    fill(from, LD * ORDER);
    memset(to, 0, sizeof(to));
    assert_ok(hyb_queue_copy_in(f->queue, (xh_view_t){from, 20, 30, LD}, part));
    assert_ok(hyb_queue_copy_out(f->queue, part, (xh_view_t){to, 20, 30, LD}));
    assert_ok(device_cases_finish(f->device, f->queue));
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < LD; i++)
            assert_true(to[i + j * LD] ==
                        (i < 20 && j < 30 ? from[i + j * LD] : 0));
    hyb_buffer_destroy(whole.buffer);
}

/* ---- products ----------------------------------------------------------- */

typedef struct {
    double a[LD * ORDER], b[LD * ORDER], c[LD * ORDER], result[LD * ORDER];
} operands_t;

static operands_t operands;

static void fill_operands(operands_t *o)
{
    srand(2);
    fill(o->a, LD * ORDER);
    fill(o->b, LD * ORDER);
    fill(o->c, LD * ORDER);
}

static double element(const double *x, int ld, xh_trans_t trans, int i, int j)
{
    return trans == XH_TRANS ? x[j + i * ld] : x[i + j * ld];
}

/* The element of the product that p of operands o is to give. */
static double expected(const operands_t *o, const hyb_gemm_t *p, int i, int j,
                       int k)
{
    double sum = 0;

    for (int l = 0; l < k; l++)
        sum += element(o->a, LDA, p->trans_a, i, l) *
               element(o->b, LDB, p->trans_b, l, j);
    return p->alpha * sum + (p->beta == 0 ? 0 : p->beta * o->c[i + j * LD]);
}

static hyb_device_view_t bring_in(const device_fixture_t *f, double *x)
{
    hyb_device_view_t memory = device_cases_matrix(f->device, LD, ORDER);

    assert_ok(
        hyb_queue_copy_in(f->queue, (xh_view_t){x, LD, ORDER, LD}, memory));
    return memory;
}

/* Bring the operands in, multiply, and bring the result out. */
static void run_product(const device_fixture_t *f, operands_t *o,
                        const hyb_gemm_t *shape)
{
    const hyb_device_view_t a = bring_in(f, o->a), b = bring_in(f, o->b),
                            c = bring_in(f, o->c);
    hyb_gemm_t p = *shape;

    p.a.buffer = a.buffer;
    p.b.buffer = b.buffer;
    p.c.buffer = c.buffer;
    assert_ok(hyb_queue_gemm(f->queue, &p));
    device_cases_read(f->device, f->queue, c, o->result);
    hyb_buffer_destroy(a.buffer);
    hyb_buffer_destroy(b.buffer);
    hyb_buffer_destroy(c.buffer);
}

/* Elements of the result that are not what they should be. */
static int wrong_elements(const operands_t *o, const hyb_gemm_t *p, int k)
{
    int wrong = 0;

    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < LD; i++) {
            bool inside = i < p->c.rows && j < p->c.cols;
            double x = inside ? expected(o, p, i, j, k) : o->c[i + j * LD];

            wrong += !(fabs(o->result[i + j * LD] - x) < 1e-12);
        }
    return wrong;
}

static hyb_gemm_t shape_of(int m, int n, int k, int flags)
{
    hyb_gemm_t p = {
        .trans_a = flags & 1 ? XH_TRANS : XH_NO_TRANS,
        .trans_b = flags & 2 ? XH_TRANS : XH_NO_TRANS,
        .alpha = flags & 4 ? -1 : 0.75,
        .beta = flags & 8 ? 1 : -0.25,
        .c = {NULL, 0, m, n, LD},
    };

    p.a = flags & 1 ? (hyb_device_view_t){NULL, 0, k, m, LDA}
                    : (hyb_device_view_t){NULL, 0, m, k, LDA};
    p.b = flags & 2 ? (hyb_device_view_t){NULL, 0, n, k, LDB}
                    : (hyb_device_view_t){NULL, 0, k, n, LDB};
    return p;
}

static void check_product(const device_fixture_t *f, int m, int n, int k,
                          int flags)
{
    const hyb_gemm_t p = shape_of(m, n, k, flags);

    run_product(f, &operands, &p);
    assert_int_equal(wrong_elements(&operands, &p, k), 0);
}

DEVICE_CASE(products_are_those_of_three_loops)
{
    fill_operands(&operands);
    for (int flags = 0; flags < 16; flags++) {
        check_product(f, 1 + rand() % ORDER, 1 + rand() % ORDER,
                      1 + rand() % ORDER, flags);
        check_product(f, ORDER, ORDER, ORDER, flags);
        check_product(f, 1, 1, 1, flags);
        check_product(f, 17, 23, 0, flags); /* over nothing it scales */
    }
}

DEVICE_CASE(with_beta_zero_c_is_not_read)
{
    hyb_gemm_t p = shape_of(ORDER, ORDER, ORDER, 0);

    fill_operands(&operands);
    operands.c[LD + 1] = NAN;
    p.beta = 0;
    run_product(f, &operands, &p);
    operands.c[LD + 1] = 0;
    assert_int_equal(wrong_elements(&operands, &p, ORDER), 0);
}
