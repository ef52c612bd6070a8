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
#include "hybrid/lu/solver/solver.h"
#include "testing/unit/capture.h"
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
TEST_SOLVE(unlike_devices_hold_columns, 3,
           "threads=2 emu_rate=4000,1000,3000")
TEST_SOLVE(host_and_unlike_devices_hold_columns, 2,
           "threads=2 emu_memory=1 emu_rate=4000,1000")
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
    hpl_work_t work; /* of this process */
} solved_t;

static solved_t solve(int devices, int nprow, const char *settings)
{
    HPL_T_palg algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    hpl_system_t *system = NULL;
    hpl_norms_t norms;
    HPL_T_grid grid;
    solved_t s;
    int info;

    small_grid_open(&grid, nprow, small_processes() / nprow);
    driver_open_with_devices(devices, settings);
    assert_ok(hpl_solver()->create(&grid, &algo, ORDER, BLOCK, &system));
    hpl_solver()->generate(system, 100);
    hpl_solver()->solve(system, &info);
    assert_true(hpl_solver()->work(system, &s.work));
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

    host = solve(0, 1, "threads=2");
    device = solve(1, 1, "home=device threads=2");
    for (int i = 0; i < ORDER; i++)
        most = fmax(most,
                    fabs(host.x[i] - device.x[i]) / fmax(1.0, fabs(host.x[i])));
    assert_true(most < 1e-8);
    assert_true(device.residual < 1.0);
    assert_true(device.residual > 0.0);
}

static void assert_near(double bytes, double planned)
{
    assert_true(planned > 0.0);
    assert_true(fabs(bytes - planned) <= 0.05 * planned);
}

/* Panels; where P > 1 also rows; and little besides. */
TEST(what_is_planned_crosses_the_link)
{
    for (int devices = 1; devices <= 2; devices++)
        for (int p = 1; p <= small_processes(); p++) {
            hpl_work_t work;

            if (small_processes() % p != 0)
                continue;
            work = solve(devices, p, "home=device threads=2").work;
            assert_true(work.has_devices);
            assert_near(work.link_up, work.planned_up);
            assert_near(work.link_down, work.planned_down);
        }
}

/* ---- home=auto ------------------------------------------------------------
 */

#define FAST "threads=2 emu_rate=1e6 "

/* Did all columns live on devices? */
static bool was_resident(solved_t s)
{
    assert_true(s.residual > 0.0 && s.residual < 16.0);
    return s.work.has_devices && !isnan(s.work.planned_up);
}

TEST(columns_live_where_that_is_predicted_to_be_faster)
{
    assert_true(was_resident(solve(1, 1, FAST "home=auto")));
    assert_false(was_resident(solve(1, 1, FAST "home=host")));
    assert_false(was_resident(solve(1, 1, "threads=2 emu_rate=1")));
    assert_false(was_resident(solve(0, 1, "threads=2")));
}

TEST(the_host_holds_what_devices_refuse)
{
    const char *said;
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    capture_begin();
    assert_false(was_resident(solve(1, 1, FAST "emu_fault=0:oom@alloc:1")));
    said = capture_end(NULL);
    assert_true(rank > 0 || strstr(said, "which has not as much") != NULL);
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
