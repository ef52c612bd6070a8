/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/update/run.h"

#include "hybrid/cpu/update/pack.h"
#include "testing/unit/base/framed.h"
#include "testing/unit/cpu/kernels.h"
#include "testing/unit/unit.h"

typedef struct { /* one run and all that it meets */
    const hyb_kernel_t *kernel;
    int nb;
    int64_t cols;
    framed_t l1; /* as a panel's factorization leaves it, U above included */
    framed_t l2;
    hyb_factors_t factors;
    double *u;
} run_t;

static hyb_tiles_t tiles(const hyb_kernel_t *kernel, int64_t rows, int64_t cols)
{
    return (hyb_tiles_t){
        framed_doubles(hyb_pack_size(rows, cols, kernel->rows)), rows, cols,
        kernel->rows};
}

/* rows: of L2 */
static run_t opened(const hyb_kernel_t *kernel, int64_t rows, int nb,
                    int64_t cols)
{
    run_t x = {.kernel = kernel, .nb = nb, .cols = cols};

    x.l1 = framed(nb, nb);
    for (int64_t i = 0; i < x.l1.total; i++) /* so that solutions do not grow */
        x.l1.all[i] *= 8.0 / (nb + 8);
    x.l2 = framed(rows, nb);
    x.factors.kernel = kernel;
    x.factors.l1 = tiles(kernel, nb, nb);
    hyb_factors_pack_l1(x.l1.v, &x.factors.l1);
    x.factors.l2 = tiles(kernel, rows, nb);
    hyb_pack(x.l2.v, XH_NO_TRANS, 1.0, kernel->rows, x.factors.l2.data);
    x.u = framed_doubles(hyb_run_u_size(kernel, nb, cols) + 1);
    x.u[hyb_run_u_size(kernel, nb, cols)] = 1e300;
    return x;
}

static void closed(run_t x)
{
    assert_true(x.u[hyb_run_u_size(x.kernel, x.nb, x.cols)] == 1e300);
    framed_release(x.l1);
    framed_release(x.l2);
    free(x.factors.l1.data);
    free(x.factors.l2.data);
    free(x.u);
}

/* U's element (i, j) */
static double packed(const run_t *x, int64_t i, int64_t j)
{
    int width = x->kernel->cols;

    return x->u[j / width * width * x->nb + i * width + j % width];
}

/* The columns that fill up the last strip are zeros. */
static void compare_u(const run_t *x, xh_view_t want)
{
    int64_t all = hyb_run_u_size(x->kernel, x->nb, x->cols) / x->nb;

    for (int64_t j = 0; j < all; j++)
        for (int64_t i = 0; i < x->nb; i++)
            assert_true(packed(x, i, j) ==
                        (j < x->cols ? *xh_at(want, i, j) : 0.0));
}

/* ---- rows of U ---------------------------------------------------------- */

enum { MOST_NB = 1000, MOST_ROWS = 1200 };

static int source[MOST_NB], from[MOST_NB], to[MOST_NB];

static void interchange(xh_view_t v, int64_t i, int64_t k)
{
    for (int64_t j = 0; j < v.cols; j++) {
        double element = *xh_at(v, i, j);

        *xh_at(v, i, j) = *xh_at(v, k, j);
        *xh_at(v, k, j) = element;
    }
}

static void displace(hyb_swap_t *swap, int *row, int position)
{
    from[swap->displaced] = row[position];
    to[swap->displaced++] = position;
    row[position] = position;
}

/*
 * The interchanges of a panel's factorization, applied to v one by one. Some
 * of the displaced rows are listed in the order in which U's rows leave them.
 */
static hyb_swap_t interchanged(xh_view_t v, int nb, int most_pivot)
{
    hyb_swap_t swap = {
        .nb = nb, .source = source, .from = from, .to = to, .displaced = 0};
    int row[MOST_ROWS], pivot, rows = (int)v.rows;

    for (int i = 0; i < rows; i++)
        row[i] = i;
    for (int i = 0; i < nb; i++) {
        int mine = row[i];

        pivot = i + rand() % ((most_pivot > i ? most_pivot : i + 1) - i);
        interchange(v, i, pivot);
        row[i] = row[pivot];
        row[pivot] = mine;
    }
    memcpy(source, row, (size_t)nb * sizeof(int));
    for (int i = 0; i < nb; i++)
        if (source[i] >= nb && rand() % 16 != 0)
            displace(&swap, row, source[i]);
    for (int i = nb; i < rows; i++)
        if (row[i] != i)
            displace(&swap, row, i);
    return swap;
}

/* U in the packed rows, everything below the top in the columns. */
static void check_swap(const hyb_kernel_t *kernel, int rows, int nb, int cols,
                       int most_pivot)
{
    run_t x = opened(kernel, 1, nb, cols);
    framed_t a = framed(rows, cols), want = framed_copy(a);
    hyb_swap_t swap = interchanged(want.v, nb, most_pivot);

    hyb_run_swap(kernel, &swap, a.v, x.u);
    compare_u(&x, want.v);
    for (int64_t j = 0; j < cols; j++) /* the top of the columns is anyone's */
        memcpy(xh_at(a.v, 0, j), xh_at(want.v, 0, j),
               (size_t)nb * sizeof(double));
    framed_compare(a, want, 0.0);
    framed_release(a);
    framed_release(want);
    closed(x);
}

TEST_EVERY_KERNEL(a_swap_is_its_interchanges_one_by_one)
{
    int nb, rows;

    for (int i = 1; i <= 26; i++)
        check_swap(kernel, 40, i % 9 + 1, i, 40);
    for (int i = 0; i < 10; i++) {
        nb = 1 + rand() % MOST_NB;
        rows = nb + rand() % (MOST_ROWS - nb + 1);
        check_swap(kernel, rows, nb, 1 + rand() % 40, rows);
    }
    check_swap(kernel, 100, 100, 17, 100);
    check_swap(kernel, 300, 100, 17, 100);
    check_swap(kernel, 300, 100, 17, 0);
    check_swap(kernel, 110, 100, 17, 110);
}

/* Twice of rows comes back to where they are. */
static void check_return(run_t *x, const hyb_arrived_t *arrived, framed_t rows)
{
    framed_t want = framed_copy(rows);
    int64_t size = hyb_run_u_size(x->kernel, x->nb, x->cols);

    for (int64_t j = 0; j < want.v.cols; j++)
        for (int64_t i = 0; i < want.v.rows; i++)
            *xh_at(want.v, i, j) *= 2.0;
    for (int64_t i = 0; i < size; i++)
        x->u[i] *= 2.0;
    hyb_run_return_rows(x->kernel, x->u, x->cols, arrived);
    framed_compare(rows, want, 0.0);
    framed_release(want);
}

static void check_unpacking(const hyb_kernel_t *kernel, int nb, int64_t cols)
{
    run_t x = opened(kernel, 1, nb, cols);
    framed_t rows = framed(cols, nb), want = framed(nb, cols);
    int place[MOST_NB], other, mine;
    const hyb_arrived_t arrived = {nb, place, rows.v.data, rows.v.ld};

    for (int r = 0; r < nb; r++)
        place[r] = r;
    for (int r = 0; r < nb; r++) {
        other = rand() % nb;
        mine = place[r];
        place[r] = place[other];
        place[other] = mine;
    }
    for (int r = 0; r < nb; r++)
        for (int64_t j = 0; j < cols; j++)
            *xh_at(want.v, place[r], j) = *xh_at(rows.v, j, r);
    hyb_run_unpack_rows(kernel, &arrived, cols, x.u);
    compare_u(&x, want.v);
    check_return(&x, &arrived, rows);
    framed_release(rows);
    framed_release(want);
    closed(x);
}

TEST_EVERY_KERNEL(rows_from_elsewhere_take_their_places)
{
    for (int64_t cols = 1; cols <= 26; cols++)
        check_unpacking(kernel, 1 + rand() % 60, cols);
    check_unpacking(kernel, MOST_NB, 100);
}

/* ---- solving ------------------------------------------------------------ */

/* u := L1^-1 u as its definition says; what l1 has above is not read. */
static void substitute(xh_view_t l1, xh_view_t u)
{
    for (int64_t j = 0; j < u.cols; j++)
        for (int64_t i = 0; i < u.rows; i++)
            for (int64_t k = 0; k < i; k++)
                *xh_at(u, i, j) -= *xh_at(l1, i, k) * *xh_at(u, k, j);
}

/* u := factor * rows of U */
static void put_rows(const run_t *x, double factor, xh_view_t u)
{
    int place[MOST_NB];
    double *rows = framed_doubles(x->nb * x->cols);
    const hyb_arrived_t arrived = {x->nb, place, rows, x->cols};

    for (int i = 0; i < x->nb; i++) {
        place[i] = i;
        for (int64_t j = 0; j < x->cols; j++)
            rows[i * x->cols + j] = factor * *xh_at(u, i, j);
    }
    hyb_run_unpack_rows(x->kernel, &arrived, x->cols, x->u);
    free(rows);
}

static void check_solve(const hyb_kernel_t *kernel, int nb, int64_t cols)
{
    run_t x = opened(kernel, 1, nb, cols);
    framed_t want = framed(nb, cols), got = framed_copy(want);

    put_rows(&x, 1.0, want.v);
    substitute(x.l1.v, want.v);
    hyb_run_solve(&x.factors, cols, x.u);
    hyb_run_store(&x.factors, x.u, got.v);
    framed_compare(got, want, 1e-14 * (nb + 10));
    framed_release(want);
    framed_release(got);
    closed(x);
}

TEST_EVERY_KERNEL(u_is_solved_with_what_is_below_the_diagonal)
{
    for (int nb = 1; nb <= 60; nb++)
        check_solve(kernel, nb, 1 + nb % 19);
    for (int i = 0; i < 4; i++)
        check_solve(kernel, 1 + rand() % MOST_NB, 1 + rand() % 50);
    check_solve(kernel, MOST_NB, 24);
}

/* ---- updating ----------------------------------------------------------- */

typedef struct {
    int64_t l2_rows, rows, cols;
    int nb;
} shape_t;

static void count(void *context)
{
    ++*(int *)context;
}

static void subtract_product(xh_view_t a, xh_view_t b, xh_view_t c)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i++) {
            double sum = 0.0;

            for (int64_t k = 0; k < a.cols; k++)
                sum += *xh_at(a, i, k) * *xh_at(b, k, j);
            *xh_at(c, i, j) -= sum;
        }
}

static void check_multiply(const hyb_kernel_t *kernel, shape_t s)
{
    run_t x = opened(kernel, s.l2_rows, s.nb, s.cols);
    framed_t u = framed(s.nb, s.cols), c = framed(s.rows, s.cols);
    framed_t want = framed_copy(c);
    int polls = 0;
    hyb_run_poll_t poll = {count, &polls};

    put_rows(&x, -1.0, u.v);
    subtract_product(xh_view_part(x.l2.v, 0, 0, s.rows, s.nb), u.v, want.v);
    hyb_run_multiply(&x.factors, x.u, c.v, &poll);
    framed_compare(c, want, 1e-15 * (s.nb + 10));
    assert_int_equal(polls > 0, s.rows > 0 && s.cols > 0);
    framed_release(u);
    framed_release(c);
    framed_release(want);
    closed(x);
}

/* C is cut anywhere, or meets the first rows of L2; the panel is of any width.
 */
TEST_EVERY_KERNEL(a_run_is_subtracted_once)
{
    static const int nb[] = {1, 2, 128, 255, 256, 383, 384, 385, 1000};
    int64_t all;

    for (int64_t rows = 1; rows <= 26; rows++)
        for (int64_t cols = 1; cols <= 17; cols++)
            check_multiply(kernel, (shape_t){rows, rows, cols, 5});
    for (int i = 0; i < 20; i++) {
        all = 1 + rand() % 500;
        check_multiply(kernel, (shape_t){all, rand() % (all + 1),
                                         1 + rand() % 70, 1 + rand() % 100});
    }
    for (size_t i = 0; i < COUNT_OF(nb); i++)
        check_multiply(kernel, (shape_t){70, 46, 21, nb[i]});
    check_multiply(kernel, (shape_t){1300, 700, 203, 40}); /* many blocks */
}

TEST(runs_divide_a_panels_width_evenly)
{
    const hyb_kernel_t *kernel = widest_kernel();
    int64_t cols, runs;

    for (int64_t nb = 1; nb <= 2000; nb++) {
        cols = hyb_run_cols(kernel, nb);
        runs = (nb + cols - 1) / cols;
        assert_true(cols % kernel->cols == 0);
        assert_true(cols <= 256);
        assert_true(cols * runs - nb < runs * kernel->cols);
        assert_true(nb <= 128 ? runs == 1 : cols > 64);
    }
}
