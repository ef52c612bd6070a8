/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "hybrid/device/lanes.h"
#include "testing/unit/emu_fixture.h"
#include "testing/unit/node_fixture.h"

/* ---- tiles in flight ----------------------------------------------------- */

/* A product of four tiles, of which two are in flight. */
enum { SLOTS = 2, TILES = 4 };

static const shape_t shape = {8, 8, 8, XH_NO_TRANS, XH_TRANS, 1.0, 1.0, 0};

static hyb_device_t *device;
static hyb_lanes_t lanes;
static hyb_product_t shared;
static problem_t problem;

/* A copy takes 1 ms. */
static void open_lanes(const char *fault)
{
    const hyb_tiling_request_t request = {shape.m, shape.n, shape.k, 1 << 20,
                                          4,       4,       SLOTS};
    hyb_tiling_t tiling;

    problem = problem_create(shape, false);
    device = emu_open(0, "emu_memory=1", "emu_link=0.000256", fault, NULL);
    assert_ok(hyb_tiling_plan(&request, &tiling));
    assert_int_equal(hyb_tiling_count(&tiling), TILES);
    assert_ok(hyb_product_init(&shared, &problem.product, &tiling));
    assert_ok(hyb_lanes_open(&lanes, device));
    assert_ok(hyb_lanes_prepare(&lanes, &tiling));
}

static int close_lanes(void **state)
{
    (void)state;
    hyb_lanes_close(&lanes);
    hyb_device_close(device);
    hyb_product_destroy(&shared);
    problem_destroy(&problem);
    return 0;
}

static void launch(int64_t tile, int slot)
{
    lanes.slot[slot].tile = hyb_tiling_tile(&shared.tiling, tile);
    assert_ok(hyb_lanes_launch(&lanes, &shared, &lanes.slot[slot]));
}

static bool has_returned(int slot)
{
    bool done = false;

    assert_ok(hyb_event_wait(lanes.slot[slot].out[HYB_END], 0.0, &done));
    return done;
}

#define TEST_LANES(name) TEST_WITH(name, emu_default_settings, close_lanes)

TEST_LANES(a_tile_returns_and_says_what_it_took)
{
    hyb_work_t work = {0};

    open_lanes("emu_fault=");
    for (int64_t tile = 0; tile < TILES; tile++) {
        int slot = (int)(tile % SLOTS);

        launch(tile, slot);
        assert_ok(device_cases_wait(lanes.slot[slot].out[HYB_END]));
        assert_ok(hyb_lanes_time(&lanes, &lanes.slot[slot], &work));
        hyb_lanes_commit(&lanes, &shared, &lanes.slot[slot], 0, 1);
    }
    assert_int_equal(problem_wrong(&problem), 0);
    assert_true(work.in_seconds > 0.0 && work.compute_seconds > 0.0 &&
                work.out_seconds > 0.0);
}

TEST_LANES(c_is_whole_until_a_tile_is_committed)
{
    size_t changed = 0;

    open_lanes("emu_fault=");
    launch(0, 0);
    launch(1, 1);
    hyb_lanes_drain(&lanes, DEVICE_PATIENCE);
    assert_true(has_returned(0) && has_returned(1));
    for (size_t i = 0; i < problem.c_size; i++)
        changed += !problem_untouched(&problem, i);
    assert_int_equal(changed, 0);
    hyb_lanes_commit(&lanes, &shared, &lanes.slot[0], 0, 1);
    for (size_t i = 0; i < problem.c_size; i++)
        changed += !problem_untouched(&problem, i);
    assert_int_equal(changed, 16);
}

TEST_LANES(a_drain_ends_though_a_queue_stalls)
{
    capture_begin();
    open_lanes("emu_fault=stall@gemm:1");
    launch(0, 0);
    hyb_lanes_drain(&lanes, 0.02);
    assert_false(has_returned(0));
    hyb_device_fail(device, "it stalled");
    capture_end(NULL);
}

/* ---- the pieces of an operand that a device keeps ------------------------ */

enum { COUNT = 3, DOUBLES = 16 };

static hyb_queue_t *queue;
static hyb_block_t memory;
static hyb_pieces_t pieces;
static hyb_event_t *used[2 * COUNT];

static xh_status_t reserve(int64_t count)
{
    return hyb_pieces_reserve(&pieces, count, DOUBLES, 0, used);
}

/* The clock stands still, so that a device's times are exact. */
static double standing_clock(void *context)
{
    (void)context;
    return 0.0;
}

static int open_pieces(void **state)
{
    xh_clock_install(standing_clock, NULL);
    if (emu_default_settings(state) != 0)
        return -1;
    device = emu_open(0, "emu_memory=1", "emu_dry=on", "emu_rate=0.001", NULL);
    queue = device_cases_queue(device);
    memory = device_cases_matrix(device, 2 * COUNT, DOUBLES);
    for (int i = 0; i < 2 * COUNT; i++)
        used[i] = device_cases_event(device);
    return reserve(COUNT) != XH_OK;
}

static int close_pieces(void **state)
{
    (void)state;
    free(pieces.piece);
    pieces.piece = NULL;
    for (int i = 0; i < 2 * COUNT; i++)
        hyb_event_destroy(used[i]);
    hyb_buffer_destroy(memory.buffer);
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    xh_clock_install(NULL, NULL);
    return 0;
}

/* Ask for chunk of strip; does it have to be copied in? */
static bool loads(int64_t strip, int64_t chunk)
{
    hyb_piece_t *piece;
    bool it_does;

    assert_ok(hyb_pieces_get(&pieces, strip, chunk, queue, &piece, &it_does));
    assert_int_equal(piece->strip, strip);
    assert_int_equal(piece->chunk, chunk);
    return it_does;
}

#define TEST_SET_UP(name) TEST_WITH(name, open_pieces, close_pieces)

TEST_SET_UP(a_piece_is_loaded_once)
{
    assert_true(loads(0, 0));
    assert_false(loads(0, 0));
    assert_true(loads(1, 0));
    assert_true(loads(0, 1));
    assert_false(loads(0, 0));
    assert_false(loads(1, 0));
}

TEST_SET_UP(the_least_recently_used_one_is_replaced)
{
    assert_true(loads(0, 0));
    assert_true(loads(1, 0));
    assert_true(loads(2, 0));
    assert_false(loads(0, 0));
    assert_true(loads(3, 0)); /* in place of 1 */
    assert_false(loads(2, 0));
    assert_false(loads(0, 0));
    assert_true(loads(1, 0)); /* in place of 3 */
    assert_true(loads(3, 0));
}

TEST_SET_UP(pieces_lie_side_by_side)
{
    hyb_piece_t *piece[COUNT];
    bool it_loads;

    for (int i = 0; i < COUNT; i++)
        assert_ok(hyb_pieces_get(&pieces, i, 0, queue, &piece[i], &it_loads));
    for (int i = 1; i < COUNT; i++)
        assert_int_equal(
            labs(piece[i]->offset - piece[i - 1]->offset) % DOUBLES, 0);
    assert_true(piece[0]->offset != piece[1]->offset &&
                piece[1]->offset != piece[2]->offset &&
                piece[2]->offset != piece[0]->offset);
}

TEST_SET_UP(what_they_hold_is_forgotten_for_others)
{
    assert_true(loads(0, 0));
    assert_true(loads(1, 0));
    assert_ok(reserve(1));
    assert_true(loads(0, 0));
    assert_true(loads(1, 0));
    assert_true(loads(0, 0));
    assert_ok(reserve(2 * COUNT));
    assert_true(loads(0, 0));
    assert_true(loads(1, 0));
    assert_false(loads(0, 0));
}

/* Seconds of device time from its start until all that is on q has run. */
static double end_of(hyb_queue_t *q, hyb_event_t *start)
{
    hyb_event_t *end = device_cases_event(device);
    double seconds = -1.0;

    assert_ok(hyb_event_record(q, end));
    assert_ok(device_cases_wait(end));
    assert_ok(hyb_event_elapsed(start, end, &seconds));
    hyb_event_destroy(end);
    return seconds;
}

/* A product of 2 us reads the second of two pieces. */
TEST_SET_UP(a_piece_is_replaced_when_its_readers_are_done)
{
    const hyb_block_t v = hyb_block(memory.buffer, 0, 1, 1);
    const hyb_gemm_t product = {.a = v, .b = v, .c = v};
    hyb_queue_t *multiply = device_cases_queue(device);
    hyb_event_t *start = device_cases_event(device);
    hyb_piece_t *piece;
    bool it_loads;

    assert_ok(hyb_event_record(queue, start));
    assert_ok(reserve(2));
    assert_true(loads(1, 0));
    assert_ok(hyb_pieces_get(&pieces, 2, 0, queue, &piece, &it_loads));
    assert_ok(hyb_queue_gemm(multiply, &product));
    assert_ok(hyb_event_record(multiply, piece->used));
    assert_true(loads(3, 0)); /* in place of 1, which nobody reads */
    assert_true(end_of(queue, start) == 0.0);
    assert_true(loads(4, 0));
    assert_true(end_of(queue, start) == end_of(multiply, start));
    assert_true(end_of(queue, start) > 0.0);
    hyb_event_destroy(start);
    hyb_queue_destroy(multiply);
}

TEST_MAIN()
