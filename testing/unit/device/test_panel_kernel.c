/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/*
 * The kernels of a panel step as they are written, on threads: each is a group
 * of one item. What GPUs do in one launch, whose groups wait for each other, is
 * held against a launch a column; thread sanitizers see both.
 */
#include <pthread.h>
#include "testing/unit/device/kernel_text.h"
#include "testing/unit/unit.h"

enum { ALL_GROUPS = 5, ROWS = 100, COLS = 16, ROWS_OF_GROUP = 20 };
enum { VECTOR = COLS + ALL_GROUPS * (COLS + 2) };

static _Thread_local int64_t this_group;

#define ON_CHIP
#define GROUP(d) this_group
#define GROUPS(d) ALL_GROUPS
#define ITEM(d) ((i64)0)
#define BARRIER()
#define ITEMS 1
#define PANEL_ITEMS 1
#define PANEL_HELD 20

#include "hybrid/device/kernels/dialect.cl"
#include "hybrid/device/kernels/panel.cl"

typedef struct { /* a panel, and what its groups share */
    double a[ROWS * COLS], proposals[2 * VECTOR];
    i64 pivots[COLS];
    u64 turn, arrived[ALL_GROUPS];
} panel_t;

static const block_t whole = {0, ROWS, COLS, ROWS}, list = {0, COLS, 1, COLS};

/* The columns of a step from its first row on, and their pivots. */
static block_t columns_of(i64 first, i64 end)
{
    return (block_t){first + first * ROWS, ROWS - first, end - first, ROWS};
}

static block_t pivots_of(i64 first, i64 end)
{
    return (block_t){first, end - first, 1, end - first};
}

static void fill(panel_t *panel)
{
    memset(panel, 0, sizeof(*panel));
    for (int i = 0; i < ROWS * COLS; i++)
        panel->a[i] = (double)(rand() % 64 - 32);
}

/* ---- a launch a column --------------------------------------------------- */

/* The whole panel, so that rows change places in all of its columns. */
static void by_columns(panel_t *panel, i64 first, i64 end)
{
    double *vector[] = {panel->proposals, panel->proposals + VECTOR};
    const block_t at = {0, VECTOR, 1, VECTOR};
    panel_step_t step = {-1, first, end, first, ROWS_OF_GROUP, 0};

    for (int turn = 0; step.column < end - 1; turn++) {
        step.column = turn == 0 ? -1 : step.next++;
        step.done = step.next;
        for (this_group = 0; this_group < ALL_GROUPS; this_group++)
            panel_column(panel->a, whole, panel->a, whole, panel->pivots, list,
                         vector[turn % 2], at, step, vector[1 - turn % 2]);
    }
}

/* ---- all at once --------------------------------------------------------- */

typedef struct {
    panel_t *panel;
    i64 group, first, end;
} part_t;

static void *run_group(void *argument)
{
    const part_t *part = argument;
    const block_t columns = columns_of(part->first, part->end);
    const i64 elements = PROPOSAL(columns.cols, ALL_GROUPS);
    panel_t *panel = part->panel;

    this_group = part->group;
    panel_step(
        panel->a, columns, panel->pivots, pivots_of(part->first, part->end),
        panel->proposals, (block_t){0, elements, 1, elements},
        (panel_step_t){.rows_of_group = ROWS_OF_GROUP, .above = part->first},
        panel->turn, panel->arrived);
    return NULL;
}

/* Rows change places in the other columns afterwards. */
static void at_once(panel_t *panel, i64 first, i64 end)
{
    pthread_t threads[ALL_GROUPS];
    part_t parts[ALL_GROUPS];

    panel->turn += COLS;
    for (int g = 0; g < ALL_GROUPS; g++) {
        parts[g] = (part_t){panel, g, first, end};
        assert_int_equal(
            pthread_create(&threads[g], NULL, run_group, &parts[g]), 0);
    }
    for (int g = 0; g < ALL_GROUPS; g++)
        pthread_join(threads[g], NULL);
    for (this_group = 0; this_group < COLS - (end - first); this_group++)
        panel_swap(panel->a, whole, panel->pivots, pivots_of(first, end),
                   first);
}

/* Pivots of small numbers are often equal. */
TEST(groups_that_wait_for_each_other_do_what_launches_do)
{
    static panel_t one, other;

    srand(5);
    for (int round = 0; round < 10; round++) {
        fill(&one);
        other = one;
        for (i64 first = 0; first < COLS; first += 1 + round) {
            const i64 wanted = first + 1 + round,
                      end = wanted < COLS ? wanted : COLS;

            by_columns(&one, first, end);
            at_once(&other, first, end);
        }
        assert_memory_equal(one.a, other.a, sizeof(one.a));
        assert_memory_equal(one.pivots, other.pivots, sizeof(one.pivots));
    }
}
