/* SPDX-License-Identifier: BSD-3-Clause */
#include <float.h>
#include <math.h>
#include <sched.h>
#include "base/clock.h"
#include "testing/unit/device_cases.h"

/* Steps of a panel, held against elimination as the textbook has it. */

enum { LD = 90, COLUMNS = 50, TOP = 5, LEFT = 3 }; /* where the panel begins */

static double host[LD * COLUMNS];
static int64_t pivots[COLUMNS];

/* Element (i, j) of the panel. */
static double *at(int64_t i, int64_t j)
{
    return &host[TOP + i + (LEFT + j) * LD];
}

static double random_entry(void)
{
    return (double)rand() / RAND_MAX - 0.5;
}

static void fill(double (*entry)(void))
{
    for (int i = 0; i < LD * COLUMNS; i++)
        host[i] = entry();
}

/* ---- the reference ------------------------------------------------------- */

static double key_of(double x)
{
    return isnan(x) ? INFINITY : fabs(x);
}

static void eliminate(int64_t rows, int64_t cols, int64_t c, int64_t end)
{
    double pivot = *at(c, c);

    for (int64_t i = c + 1; i < rows && pivot != 0; i++)
        *at(i, c) =
            fabs(pivot) < DBL_MIN ? *at(i, c) / pivot : *at(i, c) * (1 / pivot);
    for (int64_t j = c + 1; j < end && j < cols; j++)
        for (int64_t i = c + 1; i < rows; i++)
            *at(i, j) -= *at(i, c) * *at(c, j);
}

static void step_on_host(int64_t rows, int64_t cols, int64_t first,
                         int64_t count)
{
    for (int64_t c = first; c < first + count; c++) {
        pivots[c] = c;
        for (int64_t i = c; i < rows; i++)
            if (key_of(*at(i, c)) > key_of(*at(pivots[c], c)))
                pivots[c] = i;
        for (int64_t j = 0; j < cols; j++) {
            double kept = *at(c, j);

            *at(c, j) = *at(pivots[c], j);
            *at(pivots[c], j) = kept;
        }
        eliminate(rows, cols, c, first + count);
    }
}

/* ---- the device ---------------------------------------------------------- */

static const device_fixture_t *fixture(void **state)
{
    const device_fixture_t *f = device_cases_fixture(state);

    if (!hyb_device_has(f->device, HYB_OP_PANEL_STEP))
        skip();
    return f;
}

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
    for (int i = 0; i < LD * COLUMNS; i++)
        wrong += !equal(result[i], host[i]);
    assert_int_equal(wrong, 0);
}

static void check_step(const device_fixture_t *f, int64_t rows, int64_t cols,
                       int64_t first, int64_t count)
{
    static double result[LD * COLUMNS];
    hyb_block_t all = device_cases_matrix(f->device, LD, COLUMNS);
    hyb_block_t list = device_cases_matrix(f->device, COLUMNS, 1);
    int64_t chosen[COLUMNS];
    hyb_panel_step_t step = {.panel =
                                 hyb_block_part(all, TOP, LEFT, rows, cols),
                             .first = first,
                             .count = count,
                             .pivots = hyb_block_part(list, 0, 0, cols, 1)};

    memset(pivots, 0, sizeof(pivots));
    assert_ok(
        hyb_queue_copy_in(f->queue, (xh_view_t){host, LD, COLUMNS, LD}, all));
    assert_ok(hyb_queue_upload(f->queue, pivots, list));
    assert_ok(hyb_queue_panel_step(f->queue, &step));
    assert_ok(hyb_queue_copy_out(f->queue, all,
                                 (xh_view_t){result, LD, COLUMNS, LD}));
    assert_ok(hyb_queue_copy_out(
        f->queue, list, (xh_view_t){(double *)chosen, COLUMNS, 1, COLUMNS}));
    assert_ok(device_cases_finish(f->device, f->queue));
    step_on_host(rows, cols, first, count);
    compare(result, chosen, cols);
    hyb_buffer_destroy(list.buffer);
    hyb_buffer_destroy(all.buffer);
}

/* ---- cases ----------------------------------------------------------------
 */

void a_panel_step_eliminates_with_pivots(void **state)
{
    const device_fixture_t *f = fixture(state);

    srand(3);
    for (int round = 0; round < 20; round++) {
        int64_t cols = 1 + rand() % 40, count = 1 + rand() % 32;
        int64_t first = rand() % cols, rows = cols + rand() % (80 - cols);

        fill(random_entry);
        check_step(f, rows, cols, first,
                   count < cols - first ? count : cols - first);
    }
    fill(random_entry);
    check_step(f, 1, 1, 0, 1);
    check_step(f, 20, 40, 0, 20); /* no row is left */
    check_step(f, 32, 32, 0, HYB_PANEL_STEP);
    check_step(f, 40, 40, 8, 0);
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
void of_equal_pivots_the_first_row_counts(void **state)
{
    const device_fixture_t *f = fixture(state);

    for (int round = 0; round < 10; round++) {
        fill(sign);
        check_step(f, 30, 12, round, 1);
        check_step(f, 30, 12, 0, 2);
    }
    fill(zero);
    *at(9, 4) = *at(7, 4) = -3;
    check_step(f, 30, 12, 4, 1);
}

void a_zero_pivot_divides_nothing(void **state)
{
    const device_fixture_t *f = fixture(state);

    fill(random_entry);
    for (int64_t i = 0; i < 40; i++)
        *at(i, 3) = *at(i, 5) = 0;
    check_step(f, 40, 10, 3, 1);
    fill(zero);
    check_step(f, 40, 10, 0, 10);
}

void a_tiny_pivot_divides(void **state)
{
    const device_fixture_t *f = fixture(state);

    fill(random_entry);
    for (int64_t i = 0; i < 40; i++)
        *at(i, 2) *= 1e-309;
    check_step(f, 40, 10, 2, 1);
}

void a_panels_nan_counts_as_infinite(void **state)
{
    const device_fixture_t *f = fixture(state);

    fill(random_entry);
    *at(17, 2) = NAN;
    *at(21, 2) = -INFINITY;
    check_step(f, 40, 10, 2, 1);
    fill(random_entry);
    *at(17, 2) = INFINITY;
    *at(21, 2) = NAN;
    check_step(f, 40, 10, 2, 1);
}

/* ---- of two processes -----------------------------------------------------
 */

/* A part of the panel with the box by which it agrees. */
typedef struct {
    hyb_queue_t *queue;
    hyb_block_t panel, l1;
    hyb_pivot_box_t *box;
    hyb_buffer_t *list;
} half_t;

enum { HALF = 30, WIDTH = 20, BOX = sizeof(hyb_pivot_box_t) + 16 * WIDTH };

/* Rows of the host's panel from `from` on, with their own top or without. */
static half_t open_half(const device_fixture_t *f, hyb_priority_t priority,
                        int64_t from)
{
    hyb_block_t matrix = device_cases_matrix(f->device, HALF + WIDTH, WIDTH);
    hyb_block_t list = device_cases_matrix(f->device, WIDTH, 1);
    half_t half = {.panel = hyb_block_part(matrix, WIDTH, 0, HALF, WIDTH)};
    hyb_panel_step_t step = {.count = WIDTH, .pivots = list};
    double *memory;

    assert_ok(hyb_queue_create(f->device, priority, &half.queue));
    assert_ok(hyb_pinned_alloc(f->device, BOX, &memory));
    half.box = memset(memory, 0, BOX);
    half.l1 =
        hyb_block_part(from == 0 ? half.panel : matrix, 0, 0, WIDTH, WIDTH);
    step.panel = half.panel;
    step.l1 = from == 0 ? hyb_block_part(matrix, 0, 0, 0, 0) : half.l1;
    step.box = half.box;
    assert_ok(hyb_queue_copy_in(
        half.queue, (xh_view_t){at(from, 0), HALF, WIDTH, LD}, half.panel));
    assert_ok(hyb_queue_panel_step(half.queue, &step));
    half.list = list.buffer;
    return half;
}

static void await_proposal(const half_t *half, int column)
{
    double end = xh_clock_now() + DEVICE_PATIENCE;

    while (atomic_load(&half->box->proposed) <= column) {
        assert_true(xh_clock_now() < end);
        sched_yield();
    }
}

/* The better row; in place of it the first half's current one. */
static void answer(half_t *halves, int column)
{
    hyb_pivot_box_t *box[] = {halves[0].box, halves[1].box};
    int best = box[1]->key > box[0]->key;

    memcpy(box[!best]->rows, box[best]->rows, WIDTH * sizeof(double));
    memcpy(box[1]->rows + WIDTH, box[0]->rows + WIDTH, WIDTH * sizeof(double));
    box[!best]->row = -1;
    for (int i = 0; i < 2; i++)
        atomic_store(&box[i]->agreed, column + 1);
}

static void check_l1(const device_fixture_t *f, half_t *half)
{
    double l1[WIDTH * WIDTH];
    int wrong = 0;

    assert_ok(hyb_queue_copy_out(half->queue, half->l1,
                                 (xh_view_t){l1, WIDTH, WIDTH, WIDTH}));
    assert_ok(device_cases_finish(f->device, half->queue));
    for (int j = 0; j < WIDTH; j++)
        for (int i = 0; i < WIDTH; i++)
            wrong += !equal(l1[i + j * WIDTH], *at(i, j));
    assert_int_equal(wrong, 0);
    hyb_queue_destroy(half->queue);
    hyb_pinned_free(f->device, (double *)half->box, BOX);
    hyb_buffer_destroy(half->panel.buffer);
    hyb_buffer_destroy(half->list);
}

void two_parts_of_a_panel_agree_on_pivots(void **state)
{
    const device_fixture_t *f = fixture(state);
    hyb_device_info_t info;
    half_t halves[2];

    assert_ok(hyb_device_describe(f->device, &info));
    if (info.lacks_box)
        skip();
    fill(random_entry);
    halves[0] = open_half(f, HYB_QUEUE_NORMAL, 0);
    halves[1] = open_half(f, HYB_QUEUE_HIGH, HALF);
    for (int c = 0; c < WIDTH; c++) {
        await_proposal(&halves[0], c);
        await_proposal(&halves[1], c);
        answer(halves, c);
    }
    step_on_host(2 * HALF, WIDTH, 0, WIDTH);
    check_l1(f, &halves[0]);
    check_l1(f, &halves[1]);
}
