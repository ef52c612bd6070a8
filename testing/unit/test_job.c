/* SPDX-License-Identifier: BSD-3-Clause */
#include <pthread.h>
#include "hybrid/engine/job.h"
#include "testing/unit/unit.h"

enum { TILES = 12, TAKERS = 4, RETURNS = 500 };

static hyb_job_t job;
static const hyb_gemm_t product = {.alpha = 1.0};

static int open_job(void **state)
{
    const hyb_tiling_request_t request = {.m = 3,
                                          .n = 4,
                                          .k = 1,
                                          .memory = 1 << 20,
                                          .tile_rows = 1,
                                          .tile_cols = 1,
                                          .c_slots = 1};
    hyb_tiling_t tiling;

    (void)state;
    return hyb_tiling_plan(&request, &tiling) != XH_OK ||
           hyb_job_init(&job, &product, &tiling) != XH_OK;
}

static int close_job(void **state)
{
    (void)state;
    hyb_job_release(&job);
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

#define ON_A_JOB(test)                                                         \
    cmocka_unit_test_setup_teardown(test, open_job, close_job)

static const struct CMUnitTest cases[] = {
    ON_A_JOB(tiles_have_no_owner_at_first),
    ON_A_JOB(devices_take_tiles_in_order_until_there_is_none),
    ON_A_JOB(tiles_given_back_come_first),
    ON_A_JOB(all_tiles_can_be_given_back),
    ON_A_JOB(each_tile_is_given_out_once),
};

UNIT_MAIN(cases)
