/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A column of a panel a launch, on groups that have the same number of rows
 * each. A group ends with a proposal for the next pivot, the best row that it
 * has, which the next launch reads: so no group waits for another one, and each
 * row is written by the group that has it.
 */
#ifndef PANEL_ITEMS
#define PANEL_ITEMS 256
#endif

/*
 * What a launch leaves to the next one, a vector: the current row, nb elements
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

/* The place in v of the best proposal; of equal ones the first one counts. */
FUNCTION i64 best_proposal(GLOBAL const double *v, block_t at, i64 nb)
{
    const i64 groups = (at.rows - nb) / (nb + 2);
    i64 best = AT(at, PROPOSAL(nb, 0), 0);

    for (i64 g = 1; g < groups; g++)
        if (v[AT(at, PROPOSAL(nb, g), 0)] > v[best])
            best = AT(at, PROPOSAL(nb, g), 0);
    return best;
}

/* Row i of a group's rows first .. end - 1 := row. */
FUNCTION void put_row(GLOBAL double *a, block_t p, i64 first, i64 end, i64 i,
                      GLOBAL const double *row)
{
    if (i >= first && i < end)
        for (i64 j = ITEM(0); j < p.cols; j += PANEL_ITEMS)
            a[AT(p, i, j)] = row[j];
}

/* The reverse. */
FUNCTION void take_row(GLOBAL const double *a, block_t p, i64 first, i64 end,
                       i64 i, GLOBAL double *row)
{
    if (i >= first && i < end)
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

typedef struct {
    double key;
    i64 row;
} candidate_t;

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

/* The best of what the group's items have found; of equal ones the first row. */
FUNCTION candidate_t best_of(CHIP const double *keys, CHIP const i64 *rows)
{
    candidate_t best = {keys[0], rows[0]};

    for (int k = 1; k < PANEL_ITEMS; k++)
        if (keys[k] > best.key || (keys[k] == best.key && rows[k] < best.row)) {
            best.key = keys[k];
            best.row = rows[k];
        }
    return best;
}

/*
 * Bring the pivot into row step.column of the top, eliminate, and propose a
 * pivot for column step.next. Where the top is the panel's, and its owner puts
 * that row back where it was, both write the same.
 */
KERNEL(PANEL_ITEMS, 1)
panel_column(GLOBAL double *a, block_t p, GLOBAL double *top, block_t t,
             GLOBAL i64 *pivots, block_t list, GLOBAL const double *before,
             block_t at, panel_step_t step, GLOBAL double *after)
{
    ON_CHIP double keys[PANEL_ITEMS];
    ON_CHIP i64 rows[PANEL_ITEMS];
    const i64 begin = GROUP(0) * step.rows_of_group, c = step.column;
    const i64 below = begin + step.rows_of_group;
    const i64 end = below < p.rows ? below : p.rows;
    const i64 under = larger(begin, step.done);
    const i64 open = step.next < step.end ? under : end;
    GLOBAL const double *chosen =
        before + (c < 0 ? 0 : best_proposal(before, at, p.cols));
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
    best = find(a, p, open, end, step.next);
    keys[ITEM(0)] = best.key;
    rows[ITEM(0)] = best.row;
    BARRIER();
    best = best_of(keys, rows);
    if (ITEM(0) == 0) {
        proposal[0] = best.key;
        proposal[1] = (double)best.row;
    }
    take_row(a, p, begin, end, best.row, proposal + 2);
    take_row(a, p, open, end, step.done, after);
}

/* One vector of the groups' proposals: with the best one alone. */
KERNEL(PANEL_ITEMS, 1)
panel_pivot(GLOBAL const double *proposals, block_t from,
            GLOBAL double *pivot, block_t to)
{
    const i64 nb = (to.rows - 2) / 2;
    const i64 best = best_proposal(proposals, from, nb);

    for (i64 j = ITEM(0); j < to.rows; j += PANEL_ITEMS)
        pivot[AT(to, j, 0)] = proposals[j < nb ? AT(from, j, 0) : best + j - nb];
}
