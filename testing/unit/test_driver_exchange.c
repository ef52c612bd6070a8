/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 2 4 */
#include "testing/unit/unit_mpi.h"

#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/lu.h"
#include "testing/unit/exchange_fixture.h"
#include "testing/unit/small_team.h"

/* Blocks 0 .. 9 of A, and b; the first group has 3 */
enum { ORDER = 40, BLOCK = 4, BLOCKS = 11, GROUP = 3, MEMBERS = 3 };

/* What an iteration's row exchanges need of a factorization, and no more. */
typedef struct {
    exchange_setting_t s;
    hyb_lu_t lu;
    hyb_worker_t worker[MEMBERS];
    hyb_timer_t timer[MEMBERS];
} table_t;

static hyb_exchange_t *exchange(table_t *t)
{
    return &t->lu.exchange;
}

static void make_workers(table_t *t)
{
    hyb_lu_t *lu = &t->lu;

    lu->means.team = small_team(MEMBERS);
    lu->workers = (hyb_workers_t){
        .count = MEMBERS, .worker = t->worker, .timer = t->timer};
    for (int i = 0; i < MEMBERS; i++) {
        t->worker[i].lu = lu;
        t->worker[i].member = i;
    }
    hyb_poller_add(&lu->poller, hyb_exchange_poll, lu);
}

/* Iteration k opens, on one process column; panel k + 1 has so many blocks
 * here. */
static void table_open(table_t *t, int k, hyb_lookahead_t mode, int next)
{
    hyb_lu_t *lu = &t->lu;
    hyb_step_t *step = hyb_lu_step(lu, k);
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
    lu->means.by_blas = true;
    hyb_lu_panel(lu, k)->hpl = t->s.panel;
    hpl_panel_pivots(t->s.panel);
    make_workers(t);
    assert_ok(hyb_ledger_create(ORDER, true, BLOCK, &lu->ledger));
    lu->homes.host_blocks = lu->ledger.blocks;
    assert_ok(hyb_exchange_create(lu));
    lu->exchange.blocks = GROUP;
    *step = (hyb_step_t){.k = k, .mode = mode, .all = hyb_lu_trailing(lu, k)};
    step->next = (hyb_blocks_t){step->all.from, step->all.from + next};
    hyb_exchange_open(lu, step);
}

static void table_close(table_t *t)
{
    hyb_exchange_destroy(&t->lu.exchange);
    hyb_ledger_destroy(&t->lu.ledger);
    hyb_team_destroy(t->lu.means.team);
    exchange_setting_close(&t->s);
    small_grid_close(&t->s.grid);
}

/* Blocks have met panel 0. */
static void apply(table_t *t, int64_t from, int64_t to)
{
    hyb_stages_t first = {hyb_stage(0), hyb_stage(1)};

    hyb_ledger_queue_all(&t->lu.ledger, (hyb_blocks_t){from, to}, first);
    hyb_ledger_complete_all(&t->lu.ledger, (hyb_blocks_t){from, to}, first);
}

static void poll_often(table_t *t)
{
    for (int i = 0; i < 50; i++)
        hyb_exchange_poll(&t->lu);
}

static void poll_until_over(table_t *t)
{
    while (!hyb_exchange_is_over(exchange(t)))
        hyb_exchange_poll(&t->lu);
}

/* Blocks whose rows are here; others follow them. */
static int64_t arrived(table_t *t)
{
    return hyb_ledger_first_before(&t->lu.ledger,
                                   hyb_lu_step(&t->lu, t->s.k)->all,
                                   hyb_stage_after(t->s.k, HYB_STEP_ARRIVE));
}

/* Wrong entries of U, as it arrived in all groups. */
static int wrong_u(const table_t *t)
{
    const HPL_T_panel *panel = t->s.panel;
    int errors = 0, column;

    for (int64_t j = panel->jj; j <= ORDER; j++) {
        const hpl_exchange_t *x =
            hyb_exchange_of(&t->lu, (hyb_run_t){j, 1}, &column);

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

/* Put displaced rows into the matrix; wrong entries there. */
static int wrong_rows(const table_t *t)
{
    const hyb_exchange_t *e = &t->lu.exchange;

    for (int64_t b = t->s.k + 1; b < BLOCKS; b = e->last[b].to)
        hpl_exchange_settle(&e->at[b], 0, e->at[b].columns);
    return exchange_wrong_rows(&t->s, t->s.panel->nq);
}

/* ---- cases ---------------------------------------------------------------
 */

/* Groups of iteration 0 end at ends, the last of which is BLOCKS. */
static void groups_end_at(hyb_lookahead_t mode, int next, int most_growth,
                          const int64_t *ends)
{
    static table_t t;
    const hyb_exchange_t *e = exchange(&t);
    int64_t from, groups;

    table_open(&t, 0, mode, next);
    exchange(&t)->most = most_growth;
    poll_until_over(&t);
    assert_int_equal(arrived(&t), BLOCKS);
    for (groups = 0, from = 1; from < BLOCKS; from = ends[groups++])
        for (int64_t b = from; b < ends[groups]; b++) {
            assert_int_equal(e->last[b].from, from);
            assert_int_equal(e->last[b].to, ends[groups]);
        }
    assert_int_equal(e->tag, groups);
    assert_int_equal(wrong_u(&t) + wrong_rows(&t), 0);
    table_close(&t);
}

#define TEST_GROUPS(sentence, mode, next, most_growth, ...)                    \
    TEST(sentence)                                                             \
    {                                                                          \
        static const int64_t ends[] = {__VA_ARGS__, BLOCKS};                   \
        groups_end_at(mode, next, most_growth, ends);                          \
    }

TEST_GROUPS(the_next_panels_columns_are_a_group_of_their_own,
            HYB_LOOKAHEAD_PIPELINE, 1, 1, 2, 5, 8)
TEST_GROUPS(without_them_here_all_groups_are_wide, HYB_LOOKAHEAD_PIPELINE, 0, 1,
            4, 7, 10)
TEST_GROUPS(groups_grow_where_devices_stream, HYB_LOOKAHEAD_PIPELINE, 0, 2, 4,
            10)
TEST_GROUPS(without_overlap_all_others_are_one_group, HYB_LOOKAHEAD_PANEL, 1, 1,
            2)

TEST(nothing_leaves_before_it_has_met_the_last_panel)
{
    static table_t t;

    table_open(&t, 1, HYB_LOOKAHEAD_PIPELINE, 1);
    poll_often(&t);
    assert_int_equal(arrived(&t), 2);
    assert_false(hyb_exchange_is_over(exchange(&t)));
    assert_int_equal(hyb_blocks_count(exchange(&t)->group), 0);
    apply(&t, 2, BLOCKS);
    assert_int_equal(arrived(&t), 2);
    poll_until_over(&t);
    assert_int_equal(arrived(&t), BLOCKS);
    assert_int_equal(wrong_u(&t) + wrong_rows(&t), 0);
    table_close(&t);
}

/* Blocks 2 .. 4 came together, and lie in memory together. */
TEST(a_group_waits_for_all_that_used_its_memory_last)
{
    static table_t t;

    table_open(&t, 1, HYB_LOOKAHEAD_PIPELINE, 1);
    for (int b = 2; b < 5; b++)
        exchange(&t)->last[b] = (hyb_blocks_t){2, 5};
    apply(&t, 2, 4);
    poll_often(&t);
    assert_int_equal(hyb_blocks_count(exchange(&t)->group), 0);
    assert_int_equal(arrived(&t), 2);
    apply(&t, 4, BLOCKS);
    poll_until_over(&t);
    assert_int_equal(arrived(&t), BLOCKS);
    table_close(&t);
}

TEST(only_the_leader_moves_messages)
{
    static table_t t;

    table_open(&t, 0, HYB_LOOKAHEAD_PIPELINE, 1);
    for (int i = 0; i < 50; i++)
        assert_false(hyb_worker_turn(&t.worker[1]));
    assert_int_equal(exchange(&t)->left.from, 1);
    while (!hyb_exchange_is_over(exchange(&t)))
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

TEST(members_pack_each_unit_once)
{
    static table_t t;
    int errors = 0;

    for (int i = 0; i < 20; i++) {
        table_open(&t, 0, HYB_LOOKAHEAD_NONE, 0);
        hyb_team_run(t.lu.means.team, pack_and_poll, &t);
        errors += atomic_load(&exchange(&t)->units.settled) != 2;
        errors += wrong_u(&t) + wrong_rows(&t);
        table_close(&t);
    }
    assert_int_equal(errors, 0);
}

TEST(rows_that_stay_at_home_need_no_exchange)
{
    HPL_T_grid alone = {.nprow = 1, .npcol = 1};
    HPL_T_pmat mat = {.n = ORDER, .nb = BLOCK};
    hyb_lu_t lu = {.grid = &alone, .mat = &mat};
    hpl_shape_t shape = {.n = ORDER, .nb = BLOCK, .nprow = 1, .npcol = 1};

    lu.means.by_blas = true;
    assert_ok(hyb_exchange_create(&lu));
    assert_null(lu.exchange.gathered);
    assert_true(hyb_exchange_is_over(&lu.exchange));
    assert_int_equal(hyb_exchange_bytes(&lu.means, &shape), 0);
    hyb_exchange_destroy(&lu.exchange);
}

TEST(its_bytes_are_those_that_it_takes)
{
    hpl_shape_t shape = {.n = ORDER, .nb = BLOCK, .nprow = 2, .npcol = 1};
    static table_t t;

    table_open(&t, 0, HYB_LOOKAHEAD_NONE, 0);
    assert_int_equal(hyb_exchange_bytes(&t.lu.means, &shape),
                     exchange(&t)->bytes);
    table_close(&t);
}

TEST_MPI_MAIN()
