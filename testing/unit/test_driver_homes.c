/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4 long */
/*
 * Matrices of which emulated devices hold a part: pivots, x and residual are
 * those of the same matrix in host memory.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "base/settings.h"
#include "hpl/pauxil/map.h"
#include "hpl/solver/system.h"
#include "hybrid/device/machine_private.h"
#include "hybrid/lu/homes.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/unit/combinations.h"
#include "testing/unit/driver_fixture.h"
#include "testing/unit/small_system.h"

enum { SEED = 2026, MOST_N = 300, SHARES = 4 };

static const double share_of[SHARES] = {0.1, 0.3, 0.6, 1.0};
static const double tolerance = 1e-8;

typedef struct {
    double x[MOST_N], pivot[MOST_N]; /* the pivots: the diagonal of U */
    double residual;
    int64_t guests; /* blocks that came in turns */
    hpl_work_t work;
} solved_t;

/* ---- how much devices hold ------------------------------------------------
 */

/* All devices of this process have so many bytes. */
static void set_memory(uint64_t bytes)
{
    hyb_machine_t *machine = hyb_driver_means()->machine;

    for (int i = 0; i < machine->devices; i++)
        machine->device[i].memory = bytes;
}

/* As little as keeps that share of c's block columns here, but those that
 * devices cannot share evenly; with guests, so much that these can come.
 * Returns their number. */
static int64_t cap_memory(const HPL_T_grid *grid, const combination_t *c,
                          double share, bool guests)
{
    enum { STEP = 4096 };
    hpl_shape_t shape = hpl_system_shape(grid, c->value[N], c->value[NB]);
    hyb_means_t means = *hyb_driver_means();
    int64_t all, most, left = 0;
    bool come;

    means.resident = false;
    all = hyb_homes_rest(&means, &shape, &come);
    means.resident = true;
    most = all - (int64_t)(share * (double)all);
    if (share < 1.0)
        most += hyb_machine_devices(means.machine) - 1;
    for (uint64_t bytes = STEP; bytes < 16 << 20; bytes += STEP) {
        set_memory(bytes);
        left = hyb_homes_rest(&means, &shape, &come);
        if (left <= most && (!guests || left == 0 || come))
            break;
    }
    return come ? left : 0;
}

/* ---- solving --------------------------------------------------------------
 */

/* The diagonal of what is stored in host memory, on every process. */
static void find_pivots(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                        double *pivot)
{
    hpl_map_t rows = hpl_map(mat->nb, grid->nprow, grid->myrow);
    hpl_map_t cols = hpl_map_columns(grid, mat->nb);

    memset(pivot, 0, (size_t)mat->n * sizeof(*pivot));
    for (int64_t g = 0; g < mat->n; g++)
        if (hpl_map_owner(&rows, g) == rows.me &&
            hpl_map_owner(&cols, g) == cols.me)
            pivot[g] = *Mptr(mat->A, hpl_map_local(&rows, g),
                             hpl_map_local(&cols, g), mat->ld);
    MPI_Allreduce(MPI_IN_PLACE, pivot, mat->n, MPI_DOUBLE, MPI_SUM,
                  grid->all_comm);
}

/* NULL, or what is wrong. The memory that homes are chosen by is capped. */
static const char *solve(HPL_T_grid *grid, const combination_t *c, double share,
                         bool guests, solved_t *s)
{
    HPL_T_palg algo = combination_algorithm(c);
    uint64_t memory = hyb_machine_memory(hyb_driver_means()->machine, 0);
    hpl_system_t *system = NULL;
    hpl_norms_t norms;
    xh_status_t status;
    int info = -1;

    s->guests = cap_memory(grid, c, share, guests);
    status =
        hpl_solver()->create(grid, &algo, c->value[N], c->value[NB], &system);
    set_memory(memory);
    if (status != XH_OK)
        return "it is not created";
    hpl_solver()->generate(system, HPL_ISEED);
    hpl_solver()->solve(system, &info);
    hpl_solver()->work(system, &s->work);
    small_solution(grid, &system->mat, s->x);
    find_pivots(grid, &system->mat, s->pivot);
    hpl_solver()->check(system, HPL_ISEED, &norms);
    s->residual = hpl_scaled_residual(&norms, c->value[N]);
    hpl_solver()->destroy(system);
    return info == 0 ? NULL : "a zero pivot";
}

static bool differ(int n, const double *found, const double *expected)
{
    double largest = 0.0, most = 0.0;

    for (int i = 0; i < n; i++) {
        largest = fmax(largest, fabs(expected[i]));
        most = isnan(found[i]) ? INFINITY
                               : fmax(most, fabs(found[i] - expected[i]));
    }
    return !(most <= tolerance * largest);
}

typedef struct {
    double host, device; /* residuals of all, added up */
    int64_t guests;
    double moved, planned; /* bytes, of runs with guests */
} sums_t;

/* Both ways; NULL, or what is wrong. */
static const char *compare(HPL_T_grid *grid, const combination_t *c,
                           double share, bool guests, sums_t *sums)
{
    static solved_t host, device;
    const char *wrong;

    driver_set("home=host split=fixed:0");
    wrong = solve(grid, c, 1.0, false, &host);
    driver_set("home=device split=ratio");
    if (wrong == NULL)
        wrong = solve(grid, c, share, guests, &device);
    if (wrong != NULL)
        return wrong;
    sums->host += host.residual;
    sums->device += device.residual;
    sums->guests += device.guests;
    if (device.guests > 0) {
        sums->moved += device.work.link_up + device.work.link_down;
        sums->planned += device.work.planned_up + device.work.planned_down;
    }
    if (differ(c->value[N], device.pivot, host.pivot))
        return "other pivots";
    return differ(c->value[N], device.x, host.x) ? "another x" : NULL;
}

/* ---- cases ----------------------------------------------------------------
 */

static const range_t any[] = {
    {N, 30, MOST_N, 1}, {NB, 4, 40, 1}, {P, 1, 3, 1}, {Q, 1, 3, 1}};
/* Many narrow blocks: most of them are guests. */
static const range_t narrow[] = {
    {N, 150, MOST_N, 1}, {NB, 3, 6, 1}, {P, 1, 1, 1}, {Q, 1, 3, 1}};

/* Every share on random systems, with so many devices a process. */
static void check(int devices, const char *settings, bool guests)
{
    const combinations_t of = {.narrowed = guests ? narrow : any,
                               .ranges = COUNT_OF(any)};
    uint64_t random = SEED + (uint64_t)devices;
    int count = unit_processes() > 4 ? SHARES : 2 * SHARES, failures = 0;
    sums_t sums = {.guests = 0};

    driver_open_with_devices(devices, settings);
    for (int i = 0; i < count; i++) {
        combination_t c = combination_next(&of, &random);
        const char *wrong = NULL;
        HPL_T_grid grid;

        if (small_grid_open(&grid, c.value[P], c.value[Q])) {
            wrong = compare(&grid, &c, share_of[i % SHARES], guests, &sums);
            small_grid_close(&grid);
        }
        failures += wrong != NULL;
        if (wrong != NULL)
            combination_say(&c, wrong, settings);
    }
    driver_close();
    combinations_end(failures);
    assert_true(sums.device <= 2 * sums.host);
    MPI_Allreduce(MPI_IN_PLACE, &sums.guests, 1, MPI_INT64_T, MPI_SUM,
                  MPI_COMM_WORLD);
    assert_true(!guests || sums.guests > 0);
    assert_true(fabs(sums.moved - sums.planned) <= 0.05 * sums.planned);
}

TEST_CALL(one_device_holds_any_part_of_the_matrix, check(1, "threads=2", false))
TEST_CALL(two_devices_hold_any_part_of_the_matrix, check(2, "threads=1", false))
TEST_CALL(three_devices_hold_any_part_of_the_matrix,
          check(3, "threads=1", false))
TEST_CALL(rows_travel_from_device_to_device,
          check(1, "threads=2 device_mpi=on", false))
TEST_CALL(devices_read_the_panels_of_others,
          check(3, "threads=1 panel=device emu_peer=1e3", false))
TEST_CALL(what_one_device_has_no_room_for_comes_in_turns,
          check(1, "threads=2 panel=host", true))

TEST(what_two_devices_have_no_room_for_comes_in_turns)
{
    check(2, "threads=1 panel=device", true);
    check(2, "threads=1 panel=device emu_peer=1e3", true);
}

TEST_MPI_MAIN()
