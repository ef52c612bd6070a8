/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <math.h>
#include "testing/unit/framed.h"
#include "testing/unit/kernels.h"

/* ---- tables with holes --------------------------------------------------- */

/* All that a table may leave out. */
#define EACH_MEMBER(X)                                                         \
    X(multiply)                                                                \
    X(solve)                                                                   \
    X(eliminate)                                                               \
    X(substitute)                                                              \
    X(subtract)                                                                \
    X(subtract_and_sum)                                                        \
    X(generate)                                                                \
    X(blocks.depth)                                                            \
    X(blocks.block)                                                            \
    X(blocks.least_cols)                                                       \
    X(blocks.most_cols)

#define ONE(member) +1
enum { MEMBERS = EACH_MEMBER(ONE) };

/* A copy of kernel without one member, completed. */
static hyb_kernel_t without(const hyb_kernel_t *kernel, int member)
{
    hyb_kernel_t k = *kernel;
    int i = 0;

#define ERASE(name)                                                            \
    if (i++ == member)                                                         \
        k.name = 0;
    EACH_MEMBER(ERASE)
    hyb_kernel_complete(&k);
    return k;
}

static void check_complete(const hyb_kernel_t *k)
{
#define CHECK(name) assert_true(k->name != 0);
    EACH_MEMBER(CHECK)
    assert_in_range(k->rows, 1, HYB_KERNEL_MOST_ROWS);
    assert_in_range(k->cols, 1, HYB_KERNEL_MOST_COLS);
    assert_true(k->blocks.least_cols <= k->blocks.most_cols);
}

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

static void check_solve(const hyb_kernel_t *k, int depth)
{
    draw();
    k->solve(k, depth, a, l, b, got);
    hyb_kernel_any.solve(k, depth, a, l, b, want);
    compare();
}

static void check_eliminate(const hyb_kernel_t *k, int depth, int cols)
{
    hyb_elimination_t e = {
        .kernel = k, .depth = depth, .scale = 0.5, .cols = cols, .b = b};
    int64_t stride = (int64_t)k->rows * (depth + cols);
    hyb_candidate_t best, expected;

    draw();
    best = k->eliminate(&e, got, stride, TILES);
    expected = hyb_kernel_any.eliminate(&e, want, stride, TILES);
    compare();
    if (cols > 0) {
        assert_int_equal(best.row, expected.row);
        assert_true(fabs(best.key - expected.key) <= 1e-12);
    }
}

static void check_substitute(const hyb_kernel_t *k, int from)
{
    draw();
    k->substitute(k, l, LD, from, DEPTH, got);
    hyb_kernel_any.substitute(k, l, LD, from, DEPTH, want);
    compare();
}

static void check_tile(const hyb_kernel_t *k)
{
    for (int i = 1; i <= DEPTH; i++) {
        check_multiply(k, i);
        check_solve(k, i - 1);
        check_eliminate(k, 1 + i % 9, i - 1);
        check_substitute(k, i - 1);
    }
}

static void check_generate(const hyb_kernel_t *k)
{
    const uint64_t seed = 100;
    xh_lanes_t lanes = xh_lanes();

    draw();
    for (int count = 0; count <= 100; count++) {
        k->generate(&lanes, seed, count, got);
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

static void check_sweeps(const hyb_kernel_t *k)
{
    for (int rows = 0; rows <= MOST; rows++)
        for (int cols = 0; cols <= 11; cols++)
            check_sweep(k, rows, cols);
}

/* Entry (row, 2) of 30 x 5 is a NaN: who must show it? */
static void check_nan(const hyb_kernel_t *k)
{
    static data_t d;
    hyb_sweep_t c = sweep_of(&d, 30, 5);
    hyb_sums_t sums = {.rows = d.rows, .columns = d.columns};

    for (int row = 0; row < 30; row++) {
        fill(&d);
        d.a[row + 2 * LD] = -NAN;
        k->subtract_and_sum(&c, d.r, &sums);
        for (int i = 0; i < 30; i++)
            assert_true(isnan(d.r[i]) == (i == row) &&
                        isnan(d.rows[i]) == (i == row));
        for (int i = 0; i < 5; i++)
            assert_int_equal(isnan(d.columns[i]) != 0, i == 2);
    }
}

/* ---- cases --------------------------------------------------------------- */

static void check_with_a_hole(const hyb_kernel_t *kernel)
{
    for (int member = 0; member < MEMBERS; member++) {
        hyb_kernel_t k = without(kernel, member);

        check_complete(&k);
        check_tile(&k);
        check_generate(&k);
        check_sweep(&k, 20, 5);
    }
}

WITH_EVERY_KERNEL(a_table_is_complete, check_complete)
WITH_EVERY_KERNEL(the_loops_of_a_tile_are_those_of_the_definition, check_tile)
WITH_EVERY_KERNEL(entries_are_the_sequences_bits, check_generate)
WITH_EVERY_KERNEL(sweeps_are_those_of_the_definition, check_sweeps)
WITH_EVERY_KERNEL(a_nan_stays_in_its_row_and_its_column, check_nan)
WITH_EVERY_KERNEL(whatever_a_table_leaves_out_is_filled_in, check_with_a_hole)

TEST(an_empty_table_becomes_the_portable_one)
{
    const hyb_kernel_t *portable = hyb_kernel_find(XH_ISA_PORTABLE);
    hyb_kernel_t k = {.name = portable->name, .isa = portable->isa};

    hyb_kernel_complete(&k);
    assert_memory_equal(&k, portable, sizeof(k));
}

/* Its solve is for a tile that is not taken. */
TEST(without_a_product_the_tile_is_the_portable_one)
{
    const hyb_kernel_t *portable = hyb_kernel_find(XH_ISA_PORTABLE);
    hyb_kernel_t k = {
        .rows = 24, .cols = 8, .solve = hyb_kernel_widest()->solve};

    hyb_kernel_complete(&k);
    assert_int_equal(k.rows, portable->rows);
    assert_int_equal(k.cols, portable->cols);
    assert_true(k.solve == portable->solve);
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
    assert_int_equal(hyb_kernel_widest()->isa, xh_cpu_isa());
}

TEST_SHARED(a_table_is_complete, NULL, NULL)
TEST_SHARED(the_loops_of_a_tile_are_those_of_the_definition, NULL, NULL)
TEST_SHARED(entries_are_the_sequences_bits, NULL, NULL)
TEST_SHARED(sweeps_are_those_of_the_definition, NULL, NULL)
TEST_SHARED(a_nan_stays_in_its_row_and_its_column, NULL, NULL)
TEST_SHARED(whatever_a_table_leaves_out_is_filled_in, NULL, NULL)

TEST_MAIN()
