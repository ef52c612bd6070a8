/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/*
 * The kernel that has a step of a panel in registers, as it is written, on
 * threads: each is an item of one group. It is held against the textbook;
 * thread sanitizers see whether items meet often enough.
 */
#include <pthread.h>
#include "testing/unit/device/kernel_text.h"
#include "testing/unit/unit.h"
#include "testing/unit/cpu/textbook_lu.h"

enum { ITEMS_OF_GROUP = 4, HELD = 5, ROWS = HELD * ITEMS_OF_GROUP, COLS = 16 };
enum { VECTOR = 2 * COLS + 2 };

static _Thread_local int64_t this_item;
static pthread_barrier_t all_items;

#define ON_CHIP static
#define GROUP(d) ((i64)0)
#define GROUPS(d) 1
#define ITEM(d) this_item
#define BARRIER() pthread_barrier_wait(&all_items)
#define PANEL_ITEMS ITEMS_OF_GROUP
#define PANEL_HELD HELD

#include "hybrid/device/kernels/dialect.cl"
#include "hybrid/device/kernels/panel.cl"

typedef struct {
    i64 rows, cols;
    double a[ROWS * COLS];
    i64 pivots[COLS];
} panel_t;

/* ---- by the kernel ------------------------------------------------------- */

typedef struct {
    panel_t *panel;
    i64 item;
    double *proposals;
    u64 *arrived;
} part_t;

static void *run_item(void *argument)
{
    const part_t *part = argument;
    panel_t *p = part->panel;
    const i64 elements = PROPOSAL(p->cols, 1);

    this_item = part->item;
    panel_step(p->a, (block_t){0, p->rows, p->cols, ROWS}, p->pivots,
               (block_t){0, p->cols, 1, p->cols}, part->proposals,
               (block_t){0, elements, 1, elements},
               (panel_step_t){.rows_of_group = ROWS}, 1, part->arrived);
    return NULL;
}

static void by_kernel(panel_t *panel)
{
    pthread_t threads[ITEMS_OF_GROUP];
    part_t parts[ITEMS_OF_GROUP];
    double proposals[2 * VECTOR];
    u64 arrived = 0;

    pthread_barrier_init(&all_items, NULL, ITEMS_OF_GROUP);
    for (int i = 0; i < ITEMS_OF_GROUP; i++) {
        parts[i] = (part_t){panel, i, proposals, &arrived};
        assert_int_equal(pthread_create(&threads[i], NULL, run_item, &parts[i]),
                         0);
    }
    for (int i = 0; i < ITEMS_OF_GROUP; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_items);
}

/* ---- the tests ----------------------------------------------------------- */

static panel_t random_panel(i64 rows, i64 cols)
{
    panel_t p = {.rows = rows, .cols = cols};

    for (int i = 0; i < ROWS * COLS; i++)
        p.a[i] = (double)(rand() % 64 - 32);
    return p;
}

static void assert_same(panel_t one)
{
    panel_t other = one;

    textbook_factor(&(textbook_lu_t){one.a, ROWS, one.rows, one.cols,
                                     (int64_t *)one.pivots},
                    0, one.cols);
    by_kernel(&other);
    assert_memory_equal(one.pivots, other.pivots, sizeof(one.pivots));
    assert_memory_equal(one.a, other.a, sizeof(one.a));
}

/* Pivots of small numbers are often equal. */
TEST(items_that_share_rows_factor_as_the_textbook)
{
    srand(7);
    for (i64 cols = 1; cols <= COLS; cols++)
        for (i64 rows = cols; rows <= ROWS; rows++)
            assert_same(random_panel(rows, cols));
}

TEST(a_column_of_zeros_is_left_as_it_is)
{
    panel_t p = random_panel(ROWS, COLS);

    memset(p.a + 2 * ROWS, 0, ROWS * sizeof(double));
    assert_same(p);
}
