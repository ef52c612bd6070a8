/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 2 4 */
#include "testing/unit/unit_mpi.h"

#include "hpl/panel/panel.h"
#include "hybrid/lu/agenda.h"
#include "testing/unit/exchange_fixture.h"
#include "testing/unit/small_team.h"

enum { ORDER = 40, BLOCK = 4, GROUP = 12, MEMBERS = 3, BLOCKS = 16 };

/* What an iteration's row exchanges need of a factorization, and no more. */
typedef struct {
    exchange_setting_t s;
    hyb_lu_t lu;
    hpl_exchange_t at[BLOCKS];
    int64_t first[BLOCKS];
    int64_t end[BLOCKS];
    double gathered[BLOCK * (ORDER + 1)], displaced[BLOCK * (ORDER + 1)];
    hyb_timer_t spent[MEMBERS];
} table_t;

/* Iteration k is about to open, on one process column; the next panel's
 * columns are the first next of those behind panel k. */
static void table_open(table_t *t, int k, hyb_lookahead_t mode, int64_t next)
{
    hyb_lu_t *lu = &t->lu;
    uint64_t random = 3;

    memset(t, 0, sizeof(*t));
    t->s.algo.fswap = HPL_SWAP01;
    t->s.n = ORDER;
    t->s.nb = BLOCK;
    t->s.k = k;
    small_grid_open(&t->s.grid, small_processes(), 1);
    exchange_setting_open(&t->s, &random);
    lu->grid = &t->s.grid;
    lu->mat = &t->s.mat;
    lu->spent = t->spent;
    lu->panel[k % HYB_IN_FLIGHT].hpl = t->s.panel;
    hpl_panel_pivots(t->s.panel);
    assert_int_equal(hyb_columns_create(t->s.mat.nq, BLOCK, &lu->columns),
                     XH_OK);
    lu->plan[k % HYB_IN_FLIGHT].mode = mode;
    lu->plan[k % HYB_IN_FLIGHT].next.to = t->s.panel->jj + next;
    lu->exchanges = (hyb_exchanges_t){.group = -1,
                                      .rows = BLOCK,
                                      .position = t->s.mat.nq,
                                      .width = GROUP,
                                      .most = 1,
                                      .at = t->at,
                                      .first = t->first,
                                      .end = t->end,
                                      .gathered = t->gathered,
                                      .displaced = t->displaced};
}

static void table_close(table_t *t)
{
    hyb_columns_destroy(&t->lu.columns);
    exchange_setting_close(&t->s);
    small_grid_close(&t->s.grid);
}

/* All columns from from on have met one more panel. */
static void apply_all_from(table_t *t, int64_t from)
{
    int64_t end;

    for (; from < t->lu.columns.count; from = end) {
        end = Mmin(from + BLOCK, t->lu.columns.count);
        hyb_columns_apply(&t->lu.columns, (hyb_run_t){from, end - from});
    }
}

static int64_t arrived(table_t *t)
{
    return atomic_load(&hyb_lu_plan(&t->lu, t->s.k)->arrived);
}

static void poll_until_closed(hyb_lu_t *lu)
{
    while (!hyb_exchanges_closed(lu))
        hyb_agenda_poll(lu);
}

/* Wrong entries of U, as it arrived in all groups. */
static int wrong_u(const table_t *t)
{
    const HPL_T_panel *panel = t->s.panel;
    int errors = 0;
    int64_t j;

    for (j = panel->jj; j < t->lu.columns.count; j++) {
        const hpl_exchange_t *x = &t->at[t->first[j / BLOCK]];
        int64_t from = panel->jj > t->first[j / BLOCK] * BLOCK
                           ? panel->jj
                           : t->first[j / BLOCK] * BLOCK;
        int r;

        for (r = 0; r < panel->jb; r++)
            errors +=
                x->gathered[(int64_t)r * x->columns + j - from] !=
                exchange_expected(
                    &t->s,
                    panel->ia + hpl_panel_pivots(t->s.panel)->gather[r].to,
                    (int)j);
    }
    return errors;
}

/* Put displaced rows into the matrix; wrong entries there. */
static int wrong_rows(const table_t *t)
{
    int64_t from = t->s.panel->jj, end;

    for (; from < t->lu.columns.count; from = end) {
        const hpl_exchange_t *x = &t->at[t->first[from / BLOCK]];

        end = t->end[from / BLOCK];
        hpl_exchange_settle(x, 0, x->columns);
    }
    return exchange_wrong_rows(&t->s, t->s.panel->nq);
}

static void groups_follow_each_other(hyb_lookahead_t mode, int64_t next,
                                     const int64_t *ends, int groups)
{
    static table_t t;
    int64_t from;
    int i, errors;

    table_open(&t, 0, mode, next);
    from = t.s.panel->jj;
    hyb_exchanges_open(&t.lu, 0);
    poll_until_closed(&t.lu);
    assert_int_equal(arrived(&t), ORDER + 1);
    assert_int_equal(t.lu.exchanges.tag, groups);
    for (i = 0; i < groups; from = ends[i++]) {
        assert_int_equal(t.end[from / BLOCK], ends[i]);
        assert_int_equal(t.end[(ends[i] - 1) / BLOCK], ends[i]);
        assert_int_equal(t.first[(ends[i] - 1) / BLOCK], from / BLOCK);
    }
    errors = wrong_u(&t) + wrong_rows(&t);
    table_close(&t);
    assert_int_equal(errors, 0);
}

static void the_next_panels_columns_are_a_group_of_their_own(void **state)
{
    static const int64_t ends[] = {8, 20, 32, 41};

    (void)state;
    groups_follow_each_other(HYB_LOOKAHEAD_PIPELINE, BLOCK, ends, 4);
}

static void without_them_here_all_groups_are_wide(void **state)
{
    static const int64_t ends[] = {16, 28, 40, 41};

    (void)state;
    groups_follow_each_other(HYB_LOOKAHEAD_PIPELINE, 0, ends, 4);
}

/* 12, 24 and what is left. */
static void groups_grow_where_devices_stream(void **state)
{
    static table_t t;
    int64_t from, second;

    (void)state;
    table_open(&t, 0, HYB_LOOKAHEAD_PIPELINE, 0);
    t.lu.exchanges.most = 2;
    from = t.s.panel->jj;
    hyb_exchanges_open(&t.lu, 0);
    poll_until_closed(&t.lu);
    second = t.end[from / BLOCK];
    assert_int_equal(second, from + GROUP);
    assert_int_equal(t.end[second / BLOCK], second + 2 * GROUP);
    assert_int_equal(wrong_u(&t) + wrong_rows(&t), 0);
    table_close(&t);
}

static void without_overlap_all_others_are_one_group(void **state)
{
    static const int64_t ends[] = {8, 41};

    (void)state;
    groups_follow_each_other(HYB_LOOKAHEAD_PANEL, BLOCK, ends, 2);
}

static void nothing_leaves_before_it_has_met_the_last_panel(void **state)
{
    static table_t t;
    int i, errors;

    (void)state;
    table_open(&t, 1, HYB_LOOKAHEAD_PIPELINE, BLOCK);
    hyb_exchanges_open(&t.lu, 1);
    for (i = 0; i < 50; i++)
        hyb_agenda_poll(&t.lu);
    errors = arrived(&t) != t.s.panel->jj || hyb_exchanges_closed(&t.lu) ||
             t.lu.exchanges.group >= 0;
    apply_all_from(&t, t.s.panel->jj);
    errors += hyb_exchanges_reached(&t.lu, 1, t.s.panel->jj, ORDER + 1);
    poll_until_closed(&t.lu);
    errors += !hyb_exchanges_reached(&t.lu, 1, t.s.panel->jj, ORDER + 1);
    table_close(&t);
    assert_int_equal(errors, 0);
}

/* Columns 8 .. 19 came together, and lie in memory together. */
static void a_group_waits_for_all_that_used_its_memory_last(void **state)
{
    static table_t t;
    bool before;
    int i;

    (void)state;
    table_open(&t, 1, HYB_LOOKAHEAD_PIPELINE, BLOCK);
    t.end[2] = t.end[3] = t.end[4] = 20;
    hyb_exchanges_open(&t.lu, 1);
    hyb_columns_apply(&t.lu.columns, (hyb_run_t){8, 4});
    hyb_columns_apply(&t.lu.columns, (hyb_run_t){12, 4});
    for (i = 0; i < 50; i++)
        hyb_agenda_poll(&t.lu);
    before =
        t.lu.exchanges.group >= 0 || hyb_exchanges_reached(&t.lu, 1, 8, 12);
    apply_all_from(&t, 16);
    poll_until_closed(&t.lu);
    table_close(&t);
    assert_false(before);
}

static void only_the_leader_moves_messages(void **state)
{
    static table_t t;
    int i, turns = 0;
    bool moved;

    (void)state;
    table_open(&t, 0, HYB_LOOKAHEAD_PIPELINE, BLOCK);
    hyb_exchanges_open(&t.lu, 0);
    for (i = 0; i < 50; i++)
        hyb_agenda_turn(&t.lu, 1, &turns);
    moved = t.lu.exchanges.position != t.s.panel->jj;
    while (!hyb_agenda_done(&t.lu))
        hyb_agenda_turn(&t.lu, 0, &turns);
    table_close(&t);
    assert_false(moved);
    assert_true(turns > 50);
}

static void pack_and_poll(void *argument, int member)
{
    table_t *t = argument;
    int turns = 0;

    while (arrived(t) < ORDER + 1)
        hyb_agenda_turn(&t->lu, member, &turns);
}

static void members_pack_each_unit_once(void **state)
{
    static table_t t;
    hyb_team_t *team = small_team(MEMBERS);
    int i, errors = 0;

    (void)state;
    for (i = 0; i < 20; i++) {
        table_open(&t, 0, HYB_LOOKAHEAD_NONE, 0);
        hyb_exchanges_open(&t.lu, 0);
        hyb_team_run(team, pack_and_poll, &t);
        errors += atomic_load(&t.lu.exchanges.pack.units.settled) != 2;
        errors += wrong_u(&t) + wrong_rows(&t);
        table_close(&t);
    }
    hyb_team_destroy(team);
    assert_int_equal(errors, 0);
}

static void rows_that_stay_at_home_need_no_exchange(void **state)
{
    static table_t t;
    HPL_T_grid alone = {.nprow = 1, .npcol = 1};
    bool closed, done, reached;

    (void)state;
    table_open(&t, 0, HYB_LOOKAHEAD_PIPELINE, BLOCK);
    t.lu.exchanges.position = 0;
    closed = hyb_exchanges_closed(&t.lu);
    t.lu.grid = &alone;
    done = hyb_exchanges_closed(&t.lu) && hyb_agenda_done(&t.lu);
    reached = hyb_exchanges_reached(&t.lu, 0, 4, 8) &&
              !hyb_exchanges_reached(&t.lu, 1, 4, 8);
    table_close(&t);
    assert_false(closed);
    assert_true(done);
    assert_true(reached);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(the_next_panels_columns_are_a_group_of_their_own),
    cmocka_unit_test(without_them_here_all_groups_are_wide),
    cmocka_unit_test(groups_grow_where_devices_stream),
    cmocka_unit_test(without_overlap_all_others_are_one_group),
    cmocka_unit_test(nothing_leaves_before_it_has_met_the_last_panel),
    cmocka_unit_test(a_group_waits_for_all_that_used_its_memory_last),
    cmocka_unit_test(only_the_leader_moves_messages),
    cmocka_unit_test(members_pack_each_unit_once),
    cmocka_unit_test(rows_that_stay_at_home_need_no_exchange),
};

UNIT_MPI_MAIN(cases)
