/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 3 4 */
/*
 * The solver with all columns on an emulated device of each process: the same
 * solutions as with columns in host memory, and no more over the link than the
 * panels.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl/solver/system.h"
#include "hybrid/device/device.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/unit/combinations.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

enum { SEED = 4711, COMBINATIONS = 12 };

/* Random parameters; x is held against the reference solver's. */
#define TEST_SOLVE(sentence, devices, with)                                    \
    TEST(sentence)                                                             \
    {                                                                          \
        driver_solve(devices,                                                  \
                     &(combinations_t){.seed = SEED,                           \
                                       .count = COMBINATIONS,                  \
                                       .settings = "home=device " with});      \
    }

TEST_SOLVE(any_combination_is_solved, 1, "threads=2")
TEST_SOLVE(one_thread_solves, 1, "threads=1 kernel=portable")
TEST_SOLVE(the_blas_beside_a_device_solves, 1, "threads=2 kernel=blas")
TEST_SOLVE(columns_are_dealt_to_several_devices, 3, "threads=2")
TEST_SOLVE(host_and_device_hold_columns, 1, "threads=2 emu_memory=1")
TEST_SOLVE(host_and_devices_hold_columns, 2, "threads=2 emu_memory=1")
TEST_SOLVE(host_and_devices_hold_columns_with_the_blas, 2,
           "threads=2 emu_memory=1 kernel=blas")

/* ---- one system, closely --------------------------------------------------
 */

enum { ORDER = 640, BLOCK = 64 };

typedef struct {
    double x[ORDER];
    double residual;
    double bytes; /* over the link, of this process */
} solved_t;

static double traffic(void)
{
    const hyb_means_t *means = hyb_driver_means();
    uint64_t in, out;

    if (hyb_machine_devices(means->machine) == 0)
        return 0.0;
    hyb_device_traffic(hyb_machine_device(means->machine, 0), &in, &out);
    return (double)(in + out);
}

static solved_t solve(int devices, const char *settings)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    hpl_system_t *system = NULL;
    hpl_norms_t norms;
    HPL_T_grid grid;
    solved_t s;
    double before;
    int info;

    small_grid_open(&grid, 1, small_processes());
    driver_open_with_devices(devices, settings);
    assert_ok(hpl_solver()->create(&grid, &algo, ORDER, BLOCK, &system));
    hpl_solver()->generate(system, 100);
    before = traffic();
    hpl_solver()->solve(system, &info);
    s.bytes = traffic() - before;
    assert_int_equal(info, 0);
    small_solution(&grid, &system->mat, s.x);
    hpl_solver()->check(system, 100, &norms);
    s.residual = hpl_scaled_residual(&norms, ORDER);
    hpl_solver()->destroy(system);
    driver_close();
    small_grid_close(&grid);
    return s;
}

TEST(x_is_that_of_columns_on_the_host)
{
    static solved_t host, device;
    double most = 0.0;

    host = solve(0, "threads=2");
    device = solve(1, "home=device threads=2");
    for (int i = 0; i < ORDER; i++)
        most = fmax(most,
                    fabs(host.x[i] - device.x[i]) / fmax(1.0, fabs(host.x[i])));
    assert_true(most < 1e-8);
    assert_true(device.residual < 1.0);
    assert_true(device.residual > 0.0);
}

/* Panels of my columns come down, and all panels go up. */
static double bytes_of_panels(void)
{
    double words = 0.0;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int k = 0; k < ORDER / BLOCK; k++) {
        double panel = (double)(ORDER - k * BLOCK) * BLOCK;

        words += panel;
        if (k % small_processes() == rank)
            words += panel;
    }
    return words * sizeof(double);
}

TEST(only_panels_cross_the_link)
{
    double expected = bytes_of_panels(), bytes;

    bytes = solve(1, "home=device threads=2").bytes;
    assert_true(bytes >= expected);
    assert_true(bytes <= 1.05 * expected);
}

/* ---- what is refused ------------------------------------------------------
 */

static xh_status_t created(int devices, const char *settings)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    hpl_system_t *system = NULL;
    HPL_T_grid grid;
    xh_status_t status = XH_OK;

    driver_open_with_devices(devices, settings);
    if (small_grid_open(&grid, 1, 1)) {
        status = hpl_solver()->create(&grid, &algo, ORDER, BLOCK, &system);
        hpl_solver()->destroy(system);
        small_grid_close(&grid);
    }
    MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    driver_close();
    return status;
}

TEST(no_device_is_refused)
{
    assert_int_equal(created(0, "home=device"), XH_ERR_INPUT);
}

TEST_MPI_MAIN()
