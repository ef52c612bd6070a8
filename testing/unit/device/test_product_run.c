/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas threads */
#include <pthread.h>
#include <unistd.h>
#include "hybrid/device/product.h"
#include "base/product.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

enum { SETTINGS = 8 };

/* 6 x 5 tiles of 8 x 8, the last row narrower. */
static const shape_t shape = {46,          40,   10,  XH_NO_TRANS,
                              XH_NO_TRANS, -1.0, 1.0, 2};
enum { TILES = 30 };

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

static void begin_by(scene_t *s, uint64_t devices)
{
    s->problem = problem_create(shape, false);
    assert_ok(
        hyb_product_begin(s->node, &s->problem.product, devices, &s->product));
    assert_int_equal(hyb_tiling_count(&s->product->tiling), TILES);
}

static void begin(scene_t *s)
{
    begin_by(s, UINT64_MAX);
}

/* By this thread. */
static void multiply(scene_t *s, int64_t tile)
{
    xh_rectangle_t part = hyb_tiling_tile(&s->product->tiling, tile).part;
    xh_gemm_t p = xh_gemm_part(&s->problem.product, part);

    for (int64_t j = 0; j < p.c.cols; j++)
        for (int64_t l = 0; l < p.a.cols; l++)
            for (int64_t i = 0; i < p.c.rows; i++)
                p.c.data[i + j * p.c.ld] -=
                    p.a.data[i + l * p.a.ld] * p.b.data[l + j * p.b.ld];
}

/* Take up to count tiles at once, and compute them; returns how many. */
static int64_t help(scene_t *s, int64_t count)
{
    int64_t first;

    count = hyb_product_take_last(s->product, count, &first);
    for (int64_t tile = first; tile < first + count; tile++)
        multiply(s, tile);
    return count;
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
    hyb_product_start(s->product);
    finish(s);
    assert_int_equal(device_tiles(&s->report), TILES);
}

static void close_scene(scene_t *s)
{
    assert_ok(s->status);
    hyb_machine_close(s->node);
}

/* ---- sharing ------------------------------------------------------------- */

/* The host has early tiles before the devices start, and then others. */
static void check_shares(scene_t s)
{
    for (int64_t early = 0; early <= TILES; early += 6) {
        int64_t helped;

        begin(&s);
        helped = help(&s, early);
        assert_int_equal(helped, early);
        assert_int_equal(hyb_product_remaining(s.product), TILES - early);
        hyb_product_start(s.product);
        for (int64_t more = 1; more > 0; helped += more)
            more = help(&s, 2);
        finish(&s);
        assert_int_equal(s.report.team.tiles, helped);
        assert_int_equal(helped + device_tiles(&s.report), TILES);
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
    while (help(scene, 1) > 0)
        ;
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
    hyb_product_start(s.product);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    finish(&s);
    close_scene(&s);
}

/* ---- what cannot begin --------------------------------------------------- */

TEST(a_machine_has_one_product_at_a_time)
{
    scene_t s = TWO;
    hyb_product_t *second = NULL;

    begin(&s);
    assert_int_equal(
        hyb_product_begin(s.node, &s.problem.product, UINT64_MAX, &second),
        XH_ERR_ARG);
    assert_null(second);
    hyb_product_start(s.product);
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
    assert_int_equal(hyb_product_begin(node, &p, UINT64_MAX, &product),
                     XH_ERR_ARG);
    p = problem.product;
    p.b.cols = p.c.cols = 0;
    assert_int_equal(hyb_product_begin(node, &p, UINT64_MAX, &product),
                     XH_ERR_ARG);
    hyb_machine_close(node);
    node = OPEN("devices=none").node;
    assert_int_equal(
        hyb_product_begin(node, &problem.product, UINT64_MAX, &product),
        XH_ERR_DEVICE);
    assert_null(product);
    hyb_machine_close(node);
    problem_destroy(&problem);
}
