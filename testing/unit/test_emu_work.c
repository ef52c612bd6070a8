/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "testing/unit/emu_fixture.h"

/* The program has a BLAS library because it is called here. */
void dgemm_(const char *trans_a, const char *trans_b, const int *m,
            const int *n, const int *k, const double *alpha, const double *a,
            const int *lda, const double *b, const int *ldb, const double *beta,
            double *c, const int *ldc, size_t trans_a_length,
            size_t trans_b_length);

enum {
    ORDER = 40, /* of the largest matrix here */
    LD = 47
};

static hyb_device_t *device;
static hyb_queue_t *queue;

static int close_device(void **state)
{
    (void)state;
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    device = NULL;
    queue = NULL;
    return 0;
}

static void open_device(const char *setting)
{
    device = emu_open(0, setting, NULL);
    queue = emu_queue(device);
}

static void fill(double *x, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        x[i] = (double)rand() / RAND_MAX - 0.5;
}

/* A round trip of 20 x 30 elements between matrices of these strides. */
static void check_copies(int ld_from, int ld_to, hyb_view_t part)
{
    static double from[LD * ORDER], to[LD * ORDER];
    int i, j;

    fill(from, LD * ORDER);
    memset(to, 0, sizeof(to));
    assert_int_equal(
        hyb_queue_copy_in(queue, (hyb_view_t){from, 20, 30, ld_from}, part),
        XH_OK);
    assert_int_equal(
        hyb_queue_copy_out(queue, part, (hyb_view_t){to, 20, 30, ld_to}),
        XH_OK);
    assert_int_equal(emu_finish(device, queue), XH_OK);
    for (j = 0; j < 30; j++)
        for (i = 0; i < ld_to; i++)
            assert_true(to[i + j * ld_to] ==
                        (i < 20 ? from[i + j * ld_from] : 0));
    for (i = 30 * ld_to; i < LD * ORDER; i++)
        assert_true(to[i] == 0);
}

static void copies_keep_every_element_and_touch_no_other(void **state)
{
    hyb_view_t strided, dense;

    (void)state;
    open_device("emu_memory=1");
    strided = hyb_view_part(emu_matrix(device, ORDER, ORDER), 3, 4, 20, 30);
    dense = emu_matrix(device, 20, 30);
    check_copies(LD, LD, strided);
    check_copies(20, LD, strided);
    check_copies(LD, 20, strided);
    check_copies(20, 20, strided);
    check_copies(20, 20, dense);
    check_copies(LD, 20, dense);
    check_copies(20, LD, dense);
}

typedef struct {
    double a[LD * ORDER], b[LD * ORDER], c[LD * ORDER], result[LD * ORDER];
} operands_t;

static double element(const double *x, hyb_trans_t trans, int i, int j)
{
    return trans == HYB_TRANS ? x[j + i * LD] : x[i + j * LD];
}

/* The element of the product that p of operands o is to give. */
static double expected(const operands_t *o, const hyb_gemm_t *p, int i, int j,
                       int k)
{
    double sum = 0;
    int l;

    for (l = 0; l < k; l++)
        sum +=
            element(o->a, p->trans_a, i, l) * element(o->b, p->trans_b, l, j);
    return p->alpha * sum + (p->beta == 0 ? 0 : p->beta * o->c[i + j * LD]);
}

/* Bring the operands in, multiply, and bring the result out. */
static void run_product(operands_t *o, const hyb_gemm_t *shape)
{
    hyb_gemm_t p = *shape;
    hyb_view_t memory[3];
    int i;

    for (i = 0; i < 3; i++)
        memory[i] = emu_matrix(device, LD, ORDER);
    p.a.data = memory[0].data;
    p.b.data = memory[1].data;
    p.c.data = memory[2].data;
    assert_int_equal(
        hyb_queue_copy_in(queue, (hyb_view_t){o->a, LD, ORDER, LD}, memory[0]),
        XH_OK);
    assert_int_equal(
        hyb_queue_copy_in(queue, (hyb_view_t){o->b, LD, ORDER, LD}, memory[1]),
        XH_OK);
    assert_int_equal(
        hyb_queue_copy_in(queue, (hyb_view_t){o->c, LD, ORDER, LD}, memory[2]),
        XH_OK);
    assert_int_equal(hyb_queue_gemm(queue, &p), XH_OK);
    assert_int_equal(hyb_queue_copy_out(queue, memory[2],
                                        (hyb_view_t){o->result, LD, ORDER, LD}),
                     XH_OK);
    assert_int_equal(emu_finish(device, queue), XH_OK);
    for (i = 0; i < 3; i++)
        hyb_device_free(device, memory[i].data);
}

/* Elements of the result that are not what they should be. */
static int wrong_elements(const operands_t *o, const hyb_gemm_t *p, int k)
{
    int i, j, wrong = 0;

    for (j = 0; j < ORDER; j++)
        for (i = 0; i < LD; i++) {
            bool inside = i < p->c.rows && j < p->c.cols;
            double x = inside ? expected(o, p, i, j, k) : o->c[i + j * LD];

            wrong += !(fabs(o->result[i + j * LD] - x) < 1e-12);
        }
    return wrong;
}

static hyb_gemm_t shape_of(int m, int n, int k, int flags)
{
    hyb_gemm_t p = {
        .trans_a = flags & 1 ? HYB_TRANS : HYB_NO_TRANS,
        .trans_b = flags & 2 ? HYB_TRANS : HYB_NO_TRANS,
        .alpha = flags & 4 ? -1 : 0.75,
        .beta = flags & 8 ? 1 : -0.25,
        .c = {NULL, m, n, LD},
    };

    p.a =
        flags & 1 ? (hyb_view_t){NULL, k, m, LD} : (hyb_view_t){NULL, m, k, LD};
    p.b =
        flags & 2 ? (hyb_view_t){NULL, n, k, LD} : (hyb_view_t){NULL, k, n, LD};
    return p;
}

static void check_product(operands_t *o, int m, int n, int k, int flags)
{
    const hyb_gemm_t p = shape_of(m, n, k, flags);

    run_product(o, &p);
    assert_int_equal(wrong_elements(o, &p, k), 0);
}

static void fill_operands(operands_t *o)
{
    srand(2);
    fill(o->a, LD * ORDER);
    fill(o->b, LD * ORDER);
    fill(o->c, LD * ORDER);
}

static operands_t operands;

static void products_are_those_of_three_loops(void **state)
{
    int flags;

    (void)state;
    fill_operands(&operands);
    open_device("emu_memory=1");
    for (flags = 0; flags < 16; flags++) {
        check_product(&operands, 1 + rand() % ORDER, 1 + rand() % ORDER,
                      1 + rand() % ORDER, flags);
        check_product(&operands, ORDER, ORDER, ORDER, flags);
        check_product(&operands, 1, 1, 1, flags);
    }
}

static void a_product_over_nothing_scales(void **state)
{
    (void)state;
    fill_operands(&operands);
    open_device("emu_memory=1");
    check_product(&operands, 17, 23, 0, 0);
}

static void with_beta_zero_c_is_not_read(void **state)
{
    hyb_gemm_t p = shape_of(ORDER, ORDER, ORDER, 0);

    (void)state;
    fill_operands(&operands);
    operands.c[LD + 1] = NAN;
    p.beta = 0;
    open_device("emu_memory=1");
    run_product(&operands, &p);
    operands.c[LD + 1] = 0;
    assert_int_equal(wrong_elements(&operands, &p, ORDER), 0);
}

static void it_multiplies_with_the_programs_library(void **state)
{
    const double one = 1, two = 2;
    const int n = 1;
    double c = 0;
    int lines;

    (void)state;
    dgemm_("N", "N", &n, &n, &n, &one, &two, &n, &two, &n, &one, &c, &n, 1, 1);
    assert_true(c == 4);
    capture_begin();
    open_device("emu_memory=1");
    capture_end(&lines);
    assert_int_equal(lines, 0);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup_teardown(
        copies_keep_every_element_and_touch_no_other, emu_default_settings,
        close_device),
    cmocka_unit_test_setup_teardown(products_are_those_of_three_loops,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(a_product_over_nothing_scales,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(with_beta_zero_c_is_not_read,
                                    emu_default_settings, close_device),
    cmocka_unit_test_setup_teardown(it_multiplies_with_the_programs_library,
                                    emu_default_settings, close_device),
};
UNIT_MAIN(cases)
