/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <math.h>
#include "hybrid/lu/sweep.h"

enum { MOST = 40, LD = MOST + 3 };

/* a, x and what is to be added to; numbers small enough to be exact. */
typedef struct {
    double a[LD * MOST], x[MOST];
    double r[MOST + 1], rows[MOST + 1], columns[MOST + 1];
} data_t;

static void fill(data_t *d)
{
    int i;

    memset(d, 0, sizeof(*d));
    for (i = 0; i < LD * MOST; i++)
        d->a[i] = i * 37 % 101 - 50;
    for (i = 0; i < MOST; i++)
        d->x[i] = i * 7 % 11 - 5;
    for (i = 0; i <= MOST; i++) {
        d->r[i] = i;
        d->rows[i] = 2 * i;
        d->columns[i] = 3 * i;
    }
}

static void by_the_book(data_t *d, int rows, int cols)
{
    int i, j;

    for (j = 0; j < cols; j++)
        for (i = 0; i < rows; i++) {
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

static void check_subtract(xh_isa_t isa, int rows, int cols)
{
    static data_t is, should_be;
    hyb_sweep_t c = sweep_of(&is, rows, cols);

    fill(&is);
    fill(&should_be);
    by_the_book(&should_be, rows, cols);
    hyb_sweep_ops(isa)->subtract(&c, is.r);
    assert_memory_equal(is.r, should_be.r, sizeof(is.r));
}

static void check_sums(xh_isa_t isa, int rows, int cols)
{
    static data_t is, should_be;
    hyb_sweep_t c = sweep_of(&is, rows, cols);
    hyb_sums_t sums = {.rows = is.rows, .columns = is.columns};

    fill(&is);
    fill(&should_be);
    by_the_book(&should_be, rows, cols);
    hyb_sweep_ops(isa)->subtract_and_sum(&c, is.r, &sums);
    assert_memory_equal(&is, &should_be, sizeof(is));
}

/* Of all instruction sets here, on all numbers of rows and columns. */
static void check_all(void (*check)(xh_isa_t, int, int))
{
    int isa, rows, cols;

    for (isa = XH_ISA_PORTABLE; isa <= (int)xh_cpu_isa(); isa++)
        for (rows = 0; rows <= MOST; rows++)
            for (cols = 0; cols <= 11; cols++)
                check((xh_isa_t)isa, rows, cols);
}

static void products_are_those_of_the_definition(void **state)
{
    (void)state;
    check_all(check_subtract);
}

static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    check_all(check_sums);
}

/* Entry (row, 2) of 30 x 5 is a NaN: who must show it? */
static void check_nan(xh_isa_t isa, int row)
{
    static data_t d;
    hyb_sweep_t c = sweep_of(&d, 30, 5);
    hyb_sums_t sums = {.rows = d.rows, .columns = d.columns};
    int i;

    fill(&d);
    d.a[row + 2 * LD] = -NAN;
    hyb_sweep_ops(isa)->subtract_and_sum(&c, d.r, &sums);
    for (i = 0; i < 30; i++)
        assert_true(isnan(d.r[i]) == (i == row) &&
                    isnan(d.rows[i]) == (i == row));
    for (i = 0; i < 5; i++)
        assert_int_equal(isnan(d.columns[i]) != 0, i == 2);
}

static void a_nan_stays_in_its_row_and_its_column(void **state)
{
    int isa, row;

    (void)state;
    for (isa = XH_ISA_PORTABLE; isa <= (int)xh_cpu_isa(); isa++)
        for (row = 0; row < 30; row++)
            check_nan((xh_isa_t)isa, row);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(products_are_those_of_the_definition),
    cmocka_unit_test(sums_are_those_of_the_definition),
    cmocka_unit_test(a_nan_stays_in_its_row_and_its_column),
};

UNIT_MAIN(cases)
