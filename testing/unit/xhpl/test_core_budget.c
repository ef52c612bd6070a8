/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/core_budget.h"

#include <math.h>
#include "testing/unit/unit.h"

static const xhpl_core_budget_t enough = {2, 2, INFINITY},
                                crowded = {8, 2, INFINITY},
                                one = {2, 1, INFINITY}, limited = {2, 2, 0.3},
                                wide = {1, 2, 1.5};

TEST(threads_share_cores_or_the_time_that_is_allowed)
{
    assert_true(xhpl_core_budget_share(&enough) == 1.0);
    assert_true(xhpl_core_budget_share(&crowded) == 4.0);
    assert_true(xhpl_core_budget_share(&wide) == 1.0);
    assert_true(fabs(xhpl_core_budget_share(&limited) - 2 / 0.3) < 1e-9);
}

TEST(waiting_for_its_own_threads_is_nobody_elses_fault)
{
    assert_true(xhpl_core_budget_others(&crowded, 0.75) == 0.0);
    assert_true(xhpl_core_budget_others(&crowded, 0.5) == 0.0);
    assert_true(xhpl_core_budget_others(&crowded, 0.875) == 0.5);
    assert_true(xhpl_core_budget_others(&enough, 0.25) == 0.25);
}

TEST(the_cause_of_waiting_is_named)
{
    static const struct {
        const xhpl_core_budget_t *budget;
        double part;
        const char *cause;
    } of[] = {
        {&enough, 0.3, "other programs have them"},
        {&wide, 0.3, "other programs have them"},
        {&crowded, 0.75, "this run has 8 threads on 2 cores"},
        {&crowded, 0.95,
         "this run has 8 threads on 2 cores, and other programs"},
        {&one, 0.5, "this run has 2 threads on 1 core"},
        {&limited, 0.8, "the control group allows 0.3 of 2 cores"},
    };
    char text[96];

    for (size_t i = 0; i < COUNT_OF(of); i++) {
        xhpl_core_budget_cause(of[i].budget, of[i].part, text, sizeof(text));
        assert_string_equal(text, of[i].cause);
    }
}
