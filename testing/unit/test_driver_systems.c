/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 4 */
/*
 * The lives of systems, for which the threaded solver makes its working memory
 * beforehand: solved once, several times, never, and side by side.
 */
#include "testing/unit/unit_mpi.h"

#include "hpl_solver.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

enum { N = 90, NB = 8, SYSTEMS = 3 };

typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
} life_t;

static void open_grid(life_t *life)
{
    int rows = small_processes() == 4 ? 2 : 1;

    assert_true(small_grid_open(&life->grid, rows, rows));
    life->algo = small_algorithm(SMALL_L1_T, HPL_CROUT, HPL_RIGHT_LOOKING);
    life->algo.depth = 2;
}

static hpl_system_t *create(life_t *life)
{
    hpl_system_t *system = NULL;

    assert_int_equal(
        hpl_solver()->create(&life->grid, &life->algo, N, NB, &system), XH_OK);
    return system;
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
    return hpl_scaled_residual(&norms, N);
}

static void a_system_is_solved_again_and_again(void **state)
{
    life_t life;
    hpl_system_t *system;

    (void)state;
    driver_open("threads=2");
    open_grid(&life);
    system = create(&life);
    for (int seed = 1; seed <= 3; seed++)
        assert_true(residual(system, seed) < 1.0);
    hpl_solver()->destroy(system);
    small_grid_close(&life.grid);
    driver_close();
}

static void a_system_need_not_be_solved(void **state)
{
    life_t life;

    (void)state;
    driver_open_with_devices(1, "threads=1 tile=64");
    open_grid(&life);
    hpl_solver()->destroy(create(&life));
    small_grid_close(&life.grid);
    driver_close();
}

static void systems_do_not_share_working_memory(void **state)
{
    hpl_system_t *system[SYSTEMS];
    life_t life;

    (void)state;
    driver_open_with_devices(1, "threads=2 tile=64");
    open_grid(&life);
    for (int i = 0; i < SYSTEMS; i++)
        system[i] = create(&life);
    for (int i = SYSTEMS - 1; i >= 0; i--)
        assert_true(residual(system[i], i + 1) < 1.0);
    for (int i = 0; i < SYSTEMS; i++)
        hpl_solver()->destroy(system[i]);
    small_grid_close(&life.grid);
    driver_close();
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(a_system_is_solved_again_and_again),
    cmocka_unit_test(a_system_need_not_be_solved),
    cmocka_unit_test(systems_do_not_share_working_memory),
};
UNIT_MPI_MAIN(cases)
