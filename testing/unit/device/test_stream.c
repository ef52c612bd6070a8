/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/device/stream.h"
#include "base/product.h"
#include "testing/unit/device/emu_fixture.h"
#include "testing/unit/node/node_fixture.h"

enum { MIB = 1 << 20 };

/* A stream on an emulated device. */
static hyb_stream_t *stream_open(int index, const char *fault,
                                 hyb_device_t **device_p)
{
    static const hyb_rate_table_t unknown;
    const hyb_stream_options_t options = {.stall_seconds = 60.0,
                                          .rates = &unknown};
    hyb_stream_t *stream = NULL;

    *device_p = emu_open(index, "emu_memory=1", fault, NULL);
    assert_ok(hyb_stream_create(*device_p, &options, &stream));
    return stream;
}

static void stream_close(hyb_stream_t *stream, hyb_device_t *device)
{
    hyb_stream_destroy(stream);
    hyb_device_close(device);
}

/* How C of product is cut for memory bytes; slots tiles are in flight. */
static xh_status_t plan(const xh_gemm_t *p, int64_t tile, uint64_t memory,
                        int slots, hyb_tiling_t *tiling_p)
{
    const hyb_tiling_request_t request = {
        p->c.rows, p->c.cols, xh_gemm_depth(p), memory, tile, tile, slots};

    return hyb_tiling_plan(&request, tiling_p);
}

/* ---- one stream, any memory ---------------------------------------------- */

/* Tiles of a product that is not there yet, as far as stream gets; what it did.
 * Product is the caller's to destroy. */
static hyb_work_t run(hyb_stream_t *stream, const problem_t *problem,
                      const hyb_tiling_t *tiling, hyb_product_t *product_p)
{
    hyb_work_t work;

    assert_ok(hyb_product_init(product_p, &problem->product, tiling));
    hyb_stream_begin(stream, product_p, 1);
    hyb_stream_finish(stream, &work);
    return work;
}

/* All tiles of problem by stream; C is right and the link had its bytes. */
static void check_alone(hyb_stream_t *stream, problem_t *problem,
                        const hyb_tiling_t *tiling)
{
    traffic_t traffic = traffic_of(tiling);
    hyb_product_t product;
    hyb_work_t work;

    problem_restore(problem);
    work = run(stream, problem, tiling, &product);
    hyb_product_destroy(&product);
    assert_int_equal(problem_wrong(problem), 0);
    assert_int_equal(work.tiles, hyb_tiling_count(tiling));
    assert_int_equal(work.bytes_in, traffic.a_in + traffic.b_in + traffic.c);
    assert_int_equal(work.bytes_out, traffic.c);
}

/* Every memory from what one tile of one element takes, in small steps. */
static void check_memories(hyb_stream_t *stream, shape_t shape, int slots)
{
    enum { TILE = 4, MOST = 6000 };
    problem_t problem = problem_create(shape, false);
    hyb_tiling_t tiling;
    int64_t most = 0;

    for (uint64_t memory = sizeof(double); memory < MOST;
         memory += 8 + memory / 8) {
        if (plan(&problem.product, TILE, memory, slots, &tiling) != XH_OK)
            continue;
        check_alone(stream, &problem, &tiling);
        most = tiling.chunks > most ? tiling.chunks : most;
    }
    assert_int_equal(most, shape.k);
    assert_int_equal(tiling.chunks, 1);
    problem_destroy(&problem);
}

static const shape_t shape = {13, 11, 9, XH_TRANS, XH_NO_TRANS, 0.5, 0.75, 1};

#define TEST_SET_UP(name) TEST_WITH(name, emu_default_settings, NULL)

TEST_SET_UP(a_stream_needs_memory_for_one_tile_only)
{
    hyb_device_t *device;
    hyb_stream_t *stream = stream_open(0, "emu_fault=", &device);

    srand(1);
    for (int slots = 1; slots <= 4; slots++)
        check_memories(stream, shape, slots);
    stream_close(stream, device);
}

/* ---- how long is too long ------------------------------------------------ */

static const hyb_backend_t *emu; /* that silent_backend asks */

static xh_status_t describe_no_rate(int index, hyb_device_info_t *info_p)
{
    xh_status_t status = emu->describe(index, info_p);

    info_p->gemm_rate = info_p->link_rate = 0.0;
    return status;
}

/*
 * A device of 1e4 flop/s that does not say so, with what was measured; is it
 * lost? Where nothing is known, 1 ms is taken for a stall.
 */
static bool slow_one_is_lost(const hyb_rate_table_t *rates)
{
    const hyb_stream_options_t options = {.stall_seconds = 0.001,
                                          .rates = rates};
    problem_t problem = problem_create(shape, false);
    hyb_backend_t silent;
    hyb_device_t *device;
    hyb_stream_t *stream;
    hyb_tiling_t tiling;
    hyb_product_t product;
    int lost;

    emu = device_cases_backend("emu");
    silent = *emu;
    silent.describe = describe_no_rate;
    assert_ok(xh_settings_assign("emu_rate=0.00001"));
    assert_ok(
        hyb_device_open((hyb_device_choice_t){&silent, 0}, NULL, 0, &device));
    assert_ok(hyb_stream_create(device, &options, &stream));
    assert_ok(plan(&problem.product, 13, MIB, 1, &tiling));
    unheard(run(stream, &problem, &tiling, &product));
    lost = hyb_product_lost(&product);
    stream_close(stream, device);
    hyb_product_destroy(&product);
    problem_destroy(&problem);
    return lost == 0;
}

/* The device takes 0.26 s for its tile: 260 times the shortest limit. */
TEST_SET_UP(a_device_that_is_known_to_be_slow_does_not_stall)
{
    const hyb_rate_table_t rates = {.link_rate = 1e10, .rate = {{1e3}}},
                           unknown = {0};

    assert_true(slow_one_is_lost(&unknown));
    assert_false(slow_one_is_lost(&rates));
}
