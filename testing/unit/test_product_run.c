/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <pthread.h>
#include <unistd.h>
#include "hybrid/device/product.h"
#include "base/product.h"
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"
#include "testing/unit/unit.h"

enum { SETTINGS = 8 };

/* 6 x 5 tiles of 8 x 8, the last row narrower. */
static const shape_t shape = {46,          40,   10,  XH_NO_TRANS,
                              XH_NO_TRANS, -1.0, 1.0, 2};
enum { ROWS = 6, TILE = 8, TILES = 30 };

/* ---- one product --------------------------------------------------------- */

typedef struct {
    hyb_machine_t *node;
    problem_t problem;
    hyb_product_t *product;
    hyb_report_t report; /* owner is freed */
    xh_status_t status;
} scene_t;

#define OPEN(...)                                                              \
    ((scene_t){.node = node_open(                                              \
                   1, (const char *const[SETTINGS]){__VA_ARGS__, "tile=8"},    \
                   SETTINGS)})
#define TWO OPEN("devices=emu:2")

static void begin(scene_t *s)
{
    s->problem = problem_create(shape, false);
    assert_ok(
        hyb_product_begin(s->node, &s->problem.product, NULL, &s->product));
    assert_int_equal(hyb_tiling_count(&s->product->tiling), TILES);
}

/* By this thread. */
static void multiply(scene_t *s, const hyb_tile_t *tile)
{
    xh_gemm_t p = xh_gemm_part(&s->problem.product, tile->part);

    for (int64_t j = 0; j < p.c.cols; j++)
        for (int64_t l = 0; l < p.a.cols; l++)
            for (int64_t i = 0; i < p.c.rows; i++)
                p.c.data[i + j * p.c.ld] -=
                    p.a.data[i + l * p.a.ld] * p.b.data[l + j * p.b.ld];
    hyb_product_complete(s->product, tile->index, 0);
}

/* Until all is computed; keep tiles are left to devices that work. */
static void help(scene_t *s, int64_t keep)
{
    hyb_tile_t tile;

    while (!hyb_product_done(s->product))
        if (hyb_product_take(s->product, keep, &tile))
            multiply(s, &tile);
        else
            usleep(100); /* others have the rest */
}

static void finish(scene_t *s)
{
    s->report = (hyb_report_t){0};
    s->status = hyb_product_finish(s->product, &s->report);
    if (s->status == XH_OK)
        assert_int_equal(problem_wrong(&s->problem), 0);
    problem_destroy(&s->problem);
    free(s->report.owner);
}

static int64_t device_tiles(const hyb_report_t *report)
{
    int64_t tiles = 0;

    for (int64_t i = 0; i < HYB_EXECUTORS - 1; i++)
        tiles += report->device[i].tiles;
    return tiles;
}

/* All of it by devices, without help. */
static void run_alone(scene_t *s)
{
    begin(s);
    hyb_product_release(s->product, shape.n);
    finish(s);
}

static void close_scene(scene_t *s)
{
    assert_ok(s->status);
    hyb_machine_close(s->node);
}

/* ---- sharing ------------------------------------------------------------- */

static void check_shares(scene_t s)
{
    for (int64_t keep = 0; keep <= TILES; keep += 6) {
        begin(&s);
        for (int64_t cols = 0; cols <= shape.n; cols += 4)
            hyb_product_release(s.product, cols);
        help(&s, keep);
        finish(&s);
        assert_int_equal(s.report.team.tiles + device_tiles(&s.report), TILES);
        assert_true(s.report.team.tiles <= TILES - keep);
    }
    close_scene(&s);
}

TEST(devices_and_host_share_a_product)
{
    srand(1);
    check_shares(OPEN("devices=emu"));
    check_shares(OPEN("devices=emu:3"));
    check_shares(OPEN("devices=emu:2", "pipeline=1"));
    check_shares(OPEN("devices=emu:2", "pipeline=8"));
}

static void *help_too(void *scene)
{
    help(scene, 0);
    return NULL;
}

TEST(many_threads_may_help)
{
    enum { THREADS = 4 };
    scene_t s = TWO;
    pthread_t thread[THREADS];

    srand(2);
    begin(&s);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, help_too, &s), 0);
    hyb_product_release(s.product, shape.n / 2);
    hyb_product_release(s.product, shape.n);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    finish(&s);
    close_scene(&s);
}

/* ---- releasing ----------------------------------------------------------- */

/* Wait until devices have completed tiles, and no more. */
static void await(scene_t *s, int64_t tiles)
{
    while (atomic_load(&s->product->completed) < tiles)
        usleep(100);
    assert_int_equal(atomic_load(&s->product->completed), tiles);
    assert_int_equal(hyb_product_remaining(s->product), TILES - tiles);
    assert_int_equal(hyb_product_columns_done(s->product), tiles / ROWS * TILE);
}

/* Columns are made just before they are released; until then they are NaN. */
TEST(a_tile_starts_once_all_its_columns_are_ready)
{
    static const double nan = NAN;
    scene_t s = TWO;
    xh_gemm_t *p = &s.problem.product;
    double *b;

    srand(3);
    begin(&s);
    b = malloc((size_t)(p->b.ld * p->b.cols) * sizeof(*b));
    assert_non_null(b);
    for (int64_t i = 0; i < p->b.ld * p->b.cols; i++) {
        b[i] = p->b.data[i];
        p->b.data[i] = nan;
    }
    for (int64_t i = 0; i < p->c.ld * p->c.cols; i++)
        p->c.data[i] = nan;
    for (int64_t col = 0; col < p->c.cols; col++) {
        await(&s, col / TILE * ROWS);
        for (int64_t i = 0; i < p->b.ld; i++)
            p->b.data[i + col * p->b.ld] = b[i + col * p->b.ld];
        for (int64_t i = 0; i < p->c.ld; i++) {
            assert_true(isnan(p->c.data[i + col * p->c.ld]));
            p->c.data[i + col * p->c.ld] = s.problem.before[i + col * p->c.ld];
        }
        hyb_product_release(s.product, col + 1);
    }
    finish(&s);
    assert_true(s.report.device[0].wait_seconds +
                    s.report.device[1].wait_seconds >
                0.0);
    free(b);
    close_scene(&s);
}

/* One tile of four slots is in flight, and no other follows. */
TEST(what_is_in_flight_lands_before_more_is_released)
{
    scene_t s = OPEN("devices=emu", "pipeline=4");

    begin(&s);
    hyb_product_release(s.product, TILE);
    await(&s, ROWS);
    hyb_product_release(s.product, 2 * TILE + TILE / 2);
    await(&s, 2 * ROWS);
    hyb_product_release(s.product, shape.n);
    finish(&s);
    close_scene(&s);
}

TEST(the_host_gets_the_last_tile_when_all_are_released)
{
    scene_t s = TWO;
    hyb_tile_t tile;

    begin(&s);
    assert_false(hyb_product_take(s.product, 0, &tile));
    hyb_product_release(s.product, shape.n - 1);
    assert_false(hyb_product_take(s.product, 0, &tile));
    await(&s, TILES - ROWS);
    assert_false(hyb_product_take(s.product, 0, &tile));
    assert_false(hyb_product_done(s.product));
    hyb_product_release(s.product, shape.n);
    while (hyb_product_take(s.product, 1, &tile)) {
        assert_int_equal(tile.part.col, shape.n - TILE);
        multiply(&s, &tile);
    }
    help(&s, TILES);
    finish(&s);
    close_scene(&s);
}

TEST(the_devices_rate_is_that_of_whole_tiles_that_they_did)
{
    scene_t s = TWO;
    double early, late;

    begin(&s);
    assert_true(hyb_product_rate(s.product) == 0.0);
    hyb_product_release(s.product, 2 * TILE);
    await(&s, 2 * ROWS);
    early = hyb_product_rate(s.product);
    assert_true(early > 0.0);
    usleep(1000);
    late = hyb_product_rate(s.product);
    assert_true(late > 0.0 && late < early);
    hyb_product_release(s.product, shape.n);
    finish(&s);
    hyb_machine_close(s.node);
}

/* ---- faults: more of them are in test_xdgemm_faults.c -------------------- */

/* The other device waits for columns, and leaves. */
TEST(a_device_that_fails_ends_the_product_with_its_name)
{
    scene_t s;
    const char *said;

    capture_begin();
    s = OPEN("devices=emu:2", "emu_fault=1:fail@gemm:1");
    begin(&s);
    hyb_product_release(s.product, 2 * TILE);
    while (hyb_product_lost(s.product) < 0)
        usleep(100);
    assert_int_equal(hyb_product_lost(s.product), 1);
    assert_false(hyb_product_done(s.product));
    finish(&s);
    hyb_machine_close(s.node);
    said = capture_end(NULL);
    assert_int_equal(s.status, XH_ERR_DEVICE);
    assert_in(said, "emu device 1 (emulated device), which wrote into C, is "
                    "lost");
}

/* ---- what cannot begin --------------------------------------------------- */

TEST(a_machine_has_one_product_at_a_time)
{
    scene_t s = TWO;
    hyb_product_t *second = NULL;

    begin(&s);
    assert_int_equal(
        hyb_product_begin(s.node, &s.problem.product, NULL, &second),
        XH_ERR_ARG);
    assert_null(second);
    hyb_product_release(s.product, shape.n);
    finish(&s);
    assert_ok(s.status);
    run_alone(&s);
    close_scene(&s);
}

TEST(nothing_to_compute_or_no_device_is_an_error)
{
    problem_t problem = problem_create(shape, false);
    hyb_machine_t *node = TWO.node;
    xh_gemm_t p = problem.product;
    hyb_product_t *product = NULL;

    p.b.rows--;
    assert_int_equal(hyb_product_begin(node, &p, NULL, &product), XH_ERR_ARG);
    p = problem.product;
    p.b.cols = p.c.cols = 0;
    assert_int_equal(hyb_product_begin(node, &p, NULL, &product), XH_ERR_ARG);
    hyb_machine_close(node);
    node = OPEN("devices=none").node;
    assert_int_equal(hyb_product_begin(node, &problem.product, NULL, &product),
                     XH_ERR_DEVICE);
    assert_null(product);
    hyb_machine_close(node);
    problem_destroy(&problem);
}

TEST_MAIN()
