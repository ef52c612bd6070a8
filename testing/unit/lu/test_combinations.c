/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4 9 long */
/*
 * As test_solver_combinations.c, with the threaded solver: random parameters
 * on grids carved from the job's processes, teams of one to three threads, all
 * modes of look-ahead. With those of test_driver_devices.c more than 300
 * combinations.
 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

enum { SEED = 424 };

/* A case: combinations in which some ranges are narrowed. */
#define TEST_COMBINED(sentence, number, threads, ...)                          \
    TEST(sentence)                                                             \
    {                                                                          \
        solver_solve(0, &(combinations_t){.seed = SEED + number,               \
                                          .settings = "threads=" threads,      \
                                          NARROWED(__VA_ARGS__)});             \
    }

TEST_COMBINED(one_thread_solves_any_combination, 1, "1", {N, 0, 300, 1})
TEST_COMBINED(two_threads_solve_any_combination, 2, "2", {N, 0, 300, 1})
TEST_COMBINED(three_threads_solve_any_combination, 3, "3", {N, 0, 250, 1})
TEST_COMBINED(orders_zero_to_three_solve, 5, "2", {N, 0, 3, 1})
TEST_COMBINED(one_block_solves, 6, "3", {N, 1, 60, 1}, {NB, 60, 500, 1})
TEST_COMBINED(a_multiple_of_nb_solves, 7, "2", {N, 30, 240, 30},
              {NB, 10, 30, 20})
TEST_COMBINED(blocks_of_one_column_solve, 8, "2", {N, 1, 90, 1}, {NB, 1, 1, 1})
TEST_COMBINED(three_threads_share_few_columns, 9, "3", {N, 1, 60, 1},
              {NB, 2, 7, 1})
TEST_COMBINED(wide_blocks_solve, 10, "2", {N, 150, 300, 1}, {NB, 129, 260, 1})
TEST_COMBINED(wide_leaves_of_the_recursion_solve, 12, "2", {NBMIN, 13, 80, 1})
TEST_COMBINED(recursion_to_one_column_solves, 13, "2", {NBMIN, 1, 1, 1},
              {NB, 17, 64, 1})
TEST_COMBINED(many_groups_of_columns_are_exchanged, 14, "2", {N, 480, 500, 1},
              {NB, 1, 4, 1}, {Q, 1, 1, 1})
TEST_COMBINED(deep_look_ahead_solves, 15, "1", {DEPTH, 2, 5, 1}, {NB, 4, 40, 1})
