/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "hybrid/lu/state/ledger.h"

#include <sched.h>
#include "testing/unit/hpl/small_system.h"
#include "testing/unit/node/small_team.h"
#include "testing/unit/unit.h"

enum { MOST = 200, ITERATIONS = 5, STEPS = ITERATIONS * HYB_STEPS };
enum { MEMBERS = 3, RUNS = 20 };

/* a matrix's local columns; b and check columns are the last ones */
typedef struct {
    int64_t columns;
    bool has_b;
    int64_t nb;
    int checked;
} extent_t;

static const extent_t extents[] = {
    {150, true, 32, 0}, {128, true, 32, 1}, {70, false, 32, 2},
    {64, false, 32, 0}, {5, true, 16, 3},   {9, true, 1, 0},
    {0, true, 8, 1},    {0, false, 8, 1},   {0, false, 8, 0},
};

enum { EXTENTS = COUNT_OF(extents) };

/* Work that takes columns from one stage to another. */
typedef struct {
    int64_t from, to;
} stages_t;

/* A ledger, and what it should say: the stages of each column. */
typedef struct {
    hyb_ledger_t ledger;
    stages_t work[STEPS]; /* one after the other, as iterations go */
    int works;
    int64_t block[MOST]; /* by column, as the next two */
    int64_t queued[MOST], applied[MOST];
    _Atomic int taken[STEPS][MOST];
} book_t;

/* All three steps of an iteration in one go, or cut after some. */
static void plan_work(book_t *book, uint64_t *random)
{
    int64_t from, to;
    int step;

    for (from = 0, step = 1; step <= STEPS; step++) {
        if (step % HYB_STEPS != 0 && small_random(random, 2) > 0)
            continue;
        to = step;
        book->work[book->works++] = (stages_t){from, to};
        from = to;
    }
}

static void book_open(book_t *book, extent_t e, uint64_t *random)
{
    int64_t block = 0;

    memset(book, 0, sizeof(*book));
    assert_ok(
        hyb_ledger_create(e.columns, e.has_b, e.nb, e.checked, &book->ledger));
    assert_int_equal(book->ledger.columns_of_ab, e.columns + e.has_b);
    assert_int_equal(book->ledger.columns, e.columns + e.has_b + 2 * e.checked);
    for (int64_t j = 0; j < book->ledger.columns; j++) {
        int64_t beyond = j - e.columns - e.has_b;

        block += j > 0 && (j < e.columns ? j % e.nb == 0
                                         : beyond < 0 || beyond % 2 == 0);
        book->block[j] = block;
    }
    plan_work(book, random);
}

static void book_close(book_t *book)
{
    hyb_ledger_destroy(&book->ledger);
}

static hyb_block_range_t all_blocks(const book_t *book)
{
    return (hyb_block_range_t){0, book->ledger.blocks};
}

static int64_t last_stage(const book_t *book)
{
    return book->work[book->works - 1].to;
}

/* ---- blocks -------------------------------------------------------------- */

/* b and pairs of check columns are blocks of their own. */
TEST(each_column_and_each_run_of_columns_is_in_its_blocks)
{
    uint64_t random = 1;
    hyb_block_range_t blocks;
    book_t book;
    int64_t first, from, last;

    for (int i = 0; i < EXTENTS; i++) {
        const hyb_ledger_t *ledger = &book.ledger;

        book_open(&book, extents[i], &random);
        for (from = 0, first = 0; from < ledger->columns; from++) {
            if (from > 0 && book.block[from] > book.block[from - 1])
                first = from;
            assert_int_equal(hyb_ledger_block(ledger, from), book.block[from]);
            assert_int_equal(hyb_ledger_first(ledger, book.block[from]), first);
            for (last = from; last < ledger->columns; last++) {
                blocks = hyb_ledger_blocks(ledger,
                                           (hyb_run_t){from, last + 1 - from});
                assert_int_equal(blocks.from, book.block[from]);
                assert_int_equal(blocks.to, book.block[last] + 1);
            }
        }
        assert_int_equal(ledger->blocks,
                         from > 0 ? book.block[from - 1] + 1 : 0);
        assert_int_equal(hyb_ledger_first(ledger, ledger->blocks), from);
        blocks = all_blocks(&book);
        assert_int_equal(hyb_ledger_columns(ledger, blocks).count, from);
        blocks = (hyb_block_range_t){1, 0};
        assert_int_equal(hyb_ledger_columns(ledger, blocks).count, 0);
        book_close(&book);
    }
}

/* ---- what should be, column by column ------------------------------------ */

static int64_t first_before(const book_t *book, hyb_block_range_t blocks,
                            int64_t stage)
{
    for (int64_t j = 0; j < book->ledger.columns; j++)
        if (book->block[j] >= blocks.from && book->block[j] < blocks.to &&
            book->applied[j] < stage)
            return book->block[j];
    return blocks.to > blocks.from ? blocks.to : blocks.from;
}

/* From the first block that is ready and has a column for it left; false: none
 * is ready, and some are left. */
static bool take(const book_t *book, hyb_block_range_t blocks, stages_t work,
                 int64_t width, hyb_run_t *run_p)
{
    bool result = true;
    int64_t count = book->ledger.columns;

    *run_p = (hyb_run_t){0, 0};
    for (int64_t j = 0; j < count; j++) {
        hyb_block_range_t own = {book->block[j], book->block[j] + 1};

        if (own.from < blocks.from || own.from >= blocks.to ||
            book->queued[j] >= work.to)
            continue;
        result = false;
        if (first_before(book, own, work.from) < own.to)
            continue;
        run_p->from = j;
        while (j + run_p->count < count && run_p->count < width &&
               book->block[j + run_p->count] == own.from)
            run_p->count++;
        return true;
    }
    return result;
}

static void set(int64_t *stage, hyb_run_t run, int64_t to)
{
    for (int64_t j = run.from; j < run.from + run.count; j++)
        stage[j] = to;
}

/* ---- at random ----------------------------------------------------------- */

typedef struct {
    hyb_run_t run;
    stages_t work;
} taken_t;

static hyb_block_range_t some_blocks(const book_t *book, uint64_t *random)
{
    int most = (int)book->ledger.blocks + 1;
    int a = small_random(random, most), b = small_random(random, most);

    return (hyb_block_range_t){a, b};
}

/* The next run of some work, as it should be; false: none was taken. */
static bool take_some(book_t *book, uint64_t *random, taken_t *taken)
{
    hyb_block_range_t blocks = some_blocks(book, random);
    hyb_run_t run, expected;
    int64_t width = 1 + small_random(random, (int)book->ledger.nb + 2);
    stages_t work = book->work[small_random(random, book->works)];
    bool result = take(book, blocks, work, width, &expected);

    assert_int_equal(
        hyb_ledger_take(&book->ledger, blocks, work.from, work.to, width, &run),
        result);
    assert_memory_equal(&run, &expected, sizeof(run));
    if (run.count == 0)
        return false;
    set(book->queued, run, work.to);
    *taken = (taken_t){run, work};
    return true;
}

/* A whole block, as far as it is ready and nobody has begun with it. */
static bool queue_some(book_t *book, uint64_t *random, taken_t *taken)
{
    int64_t b = small_random(random, (int)book->ledger.blocks);
    stages_t work = book->work[small_random(random, book->works)];
    hyb_run_t run,
        all = hyb_ledger_columns(&book->ledger, (hyb_block_range_t){b, b + 1});

    take(book, (hyb_block_range_t){b, b + 1}, work, MOST, &run);
    if (run.count == 0 || run.from != all.from)
        return false;
    hyb_ledger_queue_all(&book->ledger, (hyb_block_range_t){b, b + 1},
                         work.to - work.from);
    set(book->queued, run, work.to);
    *taken = (taken_t){run, work};
    return true;
}

/* Some run, as a whole block where it is one. */
static void complete(book_t *book, const taken_t *t)
{
    int64_t b = hyb_ledger_block(&book->ledger, t->run.from);
    hyb_block_range_t block = {b, b + 1};
    int64_t stages = t->work.to - t->work.from;

    if (hyb_ledger_columns(&book->ledger, block).count == t->run.count)
        hyb_ledger_complete_all(&book->ledger, block, stages);
    else
        hyb_ledger_complete(&book->ledger, t->run, stages);
    set(book->applied, t->run, t->work.to);
}

static void assert_agrees(const book_t *book, uint64_t *random)
{
    hyb_block_range_t blocks = some_blocks(book, random);
    int64_t stage = book->work[small_random(random, book->works)].to;
    int64_t first = first_before(book, blocks, stage);

    assert_int_equal(hyb_ledger_team_first_before(&book->ledger, blocks, stage),
                     first);
    assert_int_equal(hyb_ledger_reached(&book->ledger, blocks, stage),
                     first >= blocks.to);
}

/* Several iterations in flight, runs complete in any order. */
TEST(it_says_what_a_list_of_columns_does)
{
    static taken_t taken[MOST];
    uint64_t random = 42;
    book_t book;
    int open;

    for (int i = 0; i < RUNS * EXTENTS; i++) {
        book_open(&book, extents[i % EXTENTS], &random);
        open = 0;
        while (first_before(&book, all_blocks(&book), last_stage(&book)) <
               book.ledger.blocks) {
            open += take_some(&book, &random, &taken[open]);
            open += queue_some(&book, &random, &taken[open]);
            if (open > 0 && small_random(&random, 2) > 0) {
                int which = small_random(&random, open);

                complete(&book, &taken[which]);
                taken[which] = taken[--open];
            }
            assert_agrees(&book, &random);
        }
        assert_int_equal(open, 0);
        book_close(&book);
    }
}

/* ---- a team -------------------------------------------------------------- */

/* All the work in its order, whoever is first at a run. */
static void work(void *context, int member)
{
    book_t *book = context;
    hyb_run_t run;

    for (int i = 0; i < book->works; i++) {
        int64_t from = book->work[i].from, to = book->work[i].to;

        do {
            while (!hyb_ledger_take(&book->ledger, all_blocks(book), from, to,
                                    7 + member, &run))
                sched_yield();
            for (int64_t j = run.from; j < run.from + run.count; j++)
                if (book->applied[j] == from)
                    book->taken[i][j]++;
            set(book->applied, run, to);
            if (run.count > 0)
                hyb_ledger_complete(&book->ledger, run, to - from);
        } while (run.count > 0);
    }
}

TEST(a_team_takes_each_column_once_a_stage)
{
    hyb_team_t *team = small_team(MEMBERS);
    uint64_t random = 7;
    book_t book;
    int64_t wrong = 0;

    for (int run = 0; run < RUNS * EXTENTS; run++) {
        book_open(&book, extents[run % EXTENTS], &random);
        hyb_team_run(team, work, &book);
        assert_true(hyb_ledger_reached(&book.ledger, all_blocks(&book),
                                       last_stage(&book)));
        for (int64_t i = 0; i < book.works; i++)
            for (int64_t j = 0; j < book.ledger.columns; j++)
                wrong += book.taken[i][j] != 1;
        book_close(&book);
    }
    hyb_team_destroy(team);
    assert_int_equal(wrong, 0);
}

/* The first blocks of an update are the devices'. */
typedef struct {
    int64_t columns, nb;
    hyb_block_range_t blocks; /* of A's and b, which is the last one */
    double share;
    int64_t learnt, fixed; /* the first block that is not */
} division_t;

static const division_t divisions[] = {
    {80, 8, {0, 11}, 0.0, 0, 0},    {80, 8, {0, 11}, 1.0, 11, 11},
    {80, 8, {0, 11}, 0.01, 1, 0},   {80, 8, {0, 11}, 0.52, 6, 5},
    {80, 8, {0, 11}, 0.57, 6, 6},   {80, 8, {4, 11}, 0.5, 8, 7},
    {80, 8, {10, 11}, 0.2, 11, 10}, {80, 8, {10, 11}, 0.6, 11, 11},
    {80, 8, {11, 11}, 1.0, 11, 11}, {80, 8, {9, 11}, 0.6, 11, 11},
    {83, 8, {9, 12}, 0.6, 10, 10},  {83, 8, {9, 12}, 0.8, 12, 12},
};

TEST(blocks_are_divided_by_their_columns)
{
    hyb_ledger_t ledger;

    for (size_t i = 0; i < COUNT_OF(divisions); i++) {
        const division_t *d = &divisions[i];

        assert_ok(hyb_ledger_create(d->columns, true, d->nb, 0, &ledger));
        assert_int_equal(hyb_ledger_divide(&ledger, d->blocks, d->share, false),
                         d->learnt);
        assert_int_equal(hyb_ledger_divide(&ledger, d->blocks, d->share, true),
                         d->fixed);
        hyb_ledger_destroy(&ledger);
    }
}

/* Blocks 0, 3 and b are the team's. */
TEST(only_the_teams_blocks_are_taken_and_counted)
{
    static const int place[] = {0, 1, 2, 0, 1, 0};
    const hyb_block_range_t all = {0, 6};
    hyb_ledger_t ledger;
    hyb_run_t run;

    assert_ok(hyb_ledger_create(37, true, 8, 0, &ledger));
    ledger.place = place;
    assert_int_equal(hyb_ledger_team_columns(&ledger, all), 17);
    for (int64_t b = 0; b < 6; b++)
        while (place[b] == 0 && hyb_ledger_take(&ledger, all, 0, 3, 8, &run) &&
               run.count > 0) {
            assert_int_equal(place[hyb_ledger_block(&ledger, run.from)], 0);
            hyb_ledger_complete(&ledger, run, 3);
        }
    assert_true(hyb_ledger_team_reached(&ledger, all, 3));
    assert_false(hyb_ledger_reached(&ledger, all, 3));
    assert_int_equal(hyb_ledger_divide(&ledger, all, 0.5, true), 3);
    assert_int_equal(hyb_ledger_divide(&ledger, all, 1.0, true), 6);
    hyb_ledger_destroy(&ledger);
}
