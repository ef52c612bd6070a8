/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 4; 3 more */
/*
 * Columns dealt to processes by speed: the solutions are those of columns dealt
 * in turn.
 */
#include "testing/unit/unit_mpi.h"

#include "base/log.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/lu/solver_fixture.h"

enum { SEED = 1907, COMBINATIONS = 2 };

static const double rates[COMBINATION_RATES] = {2.0, 1.0, 0.3, 3.7};

/* On one process row or several; NB such that all have columns, or not. */
#define TEST_SOLVE(sentence, devices, with)                                    \
    TEST(sentence)                                                             \
    {                                                                          \
        solver_solve(devices, &(combinations_t){.seed = SEED,                  \
                                                .count = COMBINATIONS,         \
                                                .settings = with,              \
                                                .rate = rates,                 \
                                                NARROWED({Q, 2, 4, 1})});      \
    }

TEST_SOLVE(any_combination_is_solved, 0, "threads=2")
TEST_SOLVE(sums_of_all_columns_are_right, 0, "threads=2 verify=online")
TEST_SOLVE(devices_stream, 1, "threads=1 home=host")
TEST_SOLVE(devices_hold_columns, 1, "threads=1 home=device")
TEST_SOLVE(unlike_devices_hold_columns, 2,
           "threads=1 home=device emu_rate=4000,1000")
TEST_SOLVE(devices_have_guests, 1, "threads=1 home=device emu_memory=1")

TEST(the_reference_solves)
{
    const combinations_t of = {.seed = SEED,
                               .settings = "solver=reference",
                               .rate = rates,
                               NARROWED({Q, 2, 4, 1})};

    xh_log_limit(XH_LOG_WARNING);
    combinations_end(combinations_solve(&of));
}
