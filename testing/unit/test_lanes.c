/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/clock.h"
#include "hybrid/device/lanes.h"
#include "testing/unit/emu_fixture.h"
#include "testing/unit/node_fixture.h"

static hyb_device_t *device;

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

UNIT_STEP(close_pieces)
{
    free(pieces.piece);
    pieces.piece = NULL;
    for (int i = 0; i < 2 * COUNT; i++)
        hyb_event_destroy(used[i]);
    hyb_buffer_destroy(memory.buffer);
    hyb_queue_destroy(queue);
    hyb_device_close(device);
    xh_clock_install(NULL, NULL);
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
