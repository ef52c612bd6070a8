/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Columns of a panel, on groups that have the same number of rows each. A group
 * ends a column with a proposal for the next pivot, the best row that it has,
 * which all groups read with the next column: a launch a column, or one for all
 * where groups can wait for each other. Each row is written by the group that
 * has it.
 */
#ifndef PANEL_ITEMS
#define PANEL_ITEMS 256
#endif

/*
 * What a column leaves to the next one, a vector: the current row, nb elements
 * of it, and for each group a proposal: the magnitude in the next column, -1
 * where there is no row, its number, and the row. Where other processes have a
 * say it becomes one proposal, and then what was agreed on.
 */
#define PROPOSAL(nb, group) ((nb) + (group) * ((nb) + 2))

#define SMALLEST 0x1p-1022 /* the inverse of less may be no number */

typedef struct {
    i64 column; /* to eliminate, or -1 */
    i64 next;   /* to propose a pivot for, if it is before end */
    i64 end;    /* of the step's columns */
    i64 done;   /* rows of the panel that come before the next one */
    i64 rows_of_group;
} panel_step_t;

FUNCTION i64 larger(i64 x, i64 y)
{
    return x > y ? x : y;
}

/* A NaN is larger than any number, so all choose alike. */
FUNCTION double key_of(double x)
{
    const double size = x < 0.0 ? -x : x;

    return x != x ? AS_DOUBLE(0x7ff0000000000000UL) : size;
}

typedef struct {
    double key;
    i64 row;
} candidate_t;

/* Where the items of a group compare candidates. */
typedef struct {
    double key[PANEL_ITEMS];
    i64 row[PANEL_ITEMS];
} table_t;

/* The best of what the group's items have; of equal ones the first row. */
FUNCTION candidate_t best_of(candidate_t best, CHIP table_t *all)
{
    const int me = (int)ITEM(0);

    all->key[me] = best.key;
    all->row[me] = best.row;
    for (int other = PANEL_ITEMS / 2; other > 0; other /= 2) {
        BARRIER();
        if (me < other && (all->key[me + other] > all->key[me] ||
                           (all->key[me + other] == all->key[me] &&
                            all->row[me + other] < all->row[me]))) {
            all->key[me] = all->key[me + other];
            all->row[me] = all->row[me + other];
        }
    }
    BARRIER();
    best.key = all->key[0];
    best.row = all->row[0];
    BARRIER();
    return best;
}

/* The place in v of the best proposal; of equal ones the first one counts. */
FUNCTION i64 best_proposal(GLOBAL const double *v, block_t at, i64 nb,
                           CHIP table_t *all)
{
    const i64 groups = (at.rows - nb) / (nb + 2);
    candidate_t best = {-2.0, 0};

#pragma unroll 1
    for (i64 g = ITEM(0); g < groups; g += PANEL_ITEMS) {
        const double key = v[AT(at, PROPOSAL(nb, g), 0)];

        if (key > best.key) {
            best.key = key;
            best.row = g;
        }
    }
    return AT(at, PROPOSAL(nb, best_of(best, all).row), 0);
}

/* Row i of a group's rows first .. end - 1 := row. */
FUNCTION void put_row(GLOBAL double *a, block_t p, i64 first, i64 end, i64 i,
                      GLOBAL const double *row)
{
    if (i >= first && i < end)
#pragma unroll 1
        for (i64 j = ITEM(0); j < p.cols; j += PANEL_ITEMS)
            a[AT(p, i, j)] = row[j];
}

/* The reverse. */
FUNCTION void take_row(GLOBAL const double *a, block_t p, i64 first, i64 end,
                       i64 i, GLOBAL double *row)
{
    if (i >= first && i < end)
#pragma unroll 1
        for (i64 j = ITEM(0); j < p.cols; j += PANEL_ITEMS)
            row[j] = a[AT(p, i, j)];
}

/* Divide a column by the pivot and subtract it from those behind it. */
FUNCTION void eliminate(GLOBAL double *a, block_t p, i64 first, i64 end,
                        panel_step_t step, GLOBAL const double *pivot)
{
    const double by = pivot[step.column], inverse = 1.0 / by;
    const int is_tiny = key_of(by) < SMALLEST;
    GLOBAL double *x = a + AT(p, 0, step.column);

    for (i64 i = first + ITEM(0); i < end && by != 0.0; i += PANEL_ITEMS)
        x[i] = is_tiny ? x[i] / by : x[i] * inverse;
    for (i64 j = step.column + 1; j < step.end; j++) {
        const double u = pivot[j];
        GLOBAL double *y = a + AT(p, 0, j);

        for (i64 i = first + ITEM(0); i < end; i += PANEL_ITEMS)
            y[i] -= x[i] * u;
    }
}

/* An item's best row. */
FUNCTION candidate_t find(GLOBAL const double *a, block_t p, i64 first, i64 end,
                          i64 column)
{
    candidate_t best = {-1.0, -1};

    for (i64 i = first + ITEM(0); i < end; i += PANEL_ITEMS) {
        const double key = key_of(a[AT(p, i, column)]);

        if (key > best.key) {
            best.key = key;
            best.row = i;
        }
    }
    return best;
}

/*
 * Bring the pivot into row step.column of the top, eliminate, and propose a
 * pivot for column step.next. Where the top is the panel's, and its owner puts
 * that row back where it was, both write the same.
 */
FUNCTION void do_column(GLOBAL double *a, block_t p, GLOBAL double *top,
                        block_t t, GLOBAL i64 *pivots, block_t list,
                        GLOBAL const double *before, block_t at,
                        panel_step_t step, GLOBAL double *after,
                        CHIP table_t *all)
{
    const i64 begin = GROUP(0) * step.rows_of_group, c = step.column;
    const i64 below = begin + step.rows_of_group;
    const i64 end = below < p.rows ? below : p.rows;
    const i64 under = larger(begin, step.done);
    const i64 open = step.next < step.end ? under : end;
    GLOBAL const double *chosen =
        before + (c < 0 ? 0 : best_proposal(before, at, p.cols, all));
    const i64 row = c < 0 ? -1 : (i64)chosen[1];
    GLOBAL double *proposal = after + PROPOSAL(p.cols, GROUP(0));
    candidate_t best;

    if (c >= 0 && c < list.rows && begin == 0 && ITEM(0) == 0)
        pivots[AT(list, c, 0)] = row;
    put_row(a, p, begin, end, row, before + at.offset);
    BARRIER();
    if (begin == 0)
        put_row(top, t, 0, t.rows, c, chosen + 2);
    BARRIER();
    if (c >= 0)
        eliminate(a, p, under, end, step, chosen + 2);
    best = best_of(find(a, p, open, end, step.next), all);
    if (ITEM(0) == 0) {
        proposal[0] = best.key;
        proposal[1] = (double)best.row;
    }
    take_row(a, p, begin, end, best.row, proposal + 2);
    take_row(a, p, open, end, step.done, after);
}

KERNEL(PANEL_ITEMS, 1)
panel_column(GLOBAL double *a, block_t p, GLOBAL double *top, block_t t,
             GLOBAL i64 *pivots, block_t list, GLOBAL const double *before,
             block_t at, panel_step_t step, GLOBAL double *after)
{
    ON_CHIP table_t all;

    do_column(a, p, top, t, pivots, list, before, at, step, after, &all);
}

/* One vector of the groups' proposals: with the best one alone. */
KERNEL(PANEL_ITEMS, 1)
panel_pivot(GLOBAL const double *proposals, block_t from,
            GLOBAL double *pivot, block_t to)
{
    ON_CHIP table_t all;
    const i64 nb = (to.rows - 2) / 2;
    const i64 best = best_proposal(proposals, from, nb, &all);

    for (i64 j = ITEM(0); j < to.rows; j += PANEL_ITEMS)
        pivot[AT(to, j, 0)] = proposals[j < nb ? AT(from, j, 0) : best + j - nb];
}

#ifdef COUNT_UP

#define TURN 0x80000000u

/*
 * All groups of the grid meet; behind it each sees what the others wrote. Each
 * counts up by one, the first one by what makes a turn of all: the highest bit
 * changes with the last to come, and the others are as they were.
 */
FUNCTION void meet(GLOBAL unsigned *arrived)
{
    const unsigned groups = (unsigned)GROUPS(0);
    unsigned before;

    BARRIER();
    if (ITEM(0) == 0) {
        GRID_FENCE();
        before = COUNT_UP(arrived, GROUP(0) == 0 ? TURN - (groups - 1) : 1);
        while (((LOOK(arrived) ^ before) & TURN) == 0)
            ;
        GRID_FENCE();
    }
    BARRIER();
}

/*
 * All columns from step.next on, in a cooperative launch. Proposals are two
 * vectors in turn; at is the first one that is read.
 */
KERNEL(PANEL_ITEMS, 1)
panel_step(GLOBAL double *a, block_t p, GLOBAL i64 *pivots, block_t list,
           GLOBAL double *proposals, block_t at, panel_step_t step,
           GLOBAL unsigned *arrived)
{
    ON_CHIP table_t all;

    for (;; meet(arrived)) {
        do_column(a, p, a, p, pivots, list, proposals, at, step,
                  proposals + (at.rows - at.offset), &all);
        if (step.next == step.end)
            return;
        at.offset = at.rows - at.offset;
        step.column = step.next++;
        step.done = step.next;
    }
}

#endif
