/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 2 4 */
#include "testing/unit/unit_mpi.h"

#include "testing/unit/hpl/exchange_fixture.h"
#include "testing/unit/node/small_team.h"
#include "hybrid/lu/loop/loop.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/worker.h"

/* Blocks 0 .. 6 of A, the last a narrow one, and b; the first group has 2 */
enum { ORDER = 840, BLOCK = 128, BLOCKS = 8, MEMBERS = 3 };

/* What an iteration's row exchanges need of a factorization, and no more. */
typedef struct {
    exchange_setting_t s;
    hyb_lu_t lu;
    hyb_worker_t worker[MEMBERS];
} table_t;

static void make_workers(table_t *t)
{
    hyb_lu_t *lu = &t->lu;

    lu->resources.team = small_team(MEMBERS);
    lu->worker = t->worker;
    for (int i = 0; i < MEMBERS; i++) {
        t->worker[i].lu = lu;
        t->worker[i].member = i;
    }
    hyb_poller_add(&lu->poller, hyb_exchange_poll, lu);
    lu->assist = hyb_exchange_assist;
    lu->help = hyb_update_help;
}

/* No panel has been applied. Iteration k opens; panel k + 1 has so many blocks
 * here. */
static void begin(table_t *t, int k, hyb_lookahead_t mode, int next)
{
    hyb_lu_t *lu = &t->lu;
    hyb_step_t *step = hyb_lu_step(lu, k);

    hyb_ledger_destroy(&lu->ledger);
    assert_ok(hyb_ledger_create(ORDER, true, BLOCK, 0, &lu->ledger));
    if (lu->exchange == NULL)
        assert_ok(hyb_exchange_create(lu));
    *step = (hyb_step_t){.k = k, .mode = mode, .all = hyb_lu_trailing(lu, k)};
    step->next = (hyb_block_range_t){step->all.from, step->all.from + next};
    hyb_exchange_open(lu, step);
}

/* Iteration k of one process column; with devices groups grow. */
static void table_open(table_t *t, int k, bool devices)
{
    hyb_lu_t *lu = &t->lu;
    uint64_t random = 3;

    memset(t, 0, sizeof(*t));
    t->s.algo.fswap = HPL_SWAP01;
    t->s.n = ORDER;
    t->s.nb = BLOCK;
    t->s.k = k;
    small_grid_open(&t->s.grid, unit_processes(), 1);
    exchange_setting_open(&t->s, &random);
    lu->grid = &t->s.grid;
    lu->mat = &t->s.mat;
    assert_ok(hyb_groups_create((ORDER + BLOCK - 1) / BLOCK,
                                (hyb_grouping_t){.width = 1}, &lu->groups));
    lu->resources.by_blas = true;
    hyb_lu_panel(lu, k)->hpl = t->s.panel;
    hpl_panel_pivots(t->s.panel);
    make_workers(t);
    lu->resources.offloads = devices;
}

static void table_close(table_t *t)
{
    hyb_exchange_destroy(t->lu.exchange);
    hyb_ledger_destroy(&t->lu.ledger);
    hyb_groups_destroy(&t->lu.groups);
    hyb_team_destroy(t->lu.resources.team);
    exchange_setting_close(&t->s);
    small_grid_close(&t->s.grid);
}

/* Panel 0 has been applied to blocks. */
static void apply(table_t *t, int64_t from, int64_t to)
{
    hyb_ledger_queue_all(&t->lu.ledger, (hyb_block_range_t){from, to},
                         HYB_STEPS);
    hyb_ledger_complete_all(&t->lu.ledger, (hyb_block_range_t){from, to},
                            HYB_STEPS);
}

static void poll_often(table_t *t)
{
    for (int i = 0; i < 50; i++)
        hyb_exchange_poll(&t->lu);
}

static void poll_until_over(table_t *t)
{
    while (!hyb_exchange_is_over(t->lu.exchange))
        hyb_exchange_poll(&t->lu);
}

/* Blocks whose rows are here; others follow them. */
static int64_t arrived(table_t *t)
{
    return hyb_ledger_team_first_before(
        &t->lu.ledger, hyb_lu_step(&t->lu, t->s.k)->all,
        hyb_stage_after(t->s.k, HYB_STEP_ARRIVE));
}

/* Wrong entries of U, as it arrived in all groups. */
static int wrong_u(const table_t *t)
{
    const HPL_T_panel *panel = t->s.panel;
    int errors = 0, column;

    for (int64_t j = panel->jj; j <= ORDER; j++) {
        const hpl_exchange_t *x =
            hyb_exchange_of(t->lu.exchange, (hyb_run_t){j, 1}, &column);

        for (int r = 0; r < panel->jb; r++)
            errors +=
                x->gathered[(int64_t)r * x->columns + column] !=
                exchange_expected(
                    &t->s,
                    panel->ia + hpl_panel_pivots(t->s.panel)->gather[r].to,
                    (int)j);
    }
    return errors;
}

/* The exchange that block b came with, and how many columns before it. */
static const hpl_exchange_t *exchange_of(const table_t *t, int64_t b,
                                         int *before_p)
{
    int64_t first = hyb_ledger_first(&t->lu.ledger, b);

    return hyb_exchange_of(t->lu.exchange, (hyb_run_t){first, 1}, before_p);
}

/* Put displaced rows into the matrix; wrong entries there. */
static int wrong_rows(const table_t *t)
{
    int before;

    for (int64_t b = t->s.k + 1; b < BLOCKS; b++) {
        const hpl_exchange_t *x = exchange_of(t, b, &before);

        if (before == 0)
            hpl_exchange_settle(x, 0, x->columns);
    }
    return exchange_wrong_rows(&t->s, t->s.panel->nq);
}

/* ---- cases --------------------------------------------------------------- */

/* Groups of iteration 0 end at ends, the last of which is BLOCKS. */
static void groups_end_at(hyb_lookahead_t mode, int next, bool devices,
                          const int64_t *ends)
{
    static table_t t;
    const hyb_ledger_t *ledger = &t.lu.ledger;
    int64_t from, groups;
    int before;

    table_open(&t, 0, devices);
    begin(&t, 0, mode, next);
    poll_until_over(&t);
    assert_int_equal(arrived(&t), BLOCKS);
    for (groups = 0, from = 1; from < BLOCKS; from = ends[groups++])
        for (int64_t b = from; b < ends[groups]; b++) {
            const hpl_exchange_t *x = exchange_of(&t, b, &before);

            assert_int_equal(before, hyb_ledger_first(ledger, b) -
                                         hyb_ledger_first(ledger, from));
            assert_int_equal(x->columns,
                             hyb_ledger_first(ledger, ends[groups]) -
                                 hyb_ledger_first(ledger, from));
            assert_int_equal(x->tag, groups);
        }
    assert_int_equal(wrong_u(&t) + wrong_rows(&t), 0);
    table_close(&t);
}

#define ENDS(...) ((const int64_t[]){__VA_ARGS__, BLOCKS})

/* So many that groups grow without devices, too. */
static bool are_many(void)
{
    return unit_processes() >= 4;
}

TEST_CALL(the_next_panels_columns_are_a_group_of_their_own,
          groups_end_at(HYB_LOOKAHEAD_PIPELINE, 1, false,
                        are_many() ? ENDS(2, 4) : ENDS(2, 4, 6)))
TEST_CALL(without_them_here_all_groups_are_wide_or_grow_between_many,
          groups_end_at(HYB_LOOKAHEAD_PIPELINE, 0, false,
                        are_many() ? ENDS(3, 7) : ENDS(3, 5, 7)))
TEST_CALL(groups_grow_where_devices_stream,
          groups_end_at(HYB_LOOKAHEAD_PIPELINE, 0, true, ENDS(3, 7)))
TEST_CALL(without_overlap_all_others_are_one_group,
          groups_end_at(HYB_LOOKAHEAD_PANEL, 1, false, ENDS(2)))

/* Nor before all that used its memory last, which lies together. */
TEST(nothing_leaves_before_it_has_met_the_last_panel)
{
    static table_t t;

    table_open(&t, 1, false);
    for (int64_t late = 2; late < BLOCKS; late += BLOCKS - 3) {
        begin(&t, 1, HYB_LOOKAHEAD_PANEL, 0);
        apply(&t, 2, BLOCKS);
        poll_until_over(&t);
        begin(&t, 1, HYB_LOOKAHEAD_PIPELINE, 1);
        apply(&t, 2, late);
        poll_often(&t);
        assert_int_equal(arrived(&t), 2);
        assert_false(hyb_exchange_is_over(t.lu.exchange));
        apply(&t, late, BLOCKS);
        assert_int_equal(arrived(&t), 2);
        poll_until_over(&t);
        assert_int_equal(arrived(&t), BLOCKS);
    }
    table_close(&t);
    table_open(&t, 1, false);
    begin(&t, 1, HYB_LOOKAHEAD_PIPELINE, 1);
    apply(&t, 2, BLOCKS);
    poll_until_over(&t);
    assert_int_equal(wrong_u(&t) + wrong_rows(&t), 0);
    table_close(&t);
}

TEST(only_the_leader_moves_messages)
{
    static table_t t;

    table_open(&t, 0, false);
    begin(&t, 0, HYB_LOOKAHEAD_PIPELINE, 1);
    for (int i = 0; i < 50; i++)
        assert_false(hyb_worker_turn(&t.worker[1]));
    assert_int_equal(arrived(&t), 1);
    while (!hyb_exchange_is_over(t.lu.exchange))
        hyb_worker_turn(&t.worker[0]);
    table_close(&t);
}

static bool all_have_arrived(void *table)
{
    return arrived(table) == BLOCKS;
}

static void pack_and_poll(void *context, int member)
{
    table_t *t = context;

    hyb_wait_until(all_have_arrived, t, hyb_worker_turn, &t->worker[member]);
}

/* Groups follow each other, and a late member may come into the next. */
TEST(members_pack_all_columns)
{
    static table_t t;
    int errors = 0;

    for (int i = 0; i < 20; i++) {
        table_open(&t, 0, false);
        begin(&t, 0, HYB_LOOKAHEAD_PIPELINE, i % 2);
        hyb_team_run(t.lu.resources.team, pack_and_poll, &t);
        errors += wrong_u(&t) + wrong_rows(&t);
        table_close(&t);
    }
    assert_int_equal(errors, 0);
}

TEST(rows_that_stay_at_home_need_no_exchange)
{
    HPL_T_grid alone = {.nprow = 1, .npcol = 1};
    HPL_T_pmat mat = {.n = ORDER, .nb = BLOCK};
    hyb_lu_t lu = {.grid = &alone, .mat = &mat, .resources.by_blas = true};
    hpl_shape_t shape = {.n = ORDER, .nb = BLOCK, .nprow = 1, .npcol = 1};
    static table_t t;
    size_t bytes;

    assert_ok(hyb_exchange_create(&lu));
    assert_null(lu.exchange);
    assert_true(hyb_exchange_is_over(lu.exchange));
    assert_int_equal(hyb_exchange_bytes(&lu.resources, &shape, 0), 0);
    hyb_exchange_destroy(lu.exchange);
    shape.nprow = 2; /* it takes as many bytes as it says */
    table_open(&t, 0, false);
    begin(&t, 0, HYB_LOOKAHEAD_NONE, 0);
    assert_non_null(hyb_exchange_memory(t.lu.exchange, &bytes));
    assert_int_equal(hyb_exchange_bytes(&t.lu.resources, &shape, 0), bytes);
    table_close(&t);
}
