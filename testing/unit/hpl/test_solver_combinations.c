/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 9 more */
/*
 * Random combinations of everything that HPL.dat can ask for, on grids carved
 * from nine processes: the solution against textbook Gaussian elimination. A
 * combination that fails is printed as the options that repeat it.
 */
#include "testing/unit/unit_mpi.h"

#include "base/log.h"
#include "testing/unit/hpl/combinations.h"

enum { SEED = 20231 };

/* Combinations of a case: with a sanitizer each takes ten times as long. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { COMBINATIONS = 4 };
#else
enum { COMBINATIONS = 10 };
#endif

/* A case: combinations in which some ranges are narrowed. */
#define TEST_COMBINED(sentence, number, ...)                                   \
    TEST(sentence)                                                             \
    {                                                                          \
        xh_log_limit(XH_LOG_WARNING);                                          \
        combinations_end(                                                      \
            combinations_solve(&(combinations_t){.seed = SEED + number,        \
                                                 .count = COMBINATIONS,        \
                                                 .settings = "none",           \
                                                 NARROWED(__VA_ARGS__)}));     \
    }

TEST_COMBINED(any_combination_solves, 1, {N, 0, 300, 1})
TEST_COMBINED(any_other_combination_solves, 2, {N, 3, 250, 1})
TEST_COMBINED(orders_zero_to_three_solve, 3, {N, 0, 3, 1})
TEST_COMBINED(an_order_below_nb_solves, 4, {N, 1, 60, 1}, {NB, 61, 120, 1})
TEST_COMBINED(a_multiple_of_nb_solves, 5, {N, 30, 240, 30}, {NB, 10, 30, 20})
TEST_COMBINED(blocks_of_one_column_solve, 6, {N, 1, 90, 1}, {NB, 1, 1, 1})
TEST_COMBINED(wide_blocks_solve, 7, {N, 150, 300, 1}, {NB, 97, 200, 1})
TEST_COMBINED(one_process_solves, 8, {P, 1, 1, 1}, {Q, 1, 1, 1})
TEST_COMBINED(one_process_row_solves, 9, {P, 1, 1, 1}, {Q, 2, 9, 1})
TEST_COMBINED(one_process_column_solves, 10, {P, 2, 9, 1}, {Q, 1, 1, 1})
TEST_COMBINED(a_square_of_nine_solves, 11, {P, 3, 3, 1}, {Q, 3, 3, 1})
TEST_COMBINED(deep_look_ahead_solves, 12, {DEPTH, 3, 5, 1}, {NB, 4, 40, 1})
TEST_COMBINED(binary_exchange_solves, 13, {SWAP, 0, 0, 1}, {P, 3, 9, 1})
TEST_COMBINED(long_exchange_solves, 14, {SWAP, 1, 1, 1}, {P, 3, 9, 1})
TEST_COMBINED(recursion_to_one_column_solves, 15, {NBMIN, 1, 1, 1},
              {NB, 17, 64, 1})
