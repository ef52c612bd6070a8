/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 2 4 */
#include "hybrid/observe/health.h"

#include <time.h>
#include "base/settings.h"
#include "hybrid/lu/state/worker.h"
#include "testing/unit/unit_mpi.h"

static hyb_worker_t worker;
static HPL_T_grid grid = {.order = HPL_ROW_MAJOR, .npcol = 1};
static const hyb_observer_t run = {
    .grid = &grid, .members = 1, .worker = &worker};

static void wait_ms(long ms)
{
    struct timespec time = {.tv_sec = ms / 1000,
                            .tv_nsec = ms % 1000 * 1000000};

    nanosleep(&time, NULL);
}

/* The diagnosis of a factorization on all processes. */
static void begin(hyb_health_t *health)
{
    grid.all_comm = MPI_COMM_WORLD;
    assert_ok(xh_settings_load());
    hyb_health_begin(health, &run, 0.0);
    assert_true(health->wanted);
}

/* Turns of this process, so far apart that each reports or listens. */
static void turn(hyb_health_t *health, int run_delay)
{
    for (; run_delay > 0; run_delay--) {
        wait_ms((long)(1000 * health->apart) + 20);
        hyb_health_turn(health);
    }
}

/* Nothing of one factorization is heard in the next. */
TEST(one_may_follow_another)
{
    hyb_health_t health;

    for (int i = 0; i < 20; i++) {
        begin(&health);
        if (health.me == i % health.count)
            turn(&health, 1);
        hyb_health_end(&health);
    }
}
