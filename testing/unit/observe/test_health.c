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
    assert_true(health->is_on);
}

/* Steps of this process; in each it reports or receives. */
static void step(hyb_health_t *health, int count)
{
    for (; count > 0; count--) {
        wait_ms((long)(1000 * health->interval) + 20);
        hyb_health_step(health);
    }
}

/* Nothing of one factorization is heard in the next. */
TEST(one_may_follow_another)
{
    hyb_health_t health;

    for (int i = 0; i < 20; i++) {
        begin(&health);
        if (health.me == i % health.count)
            step(&health, 1);
        hyb_health_end(&health);
    }
}
