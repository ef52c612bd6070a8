/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * What is tried before a run: a kernel, a device or a message that is wrong in
 * one number is found, and named.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <pthread.h>
#include "hpl/trust/trust.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/trust/trust.h"
#include "testing/unit/capture.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

enum { ROWS = 300, NB = 40 };

/* ---- right ones ---------------------------------------------------------- */

static void open_grid(HPL_T_grid *grid)
{
    int q = unit_processes() == 4 ? 2 : 1;

    HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, q, q, grid);
}

static void trust_all(int devices, const char *settings)
{
    static const int nb[] = {1, 7, NB, 150, 2000};
    HPL_T_grid grid;
    bool right = true;

    open_grid(&grid);
    driver_open_with_devices(devices, settings);
    capture_begin();
    for (size_t i = 0; i < COUNT_OF(nb); i++)
        right = hyb_trust(hyb_driver_means(), &grid, ROWS, nb[i]) && right;
    right = hyb_trust(hyb_driver_means(), &grid, 0, NB) && right;
    assert_string_equal(capture_end(NULL), "");
    assert_true(right);
    driver_close();
    HPL_grid_exit(&grid);
}

TEST(cores_and_devices_that_are_right_are_trusted)
{
    trust_all(0, "threads=2");
    trust_all(0, "threads=1 kernel=blas");
    trust_all(0, "threads=3 kernel=portable");
    trust_all(1, "threads=1");
}

TEST(a_blas_library_that_is_right_is_trusted)
{
    static const int nb[] = {1, 7, NB, 150, 2000};
    HPL_T_grid grid;
    bool right = true;

    open_grid(&grid);
    capture_begin();
    for (size_t i = 0; i < COUNT_OF(nb); i++)
        right = hpl_trust(&grid, ROWS, nb[i]) && right;
    assert_string_equal(capture_end(NULL), "");
    assert_true(right);
    HPL_grid_exit(&grid);
}

/* ---- wrong kernels ------------------------------------------------------- */

static const hyb_kernel_t *good;
static hyb_kernel_t bad;
static pthread_t spared; /* this thread computes rightly; 0: none */

/* The least change that a double can have. */
static void damage(double *x)
{
    if (spared == 0 || !pthread_equal(spared, pthread_self()))
        *x = nextafter(*x, INFINITY);
}

static void multiply(int64_t k, const double *a, const double *b, double *c,
                     int64_t ldc, const double *ahead)
{
    good->multiply(k, a, b, c, ldc, ahead);
    damage(&c[good->rows - 1 + (good->cols - 1) * ldc]);
}

static void solve(int64_t k, const double *a, const double *l, const double *b,
                  double *x)
{
    good->solve(k, a, l, b, x);
    damage(&x[0]);
}

static hyb_candidate_t eliminate(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count)
{
    hyb_candidate_t best = good->eliminate(e, first, stride, count);

    damage(&first[(count - 1) * stride]);
    return best;
}

static hyb_candidate_t choose(const hyb_elimination_t *e, double *first,
                              int64_t stride, int64_t count)
{
    hyb_candidate_t best = good->eliminate(e, first, stride, count);

    best.row = 0;
    return best;
}

static void substitute(const double *l, int64_t ld, int64_t from, int64_t depth,
                       double *b)
{
    good->substitute(l, ld, from, depth, b);
    damage(&b[(depth - 1) * good->cols]);
}

static void subtract(const hyb_sweep_t *sweep, double *r)
{
    good->subtract(sweep, r);
    damage(&r[sweep->rows - 1]);
}

static void subtract_and_sum(const hyb_sweep_t *sweep, double *r,
                             const hyb_sums_t *sums)
{
    good->subtract_and_sum(sweep, r, sums);
    damage(&sums->columns[0]);
}

static void sum_column(const double *a, const double *weight, int64_t rows,
                       hyb_check_sums_t *sum)
{
    good->sum_column(a, weight, rows, sum);
    damage(&sum->squares);
}

static uint64_t sum_words(const double *a, int64_t rows, uint32_t row)
{
    return good->sum_words(a, rows, row) + 1;
}

static double sum_tile(int64_t cols, const double *tile, const double *weight,
                       double *lanes)
{
    double squares = good->sum_tile(cols, tile, weight, lanes);

    lanes[0] += 1.0;
    return squares;
}

static void sum_u(int64_t nb, const double *plain, const double *weighted,
                  const double *u, hyb_check_sums_t *sum)
{
    good->sum_u(nb, plain, weighted, u, sum);
    damage(&sum[good->cols - 1].weighted);
}

static void sum_u_words(int64_t nb, const double *u, uint32_t row,
                        uint64_t *sum)
{
    good->sum_u_words(nb, u, row, sum);
    sum[0] ^= 1;
}

static void sum_rows(int64_t rows, int64_t cols, const double *a, int64_t ld,
                     const double *weight, uint32_t row,
                     const hyb_check_rows_t *sums)
{
    good->sum_rows(rows, cols, a, ld, weight, row, sums);
    sums->words[cols - 1]++;
}

static void generate(const xh_lanes_t *lanes, uint64_t x, int64_t count,
                     double *a)
{
    good->generate(lanes, x, count, a);
    damage(&a[count - 1]);
}

/* Of a team of two; what is said. */
static const char *said_of_bad_kernel(int *wrong_p)
{
    hyb_means_t means = *hyb_driver_means();
    hyb_trust_t trust;
    const char *said;

    means.kernel = &bad;
    capture_begin();
    assert_ok(hyb_trust_create(&means, ROWS, NB, &trust));
    assert_ok(hyb_trust_host(&means, &trust));
    said = capture_end(NULL);
    *wrong_p = trust.checks.wrong;
    hyb_trust_destroy(&trust);
    return said;
}

static void assert_found(const char *what)
{
    int wrong;
    const char *said = said_of_bad_kernel(&wrong);

    if (wrong == 0 || strstr(said, what) == NULL)
        fail_msg("'%s' is not in: %s", what, said);
    assert_in(said, "on core ");
    assert_in(said, bad.name);
    bad = *good;
}

TEST(a_kernel_that_is_wrong_in_one_number_is_found)
{
    driver_open("threads=2 kernel=portable"); /* and not the BLAS library */
    good = hyb_driver_means()->kernel;
    bad = *good;
    bad.multiply = multiply;
    assert_found("C - L2 U by the kernel");
    bad.solve = solve;
    assert_found("L1^-1 U by the kernel");
    bad.eliminate = eliminate;
    assert_found("a pivot");
    bad.eliminate = choose;
    assert_found("a pivot");
    bad.substitute = substitute;
    assert_found("a pivot");
    bad.subtract = subtract;
    assert_found("r - A x");
    bad.subtract_and_sum = subtract_and_sum;
    assert_found("r - A x, and sums");
    bad.generate = generate;
    assert_found("entries of the random matrix");
    bad.sum_column = sum_column;
    assert_found("checksums of a column");
    bad.sum_words = sum_words;
    assert_found("checksums of a column");
    bad.sum_tile = sum_tile;
    assert_found("checksums of L2");
    bad.sum_u = sum_u;
    assert_found("checksums of U");
    bad.sum_u_words = sum_u_words;
    assert_found("checksums of U");
    bad.sum_rows = sum_rows;
    assert_found("checksums of rows");
    driver_close();
}

TEST(a_single_thread_that_is_wrong_is_found)
{
    driver_open("threads=2 kernel=portable"); /* and not the BLAS library */
    good = hyb_driver_means()->kernel;
    bad = *good;
    bad.multiply = multiply;
    spared = pthread_self();
    assert_found("C - L2 U by the kernel");
    spared = 0;
    driver_close();
}

/* ---- wrong devices ------------------------------------------------------- */

/* What is said of one whose work number nth of this kind has a flipped bit. */
static void assert_flip_is_found(const char *op, int nth)
{
    char settings[64];
    hyb_means_t means;
    hyb_trust_t trust;
    const char *said;

    snprintf(settings, sizeof(settings), "threads=1 emu_fault=flip@%s:%d", op,
             nth);
    driver_open_with_devices(1, settings);
    means = *hyb_driver_means();
    capture_begin();
    assert_ok(hyb_trust_create(&means, ROWS, NB, &trust));
    hyb_trust_device(hyb_machine_device(means.machine, 0), &trust);
    said = capture_end(NULL);
    if (trust.checks.wrong == 0 || strstr(said, "on emu device") == NULL)
        fail_msg("flip@%s:%d: %s", op, nth, said);
    hyb_trust_destroy(&trust);
    driver_close();
}

TEST(a_device_with_one_wrong_result_is_found)
{
    static const struct {
        const char *op;
        int nth;
    } flips[] = {{"copy_in", 1},     {"copy_in", 2},      {"copy_in", 3},
                 {"copy_in", 4},     {"copy_out", 1},     {"copy_out", 3},
                 {"gemm", 1},        {"copy", 1},         {"swap_rows", 1},
                 {"gather_rows", 1}, {"scatter_rows", 1}, {"trsm", 1},
                 {"gemv", 1},        {"generate", 1},     {"checksum", 1},
                 {"panel_step", 1},  {"panel_column", 2}};

    for (size_t i = 0; i < COUNT_OF(flips); i++)
        assert_flip_is_found(flips[i].op, flips[i].nth);
}

/* It is said by whoever drives it, and others do its work. */
TEST(a_device_that_fails_gives_no_wrong_result)
{
    HPL_T_grid grid;
    bool right;

    open_grid(&grid);
    driver_open_with_devices(1, "threads=1 emu_fault=fail@gemm:1");
    assert_in(heard(right = hyb_trust(hyb_driver_means(), &grid, ROWS, NB)),
              "fault on demand");
    assert_true(right);
    assert_int_equal(hyb_machine_working_devices(hyb_driver_means()->machine),
                     0);
    driver_close();
    HPL_grid_exit(&grid);
}

TEST_MPI_MAIN()
