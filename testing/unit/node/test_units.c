/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/node/units.h"

#include "testing/unit/node/small_team.h"
#include "testing/unit/unit.h"

enum { MEMBERS = 4, MOST = 40, ROUNDS = 20000 };

typedef struct {
    hyb_units_t units;
    _Atomic int done[MOST]; /* how often each was, in this round */
    _Atomic bool over;
    int wrong; /* rounds in which one was not done once */
} table_t;

TEST(units_are_taken_in_order_and_then_none)
{
    hyb_units_t units;

    hyb_units_begin(&units, 2);
    assert_true(hyb_units_are_left(&units));
    assert_int_equal(hyb_units_take(&units), 0);
    assert_int_equal(hyb_units_take(&units), 1);
    assert_int_equal(hyb_units_take(&units), -1);
    assert_false(hyb_units_are_left(&units));
    assert_false(hyb_units_are_settled(&units));
    hyb_units_settle(&units);
    hyb_units_settle(&units);
    assert_true(hyb_units_are_settled(&units));
    hyb_units_begin(&units, 0); /* none are settled at once */
    assert_true(hyb_units_are_settled(&units));
    assert_int_equal(hyb_units_take(&units), -1);
}

static bool take_one(table_t *t)
{
    int64_t i = hyb_units_take(&t->units);

    if (i < 0)
        return false;
    atomic_fetch_add(&t->done[i], 1);
    hyb_units_settle(&t->units);
    return true;
}

/* Works of few and of many units by turns, as a late taker would mix up. */
static void lead(table_t *t)
{
    int count;

    for (int round = 0; round < ROUNDS; round++) {
        count = 1 + round * 7 % MOST;
        for (int i = 0; i < MOST; i++)
            atomic_store(&t->done[i], 0);
        hyb_units_begin(&t->units, count);
        while (!hyb_units_are_settled(&t->units))
            take_one(t);
        for (int i = 0; i < MOST; i++)
            t->wrong += atomic_load(&t->done[i]) != (i < count);
    }
    atomic_store(&t->over, true);
}

static void work(void *argument, int member)
{
    table_t *t = argument;

    if (member == 0)
        lead(t);
    while (!atomic_load(&t->over))
        take_one(t);
}

TEST(each_unit_of_each_work_is_done_once)
{
    static table_t t;
    hyb_team_t *team = small_team(MEMBERS);

    hyb_units_begin(&t.units, 0);
    hyb_team_run(team, work, &t);
    hyb_team_destroy(team);
    assert_int_equal(t.wrong, 0);
}
