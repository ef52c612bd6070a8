/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4 long */
/*
 * As test_driver_combinations.c, with up to three emulated devices on each
 * process, of another number on each: who computes a column must not matter.
 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

enum { SEED = 90125 };

/* How many devices each process has. */
static const int none_to_three[] = {0, 1, 2, 3}, three_to_none[] = {3, 2, 1, 0},
                 one[] = {1, 1, 1, 1}, three[] = {3, 3, 3, 3},
                 two_on_the_first[] = {2, 0, 0, 0},
                 two_but_on_the_first[] = {0, 2, 2, 2};

/* A case: devices on each process, settings, and what is narrowed. */
#define TEST_MIXTURE(sentence, number, devices, with, ...)                     \
    TEST(sentence)                                                             \
    {                                                                          \
        solver_solve(devices[unit_rank()],                                     \
                     &(combinations_t){.seed = SEED + number,                  \
                                       .settings = with,                       \
                                       NARROWED(__VA_ARGS__)});                \
    }

TEST_MIXTURE(none_to_three_devices_solve, 1, none_to_three, "threads=2",
             {N, 100, 300, 1})
TEST_MIXTURE(three_to_no_devices_solve, 2, three_to_none, "threads=1",
             {N, 100, 300, 1}, {NB, 8, 48, 1})
TEST_MIXTURE(devices_on_the_first_process_only_solve, 3, two_on_the_first,
             "threads=2", {N, 60, 250, 1})
TEST_MIXTURE(devices_on_all_but_the_first_solve, 4, two_but_on_the_first,
             "threads=2", {N, 60, 250, 1})
TEST_MIXTURE(unlike_devices_solve, 5, three_to_none,
             "threads=2 emu_rate=1,3,0.1", {N, 100, 300, 1}, {NB, 4, 64, 1})
TEST_MIXTURE(columns_that_anyone_takes_solve, 6, none_to_three,
             "threads=3 split=steal", {N, 100, 300, 1}, {NB, 8, 64, 1})
TEST_MIXTURE(a_fixed_share_solves, 7, three, "threads=2 split=fixed:0.5",
             {N, 100, 250, 1}, {NB, 8, 64, 1})
TEST_MIXTURE(devices_with_everything_solve, 8, one, "threads=1 split=fixed:1",
             {N, 60, 300, 1}, {NB, 8, 64, 1})
TEST_MIXTURE(devices_and_blocks_of_one_column_solve, 9, none_to_three,
             "threads=2", {N, 1, 50, 1}, {NB, 1, 1, 1})
TEST_MIXTURE(devices_and_one_block_solve, 10, three_to_none, "threads=2",
             {N, 0, 90, 1}, {NB, 60, 200, 1})
TEST_MIXTURE(devices_and_wide_blocks_solve, 11, none_to_three, "threads=2",
             {N, 200, 400, 1}, {NB, 129, 260, 1})
