/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <math.h>
#include <stdlib.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/device/device_cases.h"

static int open_device(void **state)
{
    return device_cases_open("opencl", state);
}

/* ---- memory ------------------------------------------------------------- */

/* What it offers is what a single buffer can have. */
TEST_DEVICE(a_buffer_has_what_one_allocation_gives, open_device)
{
    hyb_device_info_t before, after;
    hyb_buffer_t *buffer, *more;
    const char *text;

    assert_ok(hyb_device_describe(f->device, &before));
    assert_ok(hyb_buffer_create(f->device, before.memory_free, &buffer));
    assert_ok(hyb_device_describe(f->device, &after));
    assert_true(after.memory_free < after.memory);
    text = heard(assert_int_equal(
        hyb_buffer_create(f->device, before.memory_free + 1, &more),
        XH_ERR_MEMORY));
    assert_in(text, "one allocation can have");
    hyb_buffer_destroy(buffer);
    assert_ok(hyb_device_describe(f->device, &after));
    assert_int_equal(after.memory_free, before.memory_free);
}

/* ---- work that is cut into pieces ---------------------------------------- */

/* A matrix of rows x cols, here and on the device. */
typedef struct {
    hyb_device_view_t device;
    double *host;
} matrix_t;

static matrix_t random_matrix(const device_fixture_t *f, int64_t rows,
                              int64_t cols, double most)
{
    matrix_t m = {device_cases_matrix(f->device, rows, cols),
                  malloc((size_t)(rows * cols) * sizeof(double))};

    assert_non_null(m.host);
    for (int64_t i = 0; i < rows * cols; i++)
        m.host[i] = most * ((double)rand() / RAND_MAX - 0.5);
    assert_ok(hyb_queue_copy_in(f->queue, (xh_view_t){m.host, rows, cols, rows},
                                m.device));
    return m;
}

static void destroy(matrix_t m)
{
    hyb_buffer_destroy(m.device.buffer);
    free(m.host);
}

static double at(matrix_t m, int64_t i, int64_t j)
{
    return m.host[i + j * m.device.ld];
}

static double element(matrix_t m, xh_trans_t op, int64_t i, int64_t j)
{
    return op == XH_TRANS ? at(m, j, i) : at(m, i, j);
}

/* What the device has of m now. */
static matrix_t brought_out(const device_fixture_t *f, matrix_t m)
{
    const hyb_device_view_t b = m.device;
    matrix_t result = {b, malloc((size_t)(b.rows * b.cols) * sizeof(double))};

    assert_non_null(result.host);
    assert_ok(hyb_queue_copy_out(
        f->queue, b, (xh_view_t){result.host, b.rows, b.cols, b.ld}));
    assert_ok(device_cases_finish(f->device, f->queue));
    return result;
}

static void check_product(const device_fixture_t *f, int64_t m, int64_t n,
                          int64_t k, xh_trans_t op)
{
    const matrix_t a =
        op == XH_TRANS ? random_matrix(f, k, m, 1) : random_matrix(f, m, k, 1);
    const matrix_t b =
        op == XH_TRANS ? random_matrix(f, n, k, 1) : random_matrix(f, k, n, 1);
    const matrix_t c = random_matrix(f, m, n, 1);
    matrix_t result;
    int64_t wrong = 0;

    assert_ok(hyb_queue_gemm(f->queue, &(hyb_gemm_t){op, op, -1, 0.5, a.device,
                                                     b.device, c.device}));
    result = brought_out(f, c);
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < m; i++) {
            double sum = 0.5 * at(c, i, j);

            for (int64_t l = 0; l < k; l++)
                sum -= element(a, op, i, l) * element(b, op, l, j);
            wrong += !(fabs(at(result, i, j) - sum) < 1e-11);
        }
    assert_int_equal(wrong, 0);
    free(result.host);
    destroy(a);
    destroy(b);
    destroy(c);
}

TEST_DEVICE(a_product_beyond_working_memory_is_whole, open_device)
{
    srand(3);
    check_product(f, 2100, 11, 600, XH_NO_TRANS);
    check_product(f, 13, 2300, 513, XH_TRANS);
    check_product(f, 2049, 2049, 3, XH_NO_TRANS);
}

/* ---- configurations of products ------------------------------------------ */

/* Values of the parameters: rows, columns, items, vector, depth, staged,
 * packed, prefetch, band. */
static const hyb_gemm_config_t configs[] = {
    {{3, 8, 1, 1, 8, 4, 0, 1, 1, 4096}},
    {{1, 3, 1, 1, 2, 1, 0, 1, 0, 2}},
    {{2, 4, 4, 8, 2, 32, 1, 1, 1, 3}},
    {{4, 4, 8, 8, 1, 8, 1, 0, 0, 16}},
};

static void set_config(const device_fixture_t *f,
                       const hyb_gemm_config_t *config)
{
    for (int d = 0; d < HYB_GEMM_DEPTHS; d++)
        assert_ok(hyb_device_set_gemm_config(f->device, d, config));
}

TEST_DEVICE(products_are_right_in_each_configuration, open_device)
{
    srand(5);
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        set_config(f, &configs[i]);
        check_product(f, 137, 69, 43, XH_NO_TRANS);
        check_product(f, 70, 131, 530, XH_TRANS);
        check_product(f, 1, 1, 1, XH_NO_TRANS);
        check_product(f, 128, 128, 32, XH_NO_TRANS);
    }
    check_product(f, 5, 6, 1200, XH_NO_TRANS);
}

TEST_DEVICE(each_depth_has_a_configuration_of_its_own, open_device)
{
    hyb_gemm_config_t before, found;

    assert_ok(hyb_device_gemm_config(f->device, 3, &before));
    assert_ok(hyb_device_set_gemm_config(f->device, 1, &configs[1]));
    assert_ok(hyb_device_gemm_config(f->device, 1, &found));
    assert_memory_equal(&found, &configs[1], sizeof(found));
    assert_ok(hyb_device_gemm_config(f->device, 3, &found));
    assert_memory_equal(&found, &before, sizeof(found));
}

TEST_DEVICE(a_configuration_that_cannot_be_changes_nothing, open_device)
{
    static const hyb_gemm_config_t wrong[] = {
        {{0}},
        {{3, 8, 1, 1, 3, 4, 0, 1, 1, 4096}},     /* no such vector */
        {{3, 8, 1, 1, 8, 4, 0, 0, 1, 4096}},     /* neither packed nor staged */
        {{16, 16, 1, 1, 8, 4, 0, 1, 1, 4096}},   /* registers */
        {{16, 1, 64, 1, 1, 4, 1, 1, 1, 4096}},   /* tile */
        {{1, 1, 256, 256, 1, 4, 0, 1, 1, 4096}}, /* items */
        {{1, 1, 16, 3, 1, 1, 1, 1, 1, 4096}},    /* 48 items for 16 elements */
        {{2, 2, 256, 128, 1, 64, 1, 1, 1, 4096}}, /* on-chip memory or items */
    };
    hyb_gemm_config_t found;

    assert_ok(hyb_device_set_gemm_config(f->device, 2, &configs[0]));
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(hyb_device_set_gemm_config(f->device, 2, &wrong[i]),
                         XH_ERR_ARG);
    assert_ok(hyb_device_gemm_config(f->device, 2, &found));
    assert_memory_equal(&found, &configs[0], sizeof(found));
    check_product(f, 30, 31, 500, XH_NO_TRANS);
}

/* The order of L1 is what is inverted at a time, or more, or no multiple. */
static void check_solve(const device_fixture_t *f, int64_t nb, int64_t cols)
{
    const matrix_t l1 = random_matrix(f, nb, nb, 2.0 / (double)nb);
    const matrix_t u = random_matrix(f, nb, cols, 1);
    matrix_t result;
    double most = 0;

    assert_ok(hyb_queue_trsm(f->queue, l1.device, u.device));
    result = brought_out(f, u);
    for (int64_t j = 0; j < cols; j++)
        for (int64_t i = 0; i < nb; i++) {
            double sum = at(result, i, j) - at(u, i, j);

            for (int64_t k = 0; k < i; k++)
                sum += at(l1, i, k) * at(result, k, j);
            most = fmax(most, fabs(sum));
        }
    assert_true(most < 1e-13);
    free(result.host);
    destroy(l1);
    destroy(u);
}

/* In place, which a product that reads its operands where they are cannot. */
TEST_DEVICE(solves_do_not_depend_on_configurations, open_device)
{
    srand(6);
    set_config(f, &configs[3]);
    check_solve(f, 200, 33);
}

TEST_DEVICE(a_solve_goes_by_inverted_blocks, open_device)
{
    srand(4);
    check_solve(f, 64, 5);
    check_solve(f, 65, 70);
    check_solve(f, 200, 33);
    check_solve(f, 2100, 2);
}

DEVICE_CASES(open_device)
