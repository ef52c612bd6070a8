/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas threads */
#include "hybrid/device/backend.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/device/fake_backend.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

enum { SETTINGS = 8, MOST = 70 };

static const xdg_participants_t team_only = {true, 0};
static const xdg_participants_t devices_only = {false, ~(uint64_t)0};

/* One product by executors: right, or the test ends. */
static hyb_report_t multiply(xdg_gemm_t *gemm, shape_t shape,
                             xdg_participants_t executors)
{
    problem_t problem = problem_create(shape, false);
    hyb_report_t report = {0};
    xh_status_t status = xdg_gemm(gemm, &problem.product, executors, &report);
    size_t wrong = problem_wrong(&problem);

    problem_destroy(&problem);
    assert_ok(status);
    assert_int_equal(wrong, 0);
    return report;
}

/* ---- any product, any node ----------------------------------------------- */

typedef struct {
    int threads;
    const char *settings[SETTINGS];
} kind_t;

static const kind_t kinds[] = {
    {1, {"devices=none"}},
    {1, {"devices=emu", "tile=1", "pipeline=3", "split=steal"}},
    {2, {"devices=emu", "tile=7", "pipeline=1", "split=fixed:0.5"}},
    {1, {"devices=emu:2", "tile=9", "pipeline=2", "split=steal"}},
    {2, {"devices=emu:2", "tile=16", "pipeline=2", "split=fixed:1"}},
    {1, {"devices=emu:4", "tile=5", "pipeline=8"}},
    {1, {"devices=emu:4", "kernel=blas", "tile=32"}},
    {1, {"devices=emu:2"}},
};

/* By all, and by the devices alone if there are some. */
TEST(any_product_is_right_on_any_node)
{
    enum { PRODUCTS = 24 };

    srand(1);
    for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        xdg_gemm_t *gemm =
            gemm_open(kinds[kind].threads, kinds[kind].settings, SETTINGS);

        for (int i = 0; i < PRODUCTS; i++)
            free(
                multiply(gemm, problem_shape(MOST),
                         (xdg_participants_t){kind == 0 || i % 2, ~(uint64_t)0})
                    .owner);
        gemm_shut(gemm);
    }
}

/* All of A or B is more than the device has: 1 MiB. */
TEST_OF_GEMM(operands_may_exceed_a_device, "devices=emu:2", "emu_memory=1",
             "tile=64", "split=fixed:0.8")
{
    static const shape_t shapes[] = {
        {150, 140, 2500, XH_NO_TRANS, XH_TRANS, 1.0, 1.0, 1},
        {700, 30, 250, XH_TRANS, XH_NO_TRANS, -1.0, 0.5, 0},
        {30, 700, 250, XH_TRANS, XH_TRANS, 0.5, 0.0, 0},
        {400, 390, 8, XH_NO_TRANS, XH_NO_TRANS, 1.0, -1.0, 2},
        {1, 1, 40000, XH_NO_TRANS, XH_NO_TRANS, 1.0, 1.0, 0},
        {160, 140, 600, XH_NO_TRANS, XH_NO_TRANS, 1.0, 1.0, 0},
    };

    srand(3);
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        free(multiply(gemm, shapes[i], xdg_all_executors).owner);
    }
}

TEST_OF_GEMM(products_without_elements_or_flop_are_right, "devices=emu",
             "tile=4")
{
    static const shape_t shapes[] = {
        {0, 5, 5, XH_NO_TRANS, XH_NO_TRANS, 1.0, 1.0, 0},
        {5, 0, 5, XH_TRANS, XH_NO_TRANS, 1.0, 1.0, 0},
        {5, 5, 0, XH_NO_TRANS, XH_NO_TRANS, 1.0, 0.5, 0},
        {5, 5, 0, XH_NO_TRANS, XH_TRANS, 1.0, 0.0, 1},
        {5, 5, 5, XH_NO_TRANS, XH_NO_TRANS, 0.0, 0.0, 1},
        {0, 0, 0, XH_NO_TRANS, XH_NO_TRANS, 1.0, 1.0, 0},
    };
    hyb_report_t report;

    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        report = multiply(gemm, shapes[i], xdg_all_executors);
        assert_null(report.owner);
        report = multiply(gemm, shapes[i], devices_only);
        assert_null(report.owner);
    }
}

/* ---- who does what ------------------------------------------------------- */

static const shape_t square = {60,          60,  10,  XH_NO_TRANS,
                               XH_NO_TRANS, 1.0, 1.0, 0};

/* Tiles that executor owns, which it must have counted too. */
static int64_t owned(const hyb_report_t *report, int executor)
{
    int64_t count = 0, tiles = hyb_tiling_count(&report->tiling);

    for (int64_t i = 0; i < tiles; i++)
        count += report->owner[i] == executor;
    assert_int_equal(count, executor == 0 ? report->team.tiles
                                          : report->device[executor - 1].tiles);
    return count;
}

/* The share, in percent, of the devices of a product of 36 tiles. */
static int64_t percent_of_devices(const char *split,
                                  xdg_participants_t executors)
{
    xdg_gemm_t *gemm = GEMM("devices=emu:2", "tile=10", split);
    hyb_report_t report = multiply(gemm, square, executors);
    int64_t tiles = owned(&report, 1) + owned(&report, 2);

    assert_int_equal(hyb_tiling_count(&report.tiling), 36);
    assert_int_equal(tiles + owned(&report, 0), 36);
    assert_true(report.team.flop + report.device[0].flop +
                    report.device[1].flop ==
                2.0 * 60 * 60 * 10);
    free(report.owner);
    gemm_shut(gemm);
    return tiles * 100 / 36;
}

/* Who takes no part gets nothing. */
TEST(a_fixed_share_is_kept)
{
    const xdg_participants_t all = {true, 3};

    assert_int_equal(percent_of_devices("split=fixed:0", all), 0);
    assert_int_equal(percent_of_devices("split=fixed:0.75", all), 75);
    assert_int_equal(percent_of_devices("split=fixed:1", all), 100);
    assert_int_equal(percent_of_devices("split=fixed:0.5", devices_only), 100);
    assert_int_equal(percent_of_devices("split=ratio", devices_only), 100);
    assert_int_equal(percent_of_devices("split=steal", devices_only), 100);
}

TEST_OF_GEMM(who_is_asked_alone_does_all, "devices=emu:2", "tile=10")
{
    hyb_report_t report;

    for (int i = 0; i < 2; i++) {
        report = multiply(gemm, square, (xdg_participants_t){false, 1u << i});
        assert_int_equal(owned(&report, i + 1), 36);
        free(report.owner);
    }
    report = multiply(gemm, square, team_only);
    assert_null(report.owner); /* the team cuts no tiles */
    assert_true(report.team.flop == 2.0 * 60 * 60 * 10);
}

TEST_OF_GEMM(nobody_to_compute_is_an_error, "devices=none")
{
    problem_t problem = problem_create(square, false);
    hyb_report_t report = {.seconds = 3.0};

    assert_int_equal(xdg_gemm(gemm, &problem.product,
                              (xdg_participants_t){false, 0}, &report),
                     XH_ERR_ARG);
    assert_int_equal(xdg_gemm(gemm, &problem.product, devices_only, &report),
                     XH_ERR_ARG);
    assert_true(report.seconds == 3.0);
    problem_destroy(&problem);
}

/* ---- opening ------------------------------------------------------------- */

TEST(a_device_without_free_memory_is_left_out)
{
    xdg_gemm_t *gemm;
    const char *text;

    fake_reset();
    assert_ok(hyb_backend_register(&fake_backend));
    text = heard(gemm = GEMM("devices=fake:0"));
    assert_in(text, "fake 0 has too little free memory");
    assert_in(text, "device 0 of fake is left out");
    assert_int_equal(hyb_machine_devices(gemm->machine), 0);
    assert_int_equal(fake.closed, 1);
    free(multiply(gemm, square, xdg_all_executors).owner);
    gemm_shut(gemm);
}

/* ---- learning ------------------------------------------------------------ */

/* In a second it does 10 Mflop; the team many more, unless it has to pause. */
TEST_OF_GEMM(a_slow_device_is_given_less, "devices=emu", "emu_rate=0.01",
             "tile=10", "split=ratio")
{
    hyb_report_t report = multiply(gemm, square, xdg_all_executors);

    assert_true(report.share == 0.5);
    for (int i = 0; i < 9 && report.share >= 0.4; i++) {
        free(report.owner);
        report = multiply(gemm, square, xdg_all_executors);
    }
    assert_true(report.share < 0.4);
    free(report.owner);
}

/* ---- dry ----------------------------------------------------------------- */

TEST_OF_GEMM(a_dry_device_leaves_its_tiles_as_they_were, "devices=emu:2",
             "emu_dry=on", "tile=10", "split=fixed:0.5")
{
    problem_t problem = problem_create(square, true);
    hyb_report_t report = {0};
    int64_t wrong = 0;

    assert_true(hyb_machine_models_time(gemm->machine));
    assert_ok(xdg_gemm(gemm, &problem.product, xdg_all_executors, &report));
    for (int64_t j = 0; j < square.n; j++)
        for (int64_t i = 0; i < square.m; i++) {
            size_t at = (size_t)(i + j * problem.product.c.ld);

            wrong += node_owner(&report, i, j) == 0
                         ? !problem_right(&problem, at)
                         : !problem_untouched(&problem, at);
        }
    assert_int_equal(wrong, 0);
    assert_int_equal(owned(&report, 0), 18);
    free(report.owner);
    problem_destroy(&problem);
}
