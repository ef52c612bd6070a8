/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more; needs: blas */
/*
 * The lives of systems, for which the threaded solver makes its working memory
 * beforehand: solved once, several times, never, and side by side; of blocks
 * wider than they are, and in arrays as upstream's.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include <stdio.h>
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hpl_solver.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"

enum { N = 90, NB = 8, SYSTEMS = 3 };

static HPL_T_grid grid;
static HPL_T_palg algo;

static void open_grid(int devices, const char *settings)
{
    int rows = unit_processes() == 4 ? 2 : 1;

    solver_open_with_devices(devices, settings);
    assert_true(small_grid_open(&grid, rows, rows));
    algo = small_algorithm(SMALL_L1_T, HPL_CROUT, HPL_RIGHT_LOOKING);
    algo.depth = 2;
}

static void close_grid(void)
{
    small_grid_close(&grid);
    solver_close();
}

static hpl_system_t *create_of(int n, int nb)
{
    hpl_system_t *system = NULL;

    assert_ok(hpl_solver()->create(&grid, &algo, n, nb, &system));
    return system;
}

static hpl_system_t *create(void)
{
    return create_of(N, NB);
}

static hpl_shape_t shape_of(int n, int nb)
{
    hpl_shape_t shape = hpl_system_shape(&grid, n, nb);

    shape.depth = 2;
    shape.align = 8;
    return shape;
}

/* Generated, solved, checked: the residual. */
static double residual(hpl_system_t *system, int seed)
{
    hpl_norms_t norms;
    int info = -1;

    hpl_solver()->generate(system, seed);
    hpl_solver()->solve(system, &info);
    assert_int_equal(info, 0);
    hpl_solver()->check(system, seed, &norms);
    return hpl_scaled_residual(&norms, system->mat.n);
}

TEST(a_system_is_solved_again_and_again)
{
    hpl_system_t *system;

    open_grid(0, "threads=2");
    system = create();
    for (int seed = 1; seed <= 3; seed++)
        assert_true(residual(system, seed) < 1.0);
    hpl_solver()->destroy(system);
    close_grid();
}

TEST(systems_do_not_share_working_memory)
{
    hpl_system_t *system[SYSTEMS];

    open_grid(1, "threads=2 tile=64");
    for (int i = 0; i < SYSTEMS; i++)
        system[i] = create();
    for (int i = SYSTEMS - 1; i > 0; i--) /* one need not be solved */
        assert_true(residual(system[i], i + 1) < 1.0);
    for (int i = 0; i < SYSTEMS; i++)
        hpl_solver()->destroy(system[i]);
    close_grid();
}

/* All memory is for blocks as wide as the matrix. */
TEST(a_block_may_be_far_wider_than_the_matrix)
{
    enum { SMALL_N = 5, WIDE_NB = 1000000 };
    const uint64_t little = 1 << 20;
    hpl_system_t *system;

    open_grid(0, "threads=2");
    hpl_shape_t shape = shape_of(SMALL_N, WIDE_NB);
    assert_in_range(hpl_solver()->bytes(&shape), 1, little);
    system = create_of(SMALL_N, WIDE_NB);
    assert_true(residual(system, 1) < 1.0);
    hpl_solver()->destroy(system);
    close_grid();
}

/* The system's matrix in an array with a column for b on every process; where b
 * is elsewhere, it has no number. */
static HPL_T_pmat as_upstreams(const hpl_system_t *system)
{
    HPL_T_pmat mat = system->mat;
    size_t ld = (size_t)mat.ld, held = ld * (size_t)mat.nq;
    hpl_map_t map = hpl_map_columns(system->grid, mat.nb);

    mat.nq = (int)hpl_map_count(&map, mat.n) + 1;
    mat.A = malloc((ld + 1) * (size_t)mat.nq * sizeof(double));
    assert_non_null(mat.A);
    for (size_t i = 0; i < (ld + 1) * (size_t)mat.nq; i++)
        mat.A[i] = i < held ? system->mat.A[i] : NAN;
    mat.X = mat.A + ld * (size_t)mat.nq;
    return mat;
}

/* Where rows of U fill their memory, the column besides has none. */
TEST(every_process_may_have_a_column_for_b)
{
    enum { EVEN_N = 64, EVEN_NB = 16 };
    hpl_system_t *system;
    HPL_T_pmat mat;
    int info;

    open_grid(0, "threads=2");
    system = create_of(EVEN_N, EVEN_NB);
    for (algo.depth = 0; algo.depth < 3; algo.depth++) {
        hpl_solver()->generate(system, 1);
        mat = as_upstreams(system);
        hpl_solver()->solve(system, &info);
        hpl_solver()->solve_array(&grid, &algo, &mat);
        for (int j = 0; j < system->mat.nq - 1; j++)
            assert_true(mat.X[j] == system->mat.X[j]);
        free(mat.A);
    }
    hpl_solver()->destroy(system);
    close_grid();
}

/* Bytes of this process's memory, or the most since this was said last. */
static uint64_t memory_of_process(const char *what)
{
    FILE *status = fopen("/proc/self/status", "r"), *clear;
    char line[200];
    unsigned long long kib = 0;

    assert_non_null(status);
    while (fgets(line, sizeof(line), status) != NULL)
        if (strncmp(line, what, strlen(what)) == 0)
            sscanf(line + strlen(what), ": %llu", &kib);
    fclose(status);
    clear = fopen("/proc/self/clear_refs", "w");
    if (clear != NULL) {
        fputs("5", clear);
        fclose(clear);
    }
    return kib * 1024;
}

/* With what is used and given back on the way, and little that MPI keeps. A
 * sanitizer's memory cannot be told apart. */
TEST(bytes_bound_what_a_solution_takes)
{
    enum { LARGE_N = 1800, LARGE_NB = 600 };
    const uint64_t mpi = 4 << 20;
    uint64_t before, most, said;
    hpl_system_t *system;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();
#endif
    open_grid(0, "threads=6");
    hpl_shape_t shape = shape_of(LARGE_N, LARGE_NB);
    said = hpl_solver()->bytes(&shape);
    before = memory_of_process("VmRSS");
    system = create_of(LARGE_N, LARGE_NB);
    assert_true(residual(system, 1) < 1.0);
    most = memory_of_process("VmHWM");
    hpl_solver()->destroy(system);
    close_grid();
    assert_in_range(most - before, said / 2, said + mpi);
}
