/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/flight.h"
#include "testing/unit/emu_fixture.h"
#include "testing/unit/node_fixture.h"

/* A product of four tiles, of which two are in flight. */
enum { SLOTS = 2, TILES = 4 };

static const shape_t shape = {8, 8, 8, XH_NO_TRANS, XH_TRANS, 1.0, 1.0, 0};

static hyb_device_t *device;
static hyb_flight_t flight;
static hyb_job_t job;
static problem_t problem;

/* A copy takes 1 ms. */
static void open_flight(const char *fault)
{
    const hyb_tiling_request_t request = {.m = shape.m,
                                          .n = shape.n,
                                          .k = shape.k,
                                          .memory = 1 << 20,
                                          .tile_rows = 4,
                                          .tile_cols = 4,
                                          .c_slots = SLOTS};
    hyb_tiling_t tiling;

    problem = problem_create(shape, false);
    device = emu_open(0, "emu_memory=1", "emu_link=0.000256", fault, NULL);
    assert_int_equal(hyb_tiling_plan(&request, &tiling), XH_OK);
    assert_int_equal(hyb_tiling_count(&tiling), TILES);
    assert_int_equal(hyb_job_init(&job, &problem.product, &tiling), XH_OK);
    assert_int_equal(hyb_flight_open(&flight, device), XH_OK);
    assert_int_equal(hyb_flight_prepare(&flight, &job), XH_OK);
}

static int close_flight(void **state)
{
    (void)state;
    hyb_flight_close(&flight);
    hyb_device_close(device);
    hyb_job_destroy(&job);
    problem_destroy(&problem);
    return 0;
}

static void launch(int64_t tile, int slot)
{
    assert_int_equal(hyb_flight_launch(&flight, &job, tile, slot), XH_OK);
}

static bool has_returned(int slot)
{
    bool done = false;

    assert_int_equal(hyb_event_wait(flight.slot[slot].out.end, 0.0, &done),
                     XH_OK);
    return done;
}

static void a_tile_returns_and_says_what_it_took(void **state)
{
    hyb_flight_times_t times = {0};
    int64_t tile;

    (void)state;
    open_flight("emu_fault=");
    for (tile = 0; tile < TILES; tile++) {
        int slot = (int)(tile % SLOTS);

        launch(tile, slot);
        assert_int_equal(device_cases_wait(flight.slot[slot].out.end), XH_OK);
        assert_int_equal(hyb_flight_time(&flight.slot[slot], &times), XH_OK);
        hyb_flight_commit(&flight, &job, &flight.slot[slot], 0, 1);
    }
    assert_int_equal(problem_wrong(&problem), 0);
    assert_true(times.in > 0.0 && times.multiply > 0.0 && times.out > 0.0);
}

static void c_is_whole_until_a_tile_is_committed(void **state)
{
    size_t i, changed = 0;

    (void)state;
    open_flight("emu_fault=");
    launch(0, 0);
    launch(1, 1);
    hyb_flight_drain(&flight, DEVICE_PATIENCE);
    for (i = 0; i < problem.c_size; i++)
        changed += !problem_untouched(&problem, i);
    assert_int_equal(changed, 0);
    hyb_flight_commit(&flight, &job, &flight.slot[0], 0, 1);
    for (i = 0; i < problem.c_size; i++)
        changed += !problem_untouched(&problem, i);
    assert_int_equal(changed, 16);
}

static void after_a_drain_nothing_is_queued(void **state)
{
    (void)state;
    open_flight("emu_fault=");
    launch(0, 0);
    launch(1, 1);
    hyb_flight_drain(&flight, DEVICE_PATIENCE);
    assert_true(has_returned(0));
    assert_true(has_returned(1));
}

static void a_drain_ends_though_a_queue_stalls(void **state)
{
    (void)state;
    capture_begin();
    open_flight("emu_fault=stall@gemm:1");
    launch(0, 0);
    hyb_flight_drain(&flight, 0.02);
    assert_false(has_returned(0));
    hyb_device_fail(device, "it stalled");
    capture_end(NULL);
}

#define IN_FLIGHT(test)                                                        \
    cmocka_unit_test_setup_teardown(test, emu_default_settings, close_flight)

static const struct CMUnitTest cases[] = {
    IN_FLIGHT(a_tile_returns_and_says_what_it_took),
    IN_FLIGHT(c_is_whole_until_a_tile_is_committed),
    IN_FLIGHT(after_a_drain_nothing_is_queued),
    IN_FLIGHT(a_drain_ends_though_a_queue_stalls),
};

UNIT_MAIN(cases)
