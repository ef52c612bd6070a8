/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "testing/unit/device/device_cases.h"
#include "testing/unit/cpu/textbook_lu.h"

/* Steps of a panel, held against elimination as the textbook has it. */

enum { ELEMENTS = 110000, COLUMNS = 50, TOP = 5, LEFT = 3 };

static double host[ELEMENTS];
static int64_t ld =
    ELEMENTS / COLUMNS; /* as many columns as there is room for */
static int64_t pivots[COLUMNS];

/* Element (i, j) of the panel. */
static double *at(int64_t i, int64_t j)
{
    return &host[TOP + i + (LEFT + j) * ld];
}

static double random_entry(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static void fill(double (*entry)(void))
{
    for (int i = 0; i < ELEMENTS; i++)
        host[i] = entry();
}

static void step_on_host(int64_t rows, int64_t cols, int64_t first,
                         int64_t count)
{
    textbook_factor(&(textbook_lu_t){at(0, 0), ld, rows, cols, pivots}, first,
                    first + count);
}

/* ---- the device ---------------------------------------------------------- */

static bool equal(double x, double y)
{
    return x == y || fabs(x - y) <= 1e-12 * fmax(1, fabs(y)) ||
           (isnan(x) && isnan(y));
}

/* What it made of host and pivots, which are as on the host now. */
static void compare(const double *result, const int64_t *chosen, int64_t cols)
{
    int wrong = 0;

    for (int64_t c = 0; c < cols; c++)
        assert_int_equal(chosen[c], pivots[c]);
    for (int64_t i = 0; i < ELEMENTS / ld * ld; i++)
        wrong += !equal(result[i], host[i]);
    assert_int_equal(wrong, 0);
}

static void check_step(const device_fixture_t *f, int64_t rows, int64_t cols,
                       int64_t first, int64_t count)
{
    static double result[ELEMENTS];
    const int64_t width = ELEMENTS / ld;
    hyb_device_view_t all = device_cases_matrix(f->device, ld, width);
    hyb_device_view_t list = device_cases_matrix(f->device, COLUMNS, 1);
    int64_t chosen[COLUMNS];
    hyb_panel_step_t step = {
        .panel = hyb_device_view_part(all, TOP, LEFT, rows, cols),
        .first = first,
        .count = count,
        .pivots = hyb_device_view_first(list, cols, 1)};

    memset(pivots, 0, sizeof(pivots));
    assert_ok(
        hyb_queue_copy_in(f->queue, (xh_view_t){host, ld, width, ld}, all));
    assert_ok(hyb_queue_upload(f->queue, pivots, list));
    assert_ok(hyb_queue_panel_step(f->queue, &step));
    device_cases_read(f->device, f->queue, all, result);
    device_cases_read(f->device, f->queue, list, chosen);
    step_on_host(rows, cols, first, count);
    compare(result, chosen, cols);
    hyb_buffer_destroy(list.buffer);
    hyb_buffer_destroy(all.buffer);
}

/* ---- cases --------------------------------------------------------------- */

DEVICE_CASE_WITH(a_panel_step_eliminates_with_pivots, HYB_OP_PANEL_STEP)
{
    srand(3);
    for (int round = 0; round < 20; round++) {
        int64_t cols = 1 + rand() % 40, count = 1 + rand() % HYB_PANEL_STEP;
        int64_t first = rand() % cols, rows = cols + rand() % (80 - cols);

        fill(random_entry);
        check_step(f, rows, cols, first,
                   count < cols - first ? count : cols - first);
    }
    fill(random_entry);
    check_step(f, 2100, 12, 3, 9); /* of several groups */
    fill(random_entry);
    check_step(f, 1, 1, 0, 1);
    check_step(f, 16, 40, 0, 16); /* no row is left */
    check_step(f, 16, 16, 0, HYB_PANEL_STEP);
    check_step(f, 40, 40, 8, 0);
    ld = 20010; /* of more groups than there are */
    check_step(f, 20000, 2, 0, 2);
    ld = ELEMENTS / COLUMNS;
}

static double sign(void)
{
    return rand() % 2 ? 1 : -1;
}

static double zero(void)
{
    return 0;
}

/* Where no division is inexact, ties are ties everywhere. */
DEVICE_CASE_WITH(of_equal_pivots_the_first_row_counts, HYB_OP_PANEL_STEP)
{
    for (int round = 0; round < 10; round++) {
        fill(sign);
        check_step(f, 30, 12, round, 1);
        check_step(f, 30, 12, 0, 2);
        fill(sign);
        check_step(f, 2100, 12, 0, 2); /* in several groups */
    }
    fill(zero);
    *at(9, 4) = *at(7, 4) = -3;
    check_step(f, 30, 12, 4, 1);
}

DEVICE_CASE_WITH(a_zero_pivot_divides_nothing, HYB_OP_PANEL_STEP)
{
    fill(random_entry);
    for (int64_t i = 0; i < 40; i++)
        *at(i, 3) = *at(i, 5) = 0;
    check_step(f, 40, 10, 3, 1);
    fill(zero);
    check_step(f, 40, 10, 0, 10);
}

DEVICE_CASE_WITH(a_tiny_pivot_divides, HYB_OP_PANEL_STEP)
{
    fill(random_entry);
    for (int64_t i = 0; i < 40; i++)
        *at(i, 2) *= 1e-309;
    check_step(f, 40, 10, 2, 1);
}

DEVICE_CASE_WITH(a_panels_nan_counts_as_infinite, HYB_OP_PANEL_STEP)
{
    static const int64_t rows[][3] = {{40, 17, 21}, {2100, 300, 1900}};

    for (int i = 0; i < 4; i++) {
        const int64_t *r = rows[i / 2];

        fill(random_entry);
        *at(r[1], 2) = i % 2 ? NAN : INFINITY;
        *at(r[2], 2) = i % 2 ? -INFINITY : NAN;
        check_step(f, r[0], 10, 2, 1);
    }
}

/* ---- of two processes ---------------------------------------------------- */

enum { HALF = 30, WIDTH = HYB_PANEL_STEP, KEY = WIDTH, ROW, BEST };

/* A part of the panel, with the vector by which it agrees. */
typedef struct {
    hyb_queue_t *queue;
    hyb_panel_column_t column;
    hyb_device_view_t l1;
    double pivot[2 * WIDTH + 2];
} half_t;

/* Rows of the host's panel from `from` on, with their own top or without. */
static half_t open_half(const device_fixture_t *f, hyb_priority_t priority,
                        int64_t from)
{
    hyb_device_view_t matrix =
        device_cases_matrix(f->device, HALF + WIDTH, WIDTH);
    hyb_device_view_t panel =
        hyb_device_view_part(matrix, WIDTH, 0, HALF, WIDTH);
    half_t half = {
        .l1 = hyb_device_view_first(from == 0 ? panel : matrix, WIDTH, WIDTH)};

    assert_ok(hyb_queue_create(f->device, priority, &half.queue));
    half.column = (hyb_panel_column_t){
        .panel = panel,
        .top = from == 0 ? hyb_device_view_first(panel, 0, 0) : half.l1,
        .end = WIDTH,
        .column = -1,
        .pivot = device_cases_matrix(f->device, hyb_pivot_elements(WIDTH), 1)};
    assert_ok(hyb_queue_copy_in(
        half.queue, (xh_view_t){at(from, 0), HALF, WIDTH, ld}, panel));
    return half;
}

/* Its proposal for the next column comes out. */
static void propose(const device_fixture_t *f, half_t *half)
{
    assert_ok(hyb_queue_panel_column(half->queue, &half->column));
    device_cases_read(f->device, half->queue, half->column.pivot, half->pivot);
    half->column.column++;
}

/* The better row; in place of it the first half's current one. */
static void answer(half_t *halves)
{
    const int64_t n = hyb_pivot_elements(WIDTH);
    double *pivot[] = {halves[0].pivot, halves[1].pivot};
    int best = pivot[1][KEY] > pivot[0][KEY];

    memcpy(pivot[!best] + BEST, pivot[best] + BEST, WIDTH * sizeof(double));
    memcpy(pivot[1], pivot[0], WIDTH * sizeof(double));
    pivot[!best][ROW] = -1;
    for (int i = 0; i < 2; i++)
        assert_ok(hyb_queue_copy_in(halves[i].queue,
                                    (xh_view_t){pivot[i], n, 1, n},
                                    halves[i].column.pivot));
}

static void check_l1(const device_fixture_t *f, half_t *half)
{
    double l1[WIDTH * WIDTH];
    int wrong = 0;

    device_cases_read(f->device, half->queue, half->l1, l1);
    for (int j = 0; j < WIDTH; j++)
        for (int i = 0; i < WIDTH; i++)
            wrong += !equal(l1[i + j * WIDTH], *at(i, j));
    assert_int_equal(wrong, 0);
    hyb_queue_destroy(half->queue);
    hyb_buffer_destroy(half->column.pivot.buffer);
    hyb_buffer_destroy(half->l1.buffer);
}

/* Equal ones, and zeros, go to the first process. */
DEVICE_CASE_WITH(two_parts_of_a_panel_agree_on_pivots, HYB_OP_PANEL_COLUMN)
{
    static double (*const first[])(void) = {random_entry, sign, zero};
    half_t halves[2];

    for (size_t i = 0; i < COUNT_OF(first); i++) {
        fill(first[i] == zero ? zero : random_entry);
        for (int64_t r = 0; r < 2 * HALF; r++)
            *at(r, 0) = first[i]();
        halves[0] = open_half(f, HYB_QUEUE_NORMAL, 0);
        halves[1] = open_half(f, HYB_QUEUE_HIGH, HALF);
        for (int c = 0; c < WIDTH; c++) {
            propose(f, &halves[0]);
            propose(f, &halves[1]);
            answer(halves);
        }
        propose(f, &halves[0]);
        propose(f, &halves[1]);
        step_on_host(2 * HALF, WIDTH, 0, WIDTH);
        check_l1(f, &halves[0]);
        check_l1(f, &halves[1]);
    }
}

static hyb_panel_column_t without_rows(const device_fixture_t *f)
{
    hyb_device_view_t all = device_cases_matrix(f->device, 4, 10);

    return (hyb_panel_column_t){.panel = hyb_device_view_first(all, 0, 4),
                                .top = hyb_device_view_first(all, 4, 4),
                                .end = 4,
                                .column = -1,
                                .pivot =
                                    hyb_device_view(all.buffer, 16, 10, 1)};
}

DEVICE_CASE_WITH(a_part_without_rows_proposes_none, HYB_OP_PANEL_COLUMN)
{
    double pivot[10];
    hyb_panel_column_t p = without_rows(f);

    assert_ok(hyb_queue_panel_column(f->queue, &p));
    device_cases_read(f->device, f->queue, p.pivot, pivot);
    assert_true(pivot[4] == -1 && pivot[5] == -1);
    hyb_buffer_destroy(p.top.buffer);
}
