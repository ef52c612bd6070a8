/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include "hybrid/device/job.h"
#include "testing/unit/unit.h"

enum { COLS = 4, ROWS = 3, TILES = ROWS * COLS, TAKERS = 4, RETURNS = 500 };

static hyb_job_t job;
static const xh_gemm_t product = {.alpha = 1.0};

/* A device works on it; no column is ready. */
static int open_unreleased(void **state)
{
    const hyb_tiling_request_t request = {.m = ROWS,
                                          .n = COLS,
                                          .k = 1,
                                          .memory = 1 << 20,
                                          .tile_rows = 1,
                                          .tile_cols = 1,
                                          .c_slots = 1};
    hyb_tiling_t tiling;

    (void)state;
    if (hyb_tiling_plan(&request, &tiling) != XH_OK ||
        hyb_job_init(&job, &product, &tiling) != XH_OK)
        return 1;
    hyb_job_join(&job);
    return 0;
}

static int open_job(void **state)
{
    int failed = open_unreleased(state);

    if (!failed)
        hyb_job_release(&job, COLS);
    return failed;
}

static int close_job(void **state)
{
    (void)state;
    hyb_job_destroy(&job);
    return 0;
}

static void tiles_have_no_owner_at_first(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < TILES; i++)
        assert_int_equal(job.owner[i], -1);
    assert_ptr_equal(job.product, &product);
    assert_int_equal(hyb_job_take_returned(&job), -1);
}

static void devices_take_tiles_in_order_until_there_is_none(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < TILES; i++)
        assert_int_equal(hyb_job_take(&job), i);
    assert_int_equal(hyb_job_take(&job), -1);
}

static void tiles_given_back_come_first(void **state)
{
    (void)state;
    assert_int_equal(hyb_job_take(&job), 0);
    assert_int_equal(hyb_job_take(&job), 1);
    hyb_job_return(&job, 0);
    assert_int_equal(hyb_job_take(&job), 0);
    assert_int_equal(hyb_job_take(&job), 2);
    hyb_job_return(&job, 1);
    assert_int_equal(hyb_job_take_returned(&job), 1);
    assert_int_equal(hyb_job_take_returned(&job), -1);
}

static void all_tiles_can_be_given_back(void **state)
{
    int i, sum = 0;

    (void)state;
    while (hyb_job_take(&job) >= 0)
        ;
    for (i = 0; i < TILES; i++)
        hyb_job_return(&job, i);
    for (i = 0; i < TILES; i++)
        sum += (int)hyb_job_take_returned(&job);
    assert_int_equal(sum, TILES * (TILES - 1) / 2);
    assert_int_equal(hyb_job_take(&job), -1);
}

/* Take tiles and give each back until RETURNS are; then keep them. */
static void *take_and_return(void *argument)
{
    int64_t tile, *kept = argument;
    int returns = 0;

    *kept = 0;
    while ((tile = hyb_job_take(&job)) >= 0)
        if (returns++ < RETURNS)
            hyb_job_return(&job, tile);
        else
            *kept += tile;
    return NULL;
}

static void each_tile_is_given_out_once(void **state)
{
    pthread_t thread[TAKERS];
    int64_t kept[TAKERS], sum = 0;
    int i;

    (void)state;
    for (i = 0; i < TAKERS; i++)
        assert_int_equal(
            pthread_create(&thread[i], NULL, take_and_return, &kept[i]), 0);
    for (i = 0; i < TAKERS; i++) {
        pthread_join(thread[i], NULL);
        sum += kept[i];
    }
    assert_int_equal(sum, TILES * (TILES - 1) / 2);
    assert_int_equal(hyb_job_take(&job), -1);
}

/* ---- columns that become ready ------------------------------------------- */

static void devices_take_what_is_released(void **state)
{
    int64_t tile, cols;

    (void)state;
    for (cols = 0; cols < COLS; cols++) {
        hyb_job_release(&job, cols);
        for (tile = cols * ROWS - ROWS; cols > 0 && tile < cols * ROWS; tile++)
            assert_int_equal(hyb_job_take(&job), tile);
        assert_int_equal(hyb_job_take(&job), -1);
    }
    hyb_job_release(&job, INT64_MAX);
    assert_int_equal(hyb_job_take(&job), TILES - ROWS);
}

static void the_host_takes_the_last_when_all_are_released(void **state)
{
    int64_t keep;

    (void)state;
    assert_int_equal(hyb_job_take_last(&job, 0), -1);
    hyb_job_release(&job, COLS - 1);
    assert_int_equal(hyb_job_take_last(&job, 0), -1);
    hyb_job_release(&job, COLS);
    for (keep = TILES - 1; keep > TILES / 2; keep--) {
        assert_int_equal(hyb_job_take_last(&job, keep + 1), -1);
        assert_int_equal(hyb_job_take_last(&job, keep), keep);
    }
}

static void given_back_tiles_are_taken_first_whatever_is_kept(void **state)
{
    (void)state;
    hyb_job_release(&job, 1);
    assert_int_equal(hyb_job_take(&job), 0);
    hyb_job_return(&job, 0);
    assert_int_equal(hyb_job_take_last(&job, TILES), 0);
    assert_int_equal(hyb_job_take_last(&job, TILES), -1);
}

static void without_a_device_the_host_takes_from_the_front(void **state)
{
    int64_t tile;

    (void)state;
    hyb_job_leave(&job);
    hyb_job_release(&job, 2);
    for (tile = 0; tile < 2 * ROWS; tile++)
        assert_int_equal(hyb_job_take_last(&job, TILES), tile);
    assert_int_equal(hyb_job_take_last(&job, 0), -1);
}

static void *await(void *tile)
{
    *(int64_t *)tile = hyb_job_await(&job);
    return NULL;
}

static void who_awaits_a_tile_gets_what_is_released(void **state)
{
    int64_t tile = -7;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, await, &tile), 0);
    hyb_job_release(&job, 1);
    pthread_join(thread, NULL);
    assert_int_equal(tile, 0);
}

/* Of the tiles of one column, one is given back and one is the host's. */
static void who_awaits_a_tile_gets_what_is_given_back(void **state)
{
    int64_t tile = -7;
    pthread_t thread;

    (void)state;
    hyb_job_release(&job, 1);
    while (hyb_job_take(&job) >= 0)
        ;
    assert_int_equal(pthread_create(&thread, NULL, await, &tile), 0);
    hyb_job_complete(&job, 0, 1);
    hyb_job_return(&job, 2);
    pthread_join(thread, NULL);
    assert_int_equal(tile, 2);
}

/* ---- ends ---------------------------------------------------------------- */

static void when_all_is_complete_nobody_waits(void **state)
{
    int64_t tile;

    (void)state;
    for (tile = 0; tile < TILES; tile++) {
        assert_false(hyb_job_done(&job));
        if (tile % 2 == 0) {
            assert_int_equal(hyb_job_take(&job), tile / 2);
            hyb_job_complete(&job, tile / 2, 5);
        } else {
            assert_int_equal(hyb_job_take_last(&job, 0), TILES - 1 - tile / 2);
            hyb_job_complete(&job, TILES - 1 - tile / 2, 0);
        }
    }
    assert_true(hyb_job_done(&job));
    assert_true(hyb_job_idle(&job));
    assert_int_equal(hyb_job_await(&job), -1);
    hyb_job_wait(&job);
    assert_int_equal(job.owner[0], 5);
    assert_int_equal(job.owner[TILES - 1], 0);
}

static void columns_are_done_when_all_their_tiles_are(void **state)
{
    int64_t tile;

    (void)state;
    assert_int_equal(hyb_job_columns_done(&job), 0);
    for (tile = TILES - 1; tile >= ROWS + 2; tile--)
        hyb_job_complete(&job, tile, 0);
    hyb_job_complete(&job, ROWS, 0);
    assert_int_equal(hyb_job_columns_done(&job), 0);
    for (tile = 0; tile < ROWS; tile++) {
        assert_int_equal(hyb_job_columns_done(&job), 0);
        hyb_job_complete(&job, tile, 0);
    }
    assert_int_equal(hyb_job_columns_done(&job), 1);
    hyb_job_complete(&job, ROWS + 1, 0);
    assert_int_equal(hyb_job_columns_done(&job), COLS);
}

static void a_job_that_ends_gives_what_it_can(void **state)
{
    int64_t tile;

    (void)state;
    hyb_job_release(&job, 1);
    hyb_job_end(&job);
    for (tile = 0; tile < ROWS; tile++)
        assert_int_equal(hyb_job_await(&job), tile);
    for (tile = 0; tile < ROWS; tile++)
        hyb_job_complete(&job, tile, 1);
    assert_int_equal(hyb_job_await(&job), -1);
    assert_false(hyb_job_done(&job));
}

/* Idle: no tile can be given back any more. */
static void devices_are_idle_without_a_tile_to_have(void **state)
{
    int64_t tile;

    (void)state;
    for (tile = 0; tile < TILES; tile++) {
        assert_false(hyb_job_idle(&job));
        assert_int_equal(hyb_job_take(&job), tile);
    }
    for (tile = 1; tile < TILES; tile++)
        hyb_job_complete(&job, tile, 1);
    assert_false(hyb_job_idle(&job));
    hyb_job_return(&job, 0);
    assert_false(hyb_job_idle(&job));
    hyb_job_wait(&job);
    assert_int_equal(hyb_job_take_returned(&job), 0);
    assert_true(hyb_job_idle(&job));
    hyb_job_wait(&job);
}

/* All else can be completed, and nobody waits for it. */
static void a_lost_tile_leaves_a_job_that_is_never_done(void **state)
{
    int64_t tile;

    (void)state;
    assert_int_equal(hyb_job_take(&job), 0);
    assert_false(hyb_job_lost(&job));
    hyb_job_lose(&job);
    assert_true(hyb_job_lost(&job));
    while ((tile = hyb_job_take(&job)) >= 0)
        hyb_job_complete(&job, tile, 1);
    assert_true(hyb_job_idle(&job));
    hyb_job_wait(&job);
    assert_int_equal(hyb_job_take_returned(&job), -1);
    assert_false(hyb_job_done(&job));
}

static void no_devices_are_idle_devices(void **state)
{
    (void)state;
    assert_false(hyb_job_idle(&job));
    hyb_job_leave(&job);
    assert_true(hyb_job_idle(&job));
    hyb_job_wait(&job);
}

#define UNRELEASED(test)                                                       \
    cmocka_unit_test_setup_teardown(test, open_unreleased, close_job)
#define ON_A_JOB(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_job, close_job)

static const struct CMUnitTest cases[] = {
    ON_A_JOB(tiles_have_no_owner_at_first),
    ON_A_JOB(devices_take_tiles_in_order_until_there_is_none),
    ON_A_JOB(tiles_given_back_come_first),
    ON_A_JOB(all_tiles_can_be_given_back),
    ON_A_JOB(each_tile_is_given_out_once),
    UNRELEASED(devices_take_what_is_released),
    UNRELEASED(the_host_takes_the_last_when_all_are_released),
    UNRELEASED(given_back_tiles_are_taken_first_whatever_is_kept),
    UNRELEASED(without_a_device_the_host_takes_from_the_front),
    UNRELEASED(who_awaits_a_tile_gets_what_is_released),
    UNRELEASED(who_awaits_a_tile_gets_what_is_given_back),
    ON_A_JOB(when_all_is_complete_nobody_waits),
    UNRELEASED(columns_are_done_when_all_their_tiles_are),
    UNRELEASED(a_job_that_ends_gives_what_it_can),
    ON_A_JOB(devices_are_idle_without_a_tile_to_have),
    ON_A_JOB(a_lost_tile_leaves_a_job_that_is_never_done),
    ON_A_JOB(no_devices_are_idle_devices),
};

UNIT_MAIN(cases)
