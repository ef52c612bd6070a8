/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: isa */
#include "testing/unit/unit.h"

#include <math.h>
#include "testing/unit/base/framed.h"
#include "testing/unit/cpu/kernels.h"

/* ---- what each function computes ----------------------------------------- */

enum { DEPTH = 37, MOST = 40, LD = MOST + 3, TILES = 3 };

/* Operands, all random; results, which are equal at first, to their ends. */
enum { SIZE = TILES * HYB_KERNEL_MOST_ROWS * 2 * MOST };

static _Alignas(64) double a[SIZE], b[SIZE], l[SIZE], got[SIZE], want[SIZE];

static void draw(void)
{
    for (int i = 0; i < SIZE; i++) {
        a[i] = framed_drawn();
        b[i] = framed_drawn();
        l[i] = 0.1 * framed_drawn();
        got[i] = want[i] = framed_drawn();
    }
}

static void compare(void)
{
    for (int i = 0; i < SIZE; i++)
        assert_true(fabs(got[i] - want[i]) <= 1e-12);
}

static void check_multiply(const hyb_kernel_t *k, int depth)
{
    draw();
    for (int j = 0; j < k->cols; j++)
        for (int i = 0; i < k->rows; i++)
            for (int p = 0; p < depth; p++)
                want[i + j * LD] += a[p * k->rows + i] * b[p * k->cols + j];
    k->multiply(depth, a, b, got, LD, a);
    compare();
}

/* x := - L^-1 (x + A * B) */
static void solve(const hyb_kernel_t *k, int depth, double *x)
{
    for (int i = 0; i < k->rows; i++)
        for (int j = 0; j < k->cols; j++) {
            double *sum = &x[i * k->cols + j];

            for (int p = 0; p < depth; p++)
                *sum += a[p * k->rows + i] * b[p * k->cols + j];
            for (int p = 0; p < i; p++)
                *sum += l[p * k->rows + i] * x[p * k->cols + j];
            *sum = -*sum;
        }
}

static void check_solve(const hyb_kernel_t *k, int depth)
{
    draw();
    k->solve(depth, a, l, b, got);
    solve(k, depth, want);
    compare();
}

/* One tile; the keys of C's first column go to key. */
static void eliminate(const hyb_kernel_t *k, const hyb_elimination_t *e,
                      double *tile, double *key)
{
    double *c = tile + e->depth * k->rows;

    for (int i = 0; i < k->rows; i++)
        c[i - k->rows] *= e->scale;
    for (int j = 0; j < e->cols; j++) {
        const double *u = e->b + j / k->cols * k->cols * e->depth + j % k->cols;

        for (int p = 0; p < e->depth; p++)
            for (int i = 0; i < k->rows; i++)
                c[j * k->rows + i] += tile[p * k->rows + i] * u[p * k->cols];
    }
    for (int i = 0; i < k->rows && e->cols > 0; i++)
        key[i] = fabs(c[i]);
}

static void check_eliminate(const hyb_kernel_t *k, int depth, int cols)
{
    hyb_elimination_t e = {.depth = depth, .scale = 0.5, .cols = cols, .b = b};
    int64_t stride = (int64_t)k->rows * (depth + cols);
    double keys[TILES * HYB_KERNEL_MOST_ROWS] = {0.0};
    hyb_candidate_t best;
    int largest = 0;

    draw();
    best = k->eliminate(&e, got, stride, TILES);
    for (int i = 0; i < TILES; i++)
        eliminate(k, &e, want + i * stride, keys + i * k->rows);
    compare();
    for (int i = 0; i < TILES * k->rows; i++)
        if (keys[i] > keys[largest])
            largest = i;
    if (cols > 0) {
        assert_int_equal(best.row, largest);
        assert_true(fabs(best.key - keys[largest]) <= 1e-12);
    }
}

static void check_substitute(const hyb_kernel_t *k, int from)
{
    draw();
    k->substitute(l, LD, from, DEPTH, got);
    for (int i = from; i < DEPTH; i++)
        for (int p = 0; p < i; p++)
            for (int j = 0; j < k->cols; j++)
                want[i * k->cols + j] -= l[i * LD + p] * want[p * k->cols + j];
    compare();
}

TEST_EVERY_KERNEL(the_loops_of_a_tile_are_those_of_the_definition)
{
    for (int i = 1; i <= DEPTH; i++) {
        check_multiply(kernel, i);
        check_solve(kernel, i - 1);
        check_eliminate(kernel, 1 + i % 9, i - 1);
        check_substitute(kernel, i - 1);
    }
}

TEST_EVERY_KERNEL(entries_are_the_sequences_bits)
{
    const uint64_t seed = 100;
    xh_lanes_t lanes = xh_lanes();

    draw();
    for (int count = 0; count <= 100; count++) {
        kernel->generate(&lanes, seed, count, got);
        xh_sequence_run(&lanes, seed, count, want);
        assert_memory_equal(got, want, sizeof(got));
    }
}

/* ---- sweeps -------------------------------------------------------------- */

/* a, x and what is to be added to; numbers small enough to be exact. */
typedef struct {
    double a[LD * MOST], x[MOST];
    double r[MOST + 1], rows[MOST + 1], columns[MOST + 1];
} data_t;

static void fill(data_t *d)
{
    memset(d, 0, sizeof(*d));
    for (int i = 0; i < LD * MOST; i++)
        d->a[i] = i * 37 % 101 - 50;
    for (int i = 0; i < MOST; i++)
        d->x[i] = i * 7 % 11 - 5;
    for (int i = 0; i <= MOST; i++) {
        d->r[i] = i;
        d->rows[i] = 2 * i;
        d->columns[i] = 3 * i;
    }
}

static void by_the_book(data_t *d, int rows, int cols)
{
    for (int j = 0; j < cols; j++)
        for (int i = 0; i < rows; i++) {
            d->r[i] -= d->a[i + j * LD] * d->x[j];
            d->rows[i] += fabs(d->a[i + j * LD]);
            d->columns[j] += fabs(d->a[i + j * LD]);
        }
}

static hyb_sweep_t sweep_of(const data_t *d, int rows, int cols)
{
    return (hyb_sweep_t){
        .a = d->a, .rows = rows, .cols = cols, .ld = LD, .x = d->x};
}

static void check_sweep(const hyb_kernel_t *k, int rows, int cols)
{
    static data_t is, should_be;
    hyb_sweep_t c = sweep_of(&is, rows, cols);
    hyb_sums_t sums = {.rows = is.rows, .columns = is.columns};

    fill(&is);
    fill(&should_be);
    by_the_book(&should_be, rows, cols);
    k->subtract(&c, is.r);
    assert_memory_equal(is.r, should_be.r, sizeof(is.r));
    fill(&is);
    k->subtract_and_sum(&c, is.r, &sums);
    assert_memory_equal(&is, &should_be, sizeof(is));
}

TEST_EVERY_KERNEL(sweeps_are_those_of_the_definition)
{
    for (int rows = 0; rows <= MOST; rows++)
        for (int cols = 0; cols <= 11; cols++)
            check_sweep(kernel, rows, cols);
}

/* Entry (row, 2) of 30 x 5 is a NaN: who must show it? */
TEST_EVERY_KERNEL(a_nan_stays_in_its_row_and_its_column)
{
    static data_t d;
    hyb_sweep_t c = sweep_of(&d, 30, 5);
    hyb_sums_t sums = {.rows = d.rows, .columns = d.columns};

    for (int row = 0; row < 30; row++) {
        fill(&d);
        d.a[row + 2 * LD] = -NAN;
        kernel->subtract_and_sum(&c, d.r, &sums);
        for (int i = 0; i < 30; i++)
            assert_true(isnan(d.r[i]) == (i == row) &&
                        isnan(d.rows[i]) == (i == row));
        for (int i = 0; i < 5; i++)
            assert_int_equal(isnan(d.columns[i]) != 0, i == 2);
    }
}

TEST(a_kernel_is_found_where_the_processor_has_it)
{
    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        const hyb_kernel_t *kernel = hyb_kernel_find((xh_isa_t)isa);

        assert_int_equal(kernel != NULL, xh_cpu_has((xh_isa_t)isa));
        if (kernel == NULL)
            continue;
        assert_int_equal(kernel->isa, isa);
        assert_string_equal(kernel->name, xh_cpu_isa_name((xh_isa_t)isa));
    }
}
