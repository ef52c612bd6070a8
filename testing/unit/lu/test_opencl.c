/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 2 4 long */
/*
 * The solver with a device of OpenCL, which processes share: random parameters
 * on grids carved from the job's processes; x is held against the reference
 * solver's.
 */
#include "testing/unit/unit_mpi.h"

#include "hybrid/device/device.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

enum { SEED = 1808, COMBINATIONS = 6 };

static bool has_device(void)
{
    hyb_device_choice_t *chosen = NULL;
    int count = 0;
    bool has;

    unheard(has = hyb_devices_choose("opencl:0", &chosen, &count) == XH_OK);
    free(chosen);
    return has;
}

#define TEST_SOLVE(sentence, number, with)                                     \
    TEST(sentence)                                                             \
    {                                                                          \
        if (!has_device())                                                     \
            skip();                                                            \
        solver_solve(0, &(combinations_t){.seed = SEED + number,               \
                                          .count = COMBINATIONS,               \
                                          .settings =                          \
                                              "devices=opencl:0 threads=1 "    \
                                              "tile=32 " with});               \
    }

TEST_SOLVE(columns_that_live_there_are_solved, 1, "home=device panel=host")
TEST_SOLVE(the_device_factors_panels, 2, "home=device panel=device")
TEST_SOLVE(columns_there_meet_groups_of_panels, 4, "home=device group=3")
TEST_SOLVE(columns_that_stream_are_solved, 3, "home=host split=fixed:0.7")
