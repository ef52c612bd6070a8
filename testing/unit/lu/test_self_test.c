/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more */
/*
 * Small systems before a run: a kernel, a thread or a device that is wrong in
 * one number is found, and named.
 */
#include "testing/unit/unit_mpi.h"

#include <pthread.h>
#include "hpl/solver/self_test.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"
#include "hybrid/lu/solver/self_test.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/state/resources.h"

enum { N = 300, NB = 40 };

/* ---- right ones ---------------------------------------------------------- */

static void open_grid(HPL_T_grid *grid)
{
    int q = unit_processes() == 4 ? 2 : 1;

    HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, q, q, grid);
}

/* Are all results of this process right? */
static bool is_right(const hyb_resources_t *resources, int n, int nb)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    HPL_T_grid grid;
    bool right;

    open_grid(&grid);
    right = resources != NULL ? hyb_self_test(resources, &grid, &algo, n, nb)
                              : hpl_self_test(&grid, &algo, n, nb);
    HPL_grid_exit(&grid);
    return right;
}

static void assert_all_right(const hyb_resources_t *resources)
{
    static const struct {
        int n, nb;
    } sizes[] = {{N, NB}, {N, 2000}, {NB, 1}, {1, NB}};
    bool right = true;

    capture_begin();
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        right = is_right(resources, sizes[i].n, sizes[i].nb) && right;
    if (resources == NULL || !resources->resident)
        right = is_right(resources, 0, NB) && right;
    assert_string_equal(capture_end(NULL), "");
    assert_true(right);
}

static void open_and_test(int devices, const char *settings)
{
    hyb_resources_t resources;

    solver_open_with_devices(devices, settings);
    resources = *hyb_solver_resources();
    resources.resident = strstr(settings, "home=device") != NULL;
    assert_all_right(&resources);
    solver_close();
}

/* NULL: those of the reference solver. */
TEST(cores_devices_and_blas_that_are_right_are_trusted)
{
    open_and_test(0, "threads=2");
    open_and_test(0, "threads=1 kernel=blas");
    open_and_test(0, "threads=3 kernel=portable");
    open_and_test(1, "threads=1");
    open_and_test(2, "threads=1 home=device");
    open_and_test(1, "threads=2 home=device panel=host");
    assert_all_right(NULL);
}

/* ---- wrong kernels ------------------------------------------------------- */

static const hyb_kernel_t *good;
static hyb_kernel_t bad;
static pthread_t spared; /* this thread computes rightly; 0: none */

static void damage(double *x, double by)
{
    if (spared == 0 || !pthread_equal(spared, pthread_self()))
        *x += by;
}

static const double little = 1e-6, much = 1e3;

/* Function f of the kernel, and then its damage. */
#define WRONG(f, name, parameters, arguments, at, by)                          \
    static void name parameters                                                \
    {                                                                          \
        good->f arguments;                                                     \
        damage(at, by);                                                        \
    }

WRONG(multiply, multiply,
      (int64_t k, const double *a, const double *b, double *c, int64_t ldc,
       const double *ahead),
      (k, a, b, c, ldc, ahead), &c[good->rows - 1 + (good->cols - 1) * ldc],
      little)
WRONG(solve, solve,
      (int64_t k, const double *a, const double *l, const double *b, double *x),
      (k, a, l, b, x), &x[0], little)
WRONG(substitute, substitute,
      (const double *l, int64_t ld, int64_t from, int64_t depth, double *b),
      (l, ld, from, depth, b), &b[(depth - 1) * good->cols], little)
WRONG(subtract, subtract, (const hyb_sweep_t *sweep, double *r), (sweep, r),
      &r[sweep->rows - 1], little)
WRONG(subtract_and_sum, subtract_wrongly,
      (const hyb_sweep_t *sweep, double *r, const hyb_sums_t *sums),
      (sweep, r, sums), &r[0], little)
WRONG(subtract_and_sum, sum,
      (const hyb_sweep_t *sweep, double *r, const hyb_sums_t *sums),
      (sweep, r, sums), &sums->columns[0], much)
WRONG(generate, generate,
      (const xh_lanes_t *lanes, uint64_t x, int64_t count, double *a),
      (lanes, x, count, a), &a[count - 1], little)

static hyb_candidate_t eliminate(const hyb_elimination_t *e, double *first,
                                 int64_t stride, int64_t count)
{
    hyb_candidate_t best = good->eliminate(e, first, stride, count);

    damage(&first[(count - 1) * stride], little);
    return best;
}

static hyb_candidate_t choose(const hyb_elimination_t *e, double *first,
                              int64_t stride, int64_t count)
{
    hyb_candidate_t best = good->eliminate(e, first, stride, count);

    best.row = 0;
    return best;
}

static void assert_found(int n, const char *what)
{
    hyb_resources_t resources = *hyb_solver_resources();
    const char *said;
    bool right;

    resources.kernel = &bad;
    said = heard(right = is_right(&resources, n, NB));
    if (right || strstr(said, what) == NULL)
        fail_msg("'%s' is not in: %s", what, said);
    assert_in(said, "trust: wrong result of cores (kernel portable, BLAS");
    bad = *good;
}

/* Not with the BLAS library, on a team of two. */
static void open_kernel(void)
{
    solver_open("threads=2 kernel=portable");
    good = hyb_solver_resources()->kernel;
    bad = *good;
}

TEST(a_kernel_that_is_wrong_in_one_number_is_found)
{
    static const char row[] = "a row of the matrix is wrong, row ";

    open_kernel();
    assert_found((bad.multiply = multiply, N), row);
    assert_found((bad.solve = solve, N), row);
    assert_found((bad.eliminate = eliminate, N), row);
    assert_found((bad.eliminate = choose, N), row);
    assert_found((bad.substitute = substitute, N), row);
    assert_found((bad.subtract = subtract, N), row);
    assert_found((bad.generate = generate, N), "the scaled residual is ");
    assert_found((bad.subtract_and_sum = subtract_wrongly, N),
                 "the check finds a scaled residual of ");
    assert_found((bad.subtract_and_sum = sum, N), "norms of A and b are ");
    solver_close();
}

TEST(a_single_thread_that_is_wrong_is_found)
{
    open_kernel();
    bad.multiply = multiply;
    spared = pthread_self();
    assert_found(5 * N, "a row of the matrix is wrong, row ");
    spared = 0;
    solver_close();
}

/* ---- wrong devices ------------------------------------------------------- */

/* What is logged where work number nth of this kind has a flipped bit. */
static void assert_flip_is_found(const char *op, int nth, bool resident)
{
    char settings[96];
    hyb_resources_t resources;
    const char *said;
    bool right;

    snprintf(settings, sizeof(settings), "threads=1 emu_fault=flip@%s:%d", op,
             nth);
    solver_open_with_devices(1, settings);
    resources = *hyb_solver_resources();
    resources.resident = resident;
    said = heard(right = is_right(&resources, N, NB));
    if (right || strstr(said, "trust: wrong result of device emu:") == NULL)
        fail_msg("flip@%s:%d: %s", op, nth, said);
    solver_close();
}

/* Work that a device does before it is of no meaning. */
TEST(a_device_with_one_wrong_result_is_found)
{
    static const struct {
        const char *op;
        int nth;
        bool resident;
    } flips[] = {
        {"copy_in", 2, false},  {"copy_out", 5, false}, {"gemm", 2, false},
        {"copy_in", 20, true},  {"copy_out", 5, true},  {"gemm", 5, true},
        {"swap_rows", 2, true}, {"trsm", 5, true},      {"gemv", 2, true},
        {"generate", 1, true},  {"panel_step", 5, true}};

    for (size_t i = 0; i < COUNT_OF(flips); i++)
        assert_flip_is_found(flips[i].op, flips[i].nth, flips[i].resident);
}
