/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 1 more; needs: blas */
/*
 * The threaded solver with updates by the BLAS library: random parameters on
 * all grids, every look-ahead, with devices and without.
 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

enum { SEED = 77, COMBINATIONS = 6 };

/* A case: the settings, and ranges that are narrowed. */
#define TEST_SOLVE(sentence, with, ...)                                        \
    TEST(sentence)                                                             \
    {                                                                          \
        solver_solve(0, &(combinations_t){.seed = SEED,                        \
                                          .count = COMBINATIONS,               \
                                          .settings = with,                    \
                                          NARROWED(__VA_ARGS__)});             \
    }

TEST_SOLVE(the_blas_solves_any_combination, "kernel=blas threads=2",
           {N, 0, 300, 1})
TEST_SOLVE(the_blas_solves_with_one_thread, "kernel=blas threads=1",
           {N, 0, 300, 1})
TEST_SOLVE(the_blas_solves_with_wide_blocks, "kernel=blas threads=3",
           {N, 150, 300, 1}, {NB, 129, 260, 1})
TEST_SOLVE(the_blas_solves_with_blocks_of_a_column, "kernel=blas threads=2",
           {N, 1, 90, 1}, {NB, 1, 2, 1})
TEST_SOLVE(the_blas_solves_with_more_threads_than_a_block_has_columns,
           "kernel=blas threads=20", {N, 1, 60, 1}, {NB, 1, 12, 1},
           {P, 1, 1, 1}, {Q, 1, 1, 1})
TEST_SOLVE(the_blas_solves_beside_a_device,
           "kernel=blas threads=2 devices=emu:1 emu_memory=16", {N, 60, 300, 1},
           {NB, 8, 64, 1})
TEST_SOLVE(the_blas_solves_beside_two_devices,
           "kernel=blas threads=2 devices=emu:2 emu_memory=16", {N, 60, 300, 1},
           {NB, 8, 64, 1})
