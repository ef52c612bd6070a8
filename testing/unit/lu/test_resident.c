/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1; 4 more */
/*
 * The solver with all columns on an emulated device of each process: the same
 * solutions as with columns in host memory, and no more over the link than the
 * panels.
 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "hpl/solver/system.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"
#include "testing/unit/hpl/small_system.h"
#include "hybrid/lu/panel/l1_inverses.h"
#include "hybrid/lu/places/place_device_private.h"
#include "hybrid/lu/solver/solver.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"

enum { SEED = 4711 };

/* Random parameters; x is held against the textbook's. */
#define TEST_SOLVE(sentence, devices, with)                                    \
    TEST(sentence)                                                             \
    {                                                                          \
        solver_solve(devices,                                                  \
                     &(combinations_t){.seed = SEED,                           \
                                       .count = unit_processes() > 1 ? 3 : 4,  \
                                       .settings = "home=device " with});      \
    }

TEST_SOLVE(any_combination_is_solved, 1, "threads=2 kernel=portable")
TEST_SOLVE(the_blas_beside_a_device_solves, 1, "threads=2 kernel=blas")
TEST_SOLVE(columns_are_dealt_to_several_devices, 3, "threads=2")
TEST_SOLVE(a_device_too_slow_for_any_column_gets_none, 3,
           "threads=2 emu_rate=4000,1,4000")
TEST_SOLVE(host_and_unlike_devices_hold_columns, 2,
           "threads=2 emu_memory=1 emu_rate=4000,1000")
TEST_SOLVE(host_and_devices_hold_columns_with_the_blas, 2,
           "threads=2 emu_memory=1 kernel=blas")

TEST_SOLVE(devices_factor_their_panels, 1, "threads=2 panel=device")
TEST_SOLVE(a_device_factors_panels_behind_columns_of_the_host, 1,
           "threads=2 panel=device emu_memory=1")
TEST_SOLVE(devices_read_the_panels_of_others, 3,
           "threads=1 panel=device emu_peer=1e3")
TEST_SOLVE(rows_travel_from_device_to_device, 1, "threads=2 device_mpi=on")
TEST_SOLVE(guests_come_to_two_devices, 2,
           "threads=1 panel=device emu_memory=1 emu_peer=1e3")

/* No column lives on a device. */
TEST_SOLVE(all_columns_are_guests, 2,
           "threads=1 home=host share=0 group=3 emu_rate=1e4")
TEST_SOLVE(all_columns_are_guests_but_the_teams, 1,
           "threads=2 home=host share=0.4 panel=device emu_rate=1e4")
TEST_SOLVE(devices_multiply_alone, 1,
           "threads=2 home=host visit=product emu_rate=1e4")

/* Every so many columns are the team's. */
TEST_SOLVE(the_team_has_a_share, 1, "threads=2 share=0.4")
TEST_SOLVE(the_team_shares_with_unlike_devices, 3,
           "threads=1 share=0.5 group=3 emu_rate=4000,1,1000")
TEST_SOLVE(the_team_has_a_share_among_guests, 2,
           "threads=2 share=0.3 group=3 emu_memory=1 panel=device")
TEST_SOLVE(the_team_has_nearly_all, 2, "threads=2 share=1 panel=device")

/* Several panels are applied to far columns at once. */
TEST_SOLVE(eight_panels_are_applied_at_once, 1,
           "threads=2 group=8 panel=device")
TEST_SOLVE(columns_of_several_devices_meet_groups, 3, "threads=1 group=3")
TEST_SOLVE(rows_of_a_late_device_follow_before_others_come, 2,
           "threads=1 group=8 share=0 emu_rate=1,0.1")
TEST_SOLVE(guests_meet_groups_that_devices_factor, 1,
           "threads=2 group=4 emu_memory=1 panel=device")
TEST_SOLVE(guests_of_a_slow_link_meet_panels_one_by_one, 1,
           "threads=1 home=host group=1 share=0 emu_rate=3 emu_link=0.05 "
           "emu_memory=1 panel=device")
TEST_SOLVE(guests_and_residents_meet_groups_by_turns, 2,
           "threads=1 group=3 emu_memory=2 verify=online")
TEST_SOLVE(groups_meet_without_look_ahead, 2,
           "threads=2 group=4 lookahead=0 verify_every=3")

/* ---- one system, closely ------------------------------------------------- */

enum { ORDER = 640, BLOCK = 64 };

typedef struct {
    double x[ORDER];
    double u[ORDER]; /* the diagonal of U, as far as it is here */
    double residual;
    hpl_work_t work; /* of this process */
    int64_t guests;
} solved_t;

/* All rows are here. */
static void take_diagonal(const HPL_T_pmat *mat, double *u)
{
    int processes = unit_processes(), rank = unit_rank(), nb = mat->nb;

    for (int j = 0; j < ORDER; j++) {
        int panel = j / nb, local = panel / processes * nb + j % nb;

        if (panel % processes == rank)
            u[j] = mat->A[j + (size_t)local * (size_t)mat->ld];
    }
}

static HPL_T_grid grid;
static HPL_T_palg algo;

static int seed = 100;    /* of the matrix */
static int block = BLOCK; /* its width */

static hpl_system_t *open_system(int devices, int nprow, const char *settings)
{
    hpl_system_t *system = NULL;

    algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    small_grid_open(&grid, nprow, unit_processes() / nprow);
    solver_open_with_devices(devices, settings);
    assert_ok(hpl_solver()->create(&grid, &algo, ORDER, block, &system));
    hpl_solver()->generate(system, seed);
    return system;
}

static void close_system(hpl_system_t *system)
{
    hpl_solver()->destroy(system);
    solver_close();
    small_grid_close(&grid);
}

static solved_t solve(int devices, int nprow, const char *settings)
{
    hpl_system_t *system = open_system(devices, nprow, settings);
    hpl_norms_t norms;
    solved_t s;
    int info;

    s.guests = ((const hyb_lu_t *)system->prepared)->homes.guests;
    hpl_solver()->solve(system, &info);
    assert_true(hpl_solver()->work(system, &s.work));
    memset(s.u, 0, sizeof(s.u));
    if (nprow == 1)
        take_diagonal(&system->mat, s.u);
    assert_int_equal(info, 0);
    small_solution(&grid, &system->mat, s.x);
    hpl_solver()->check(system, seed, &norms);
    s.residual = hpl_scaled_residual(&norms, ORDER);
    close_system(system);
    return s;
}

static double distance(const double *x, const double *y)
{
    double most = 0.0;

    for (int i = 0; i < ORDER; i++)
        most = fmax(most, fabs(x[i] - y[i]) / fmax(1.0, fabs(x[i])));
    return most;
}

/* Other pivots would show in U. */
TEST(x_and_pivots_are_those_of_columns_on_the_host)
{
    static solved_t host, device;
    static const char *const ways[] = {
        "home=device threads=2 panel=host",
        "home=device threads=2 panel=device",
        "home=device threads=2 panel=device lookahead=0",
        "home=device threads=2 group=3",
        "home=device threads=2 group=2 panel=device"};
    enum { SYSTEMS = 3 };
    double on_host = 0.0, on_device[COUNT_OF(ways)] = {0.0};

    for (seed = 100; seed < 100 + SYSTEMS; seed++) {
        host = solve(0, 1, "threads=2");
        on_host += host.residual;
        for (size_t i = 0; i < COUNT_OF(ways); i++) {
            device = solve(1, 1, ways[i]);
            assert_true(distance(host.x, device.x) < 1e-8);
            assert_true(distance(host.u, device.u) < 1e-8);
            on_device[i] += device.residual;
        }
    }
    seed = 100;
    for (size_t i = 0; i < COUNT_OF(ways); i++) /* one varies threefold */
        assert_true(on_device[i] > 0.0 && on_device[i] <= 3.0 * on_host);
}

/* A panel's inverse is joined from those of two to four diagonal blocks. */
TEST(wide_panels_are_solved_by_one_product)
{
    static const int blocks[] = {65, 128, 200};
    static const char *const ways[] = {"home=device threads=2 group=1",
                                       "home=device threads=2 group=2"};
    static solved_t host, device;

    for (size_t i = 0; i < COUNT_OF(blocks); i++) {
        block = blocks[i];
        host = solve(0, 1, "threads=2");
        for (size_t by = 0; by < COUNT_OF(ways); by++) {
            device = solve(1, 1, ways[by]);
            assert_true(distance(host.x, device.x) < 1e-8);
            assert_true(device.residual < 3.0 * fmax(host.residual, 0.01));
        }
    }
    block = BLOCK;
}

static void assert_near(double bytes, double planned)
{
    assert_true(planned > 0.0);
    assert_true(fabs(bytes - planned) <= 0.05 * planned);
}

/* Panels; where P > 1 also rows; and little besides. */
TEST(what_is_planned_crosses_the_link)
{
    static const char *const ways[] = {
        "home=device threads=2 panel=host",
        "home=device threads=2 panel=device",
        "home=device threads=2 panel=host group=3",
        "home=device threads=2 panel=device group=3"};

    for (int devices = 1; devices <= 2; devices++)
        for (int p = 1; p <= unit_processes(); p++) {
            hpl_work_t work;

            if (unit_processes() % p != 0)
                continue;
            block = 32;
            for (size_t by = 0; by < COUNT_OF(ways); by++) {
                work = solve(devices, p, ways[by]).work;
                assert_true(work.has_devices);
                assert_near(work.link_up, work.planned_up);
                assert_near(work.link_down, work.planned_down);
            }
        }
    block = BLOCK;
}

static void assert_guests_cross(int devices, int nprow, const char *settings)
{
    solved_t s;

    block = 8;
    s = solve(devices, nprow, settings);
    block = BLOCK;
    assert_true(s.guests > 0);
    assert_near(s.work.link_up, s.work.planned_up);
    assert_near(s.work.link_down, s.work.planned_down);
}

TEST(what_guests_are_planned_to_move_crosses_the_link)
{
    for (int devices = 1; devices <= 2; devices++) {
        if (unit_processes() == 1)
            assert_guests_cross(
                devices, 1, "home=device threads=1 panel=device emu_memory=1");
        for (int p = 1; p <= unit_processes(); p *= 2)
            assert_guests_cross(
                devices, p,
                "home=host threads=1 panel=device share=0 emu_rate=1e5");
    }
}

/* ---- home=auto ----------------------------------------------------------- */

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
    assert_false(was_resident(solve(1, 1, FAST "home=host visit=product")));
    assert_false(was_resident(solve(1, 1, "threads=2 emu_rate=1")));
    assert_false(was_resident(solve(0, 1, "threads=2")));
}

TEST(the_host_holds_what_devices_refuse)
{
    const char *said;

    said = heard(assert_false(
        was_resident(solve(1, 1, FAST "emu_fault=0:oom@alloc:1"))));
    assert_true(unit_rank() > 0 ||
                strstr(said, "MiB, more than device") != NULL);
}

/* Block columns of process 0 by place. */
static void count_blocks(int64_t *count)
{
    hpl_system_t *system =
        open_system(2, 1, "home=device threads=1 emu_rate=1000,2000");
    const hyb_lu_t *lu = system->prepared;

    for (int64_t b = 0; grid.iam == 0 && b < lu->ledger.blocks; b++)
        count[hyb_place_number(&lu->homes, b)]++;
    close_system(system);
}

TEST(a_device_of_twice_the_rate_holds_twice_the_columns)
{
    int64_t count[3] = {0};

    count_blocks(count);
    assert_int_equal(count[0], 0);
    assert_true(llabs(count[2] - 2 * count[1]) <= 2);
    assert_true(unit_processes() > 1 || count[1] > 2);
}

/* ---- a panel whose inverse grows ----------------------------------------- */

/* The first diagonal block of L: no row is swapped, and its inverse has
 * elements of 1e14. */
static double l(int i, int j)
{
    if (i == j)
        return 1.0;
    return j < i && i < HYB_L1_BLOCK ? -0.7 : 0.0;
}

static double u(int i, int j)
{
    if (i == j)
        return 1.0;
    return i < j ? 0.5 * cos(3.0 * i + 7.0 * j) / ORDER : 0.0;
}

/* A = L U, and b = A (1, ..., 1)'. */
static void make_growing(double *a)
{
    double *b = a + ORDER * ORDER;

    memset(b, 0, ORDER * sizeof(*b));
    for (int j = 0; j < ORDER; j++)
        for (int i = 0; i < ORDER; i++) {
            double sum = u(i, j);

            for (int k = 0; k < i && k < HYB_L1_BLOCK && i < HYB_L1_BLOCK; k++)
                sum += l(i, k) * u(k, j);
            a[i + j * ORDER] = sum;
            b[i] += sum;
        }
}

/* Put the columns of a where process's block columns live. */
static void bring(const hpl_system_t *system, double *a)
{
    const hyb_lu_t *lu = system->prepared;
    hyb_place_device_t *d = (hyb_place_device_t *)lu->homes.place[1];

    for (int64_t at = 0; at < d->memory.matrix.cols; at += block) {
        int64_t panel = at / block * grid.npcol + grid.mycol;
        int64_t width = Mmin(block, d->memory.matrix.cols - at);
        xh_view_t columns = {a + panel * block * ORDER, ORDER, width, ORDER};

        assert_ok(hyb_queue_copy_in(
            d->queue.compute, columns,
            hyb_device_view_part(d->memory.matrix, 0, at, ORDER, width)));
    }
    assert_ok(hyb_place_drain(d));
}

/* || A x - b || / (eps (|| A || || x || + || b ||) N), infinity norms. */
static double residual(const double *a, const double *x)
{
    const double *b = a + ORDER * ORDER;
    double worst = 0.0, norm_a = 0.0, norm_x = 0.0, norm_b = 0.0;

    for (int i = 0; i < ORDER; i++) {
        double r = -b[i], row = 0.0;

        for (int j = 0; j < ORDER; j++) {
            r += a[i + j * ORDER] * x[j];
            row += fabs(a[i + j * ORDER]);
        }
        worst = fmax(worst, isnan(r) ? INFINITY : fabs(r));
        norm_a = fmax(norm_a, row);
        norm_x = fmax(norm_x, fabs(x[i]));
        norm_b = fmax(norm_b, fabs(b[i]));
    }
    return worst / (0x1p-53 * (norm_a * norm_x + norm_b) * ORDER);
}

static void solve_growing(const char *settings)
{
    static double a[ORDER * (ORDER + 1)], x[ORDER];
    hpl_system_t *system = open_system(1, 1, settings);
    int info;

    make_growing(a);
    bring(system, a);
    hpl_solver()->solve(system, &info);
    assert_int_equal(info, 0);
    small_solution(&grid, &system->mat, x);
    assert_true(residual(a, x) < 16.0);
    close_system(system);
}

/* Were it solved by products the residual would be above 1e9. */
TEST(a_panel_whose_inverse_grows_is_solved_by_substitution)
{
    solve_growing("home=device threads=2 group=1");
    block = 16; /* the first diagonal block is that of a group of four then */
    solve_growing("home=device threads=2 group=4");
    block = BLOCK;
}

TEST(no_device_is_refused)
{
    hpl_system_t *system = NULL;

    algo = small_algorithm(SMALL_L1_T, HPL_RIGHT_LOOKING, HPL_CROUT);
    solver_open("home=device");
    small_grid_open(&grid, 1, unit_processes());
    assert_int_equal(hpl_solver()->create(&grid, &algo, ORDER, BLOCK, &system),
                     XH_ERR_INPUT);
    small_grid_close(&grid);
    solver_close();
}
