/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A column of a panel a launch, on groups that have the same number of rows
 * each. A group ends with a proposal for the next pivot, the best row that it
 * has, which the next launch reads: so no group waits for another one, and each
 * row is written by the group that has it.
 */
#ifndef PANEL_ITEMS
#define PANEL_ITEMS 64
#endif

/*
 * What a launch leaves to the next one, in doubles: the current row, nb
 * elements of it, and for each group a proposal: the magnitude in the next
 * column, -1 where there is no row, its number, and the row.
 */
#define PROPOSAL(nb, group) ((nb) + (group) * ((nb) + 2))

#define SMALLEST 0x1p-1022 /* the inverse of less may be no number */

typedef struct {
    i64 column; /* to eliminate, or -1 */
    i64 next;   /* to propose a pivot for, if it is before end */
    i64 end;    /* of the step's columns */
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

/* The place of the best proposal; of equal ones the first one counts. */
FUNCTION i64 best_proposal(GLOBAL const double *proposals, i64 nb)
{
    i64 best = PROPOSAL(nb, 0);

    for (i64 g = 1; g < GROUPS(0); g++)
        if (proposals[PROPOSAL(nb, g)] > proposals[best])
            best = PROPOSAL(nb, g);
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
 * Bring the pivot into row step.column, eliminate, and propose a pivot for
 * column step.next. All rows of the panel are here.
 */
KERNEL(PANEL_ITEMS, 1)
panel_column(GLOBAL double *a, block_t p, GLOBAL i64 *pivots, block_t list,
             panel_step_t step, GLOBAL const double *before,
             GLOBAL double *after)
{
    ON_CHIP double keys[PANEL_ITEMS];
    ON_CHIP i64 rows[PANEL_ITEMS];
    const i64 begin = GROUP(0) * step.rows_of_group, c = step.column;
    const i64 below = begin + step.rows_of_group;
    const i64 end = below < p.rows ? below : p.rows;
    const i64 under = c < 0 ? end : larger(begin, c + 1);
    const i64 open = step.next < step.end ? larger(begin, step.next) : end;
    GLOBAL const double *chosen =
        before + (c < 0 ? 0 : best_proposal(before, p.cols));
    const i64 row = c < 0 ? -1 : (i64)chosen[1];
    GLOBAL double *proposal = after + PROPOSAL(p.cols, GROUP(0));
    candidate_t best;

    if (c >= 0 && begin == 0 && ITEM(0) == 0)
        pivots[AT(list, c, 0)] = row;
    put_row(a, p, begin, end, row, before);
    BARRIER();
    put_row(a, p, begin, end, c, chosen + 2);
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
    take_row(a, p, open, end, step.next, after);
}
