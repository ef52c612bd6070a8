/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/columns.h"

#include "testing/unit/small_team.h"
#include "testing/unit/unit.h"

enum { MOST = 400, MEMBERS = 3 };

/* columns in blocks, dealt; how often each was taken, and by whom last */
typedef struct {
    hyb_columns_t columns;
    hyb_deal_t deal;
    _Atomic int taken[MOST];
    int taker[MOST];
} table_t;

static void table_open(table_t *t, int64_t nb, int lanes, hyb_run_t all,
                       int64_t width)
{
    memset(t, 0, sizeof(*t));
    assert_int_equal(hyb_columns_create(MOST, nb, &t->columns), XH_OK);
    assert_int_equal(hyb_deal_create(lanes, &t->deal), XH_OK);
    hyb_deal_begin(&t->deal, &t->columns, all, width);
}

static void table_close(table_t *t)
{
    hyb_deal_destroy(&t->deal);
    hyb_columns_destroy(&t->columns);
}

/* All runs of one member. */
static void take_all(void *argument, int member)
{
    table_t *t = argument;
    hyb_run_t run;
    int64_t j;

    while (hyb_deal_take(&t->deal, &t->columns, member, &run)) {
        for (j = run.from; j < run.from + run.count; j++) {
            t->taken[j]++;
            t->taker[j] = member;
        }
        hyb_deal_settle(&t->deal, run);
    }
}

/* Columns that were not taken once if they are in all, or at all if not. */
static int wrong_columns(const table_t *t, hyb_run_t all)
{
    int j, wrong = 0;

    for (j = 0; j < MOST; j++)
        wrong += t->taken[j] != (j >= all.from && j < all.from + all.count);
    return wrong;
}

static void a_team_takes_each_column_once(int lanes)
{
    static const hyb_run_t parts[] = {{0, MOST}, {5, 390}, {64, 64},
                                      {63, 2},   {130, 1}, {200, 0}};
    hyb_team_t *team = small_team(MEMBERS);
    table_t t;
    size_t i;

    for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        table_open(&t, 64, lanes, parts[i], 24);
        hyb_team_run(team, take_all, &t);
        assert_int_equal(wrong_columns(&t, parts[i]), 0);
        assert_true(hyb_deal_done(&t.deal));
        table_close(&t);
    }
    hyb_team_destroy(team);
}

static void one_lane_gives_each_column_once(void **state)
{
    (void)state;
    a_team_takes_each_column_once(1);
}

static void a_lane_a_member_gives_each_column_once(void **state)
{
    (void)state;
    a_team_takes_each_column_once(MEMBERS);
}

static void what_one_lane_holds_a_single_member_may_take(void **state)
{
    const hyb_run_t all = {10, 300};
    table_t t;

    (void)state;
    table_open(&t, 50, 1, all, 16);
    take_all(&t, 2);
    assert_int_equal(wrong_columns(&t, all), 0);
    table_close(&t);
}

static void a_members_lane_does_not_depend_on_who_comes_first(void **state)
{
    static const int orders[][MEMBERS] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}};
    const hyb_run_t all = {40, 320};
    table_t first, t;
    size_t i;
    int m;

    (void)state;
    for (i = 0; i < 3; i++) {
        table_open(i == 0 ? &first : &t, 40, MEMBERS, all, 16);
        for (m = 0; m < MEMBERS; m++)
            take_all(i == 0 ? &first : &t, orders[i][m]);
        if (i == 0)
            continue;
        assert_memory_equal(t.taker, first.taker, sizeof(t.taker));
        table_close(&t);
    }
    table_close(&first);
}

static void a_deal_is_done_once_all_lanes_are(void **state)
{
    const hyb_run_t all = {0, 300};
    table_t t;
    int m;

    (void)state;
    table_open(&t, 100, MEMBERS, all, 24);
    for (m = 0; m < MEMBERS; m++) {
        assert_false(hyb_deal_done(&t.deal));
        take_all(&t, m);
    }
    assert_true(hyb_deal_done(&t.deal));
    take_all(&t, 0);
    assert_int_equal(wrong_columns(&t, all), 0);
    table_close(&t);
}

static void runs_stay_within_blocks_and_widths(void **state)
{
    hyb_run_t run;
    table_t t;

    (void)state;
    table_open(&t, 30, 1, (hyb_run_t){17, 200}, 16);
    while (hyb_deal_take(&t.deal, &t.columns, 0, &run)) {
        assert_in_range(run.count, 1, 16);
        assert_int_equal(run.from / 30, (run.from + run.count - 1) / 30);
    }
    table_close(&t);
}

static void a_block_has_a_stage_when_all_its_columns_have(void **state)
{
    hyb_columns_t c;

    (void)state;
    assert_int_equal(hyb_columns_create(70, 32, &c), XH_OK);
    hyb_columns_apply(&c, (hyb_run_t){32, 20});
    assert_false(hyb_columns_reached(&c, 32, 40, 1));
    hyb_columns_apply(&c, (hyb_run_t){52, 12});
    assert_true(hyb_columns_reached(&c, 32, 64, 1));
    assert_false(hyb_columns_reached(&c, 32, 65, 1));
    hyb_columns_apply(&c, (hyb_run_t){64, 6});
    assert_true(hyb_columns_reached(&c, 32, 70, 1));
    assert_false(hyb_columns_reached(&c, 64, 70, 2));
    assert_false(hyb_columns_reached(&c, 31, 40, 1));
    hyb_columns_destroy(&c);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(one_lane_gives_each_column_once),
    cmocka_unit_test(a_lane_a_member_gives_each_column_once),
    cmocka_unit_test(what_one_lane_holds_a_single_member_may_take),
    cmocka_unit_test(a_members_lane_does_not_depend_on_who_comes_first),
    cmocka_unit_test(a_deal_is_done_once_all_lanes_are),
    cmocka_unit_test(runs_stay_within_blocks_and_widths),
    cmocka_unit_test(a_block_has_a_stage_when_all_its_columns_have),
};

UNIT_MAIN(cases)
