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
#ifndef PANEL_COLUMNS
#define PANEL_COLUMNS 16 /* of a step, at most */
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
    i64 above; /* rows of the whole panel before those that p has */
} panel_step_t;

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
    const i64 under = begin > step.done ? begin : step.done;
    const i64 open = step.next < step.end ? under : end;
    GLOBAL const double *chosen =
        before + (c < 0 ? 0 : best_proposal(before, at, p.cols, all));
    const i64 row = c < 0 ? -1 : (i64)chosen[1];
    GLOBAL double *proposal = after + PROPOSAL(p.cols, GROUP(0));
    candidate_t best;

    if (c >= 0 && c < list.rows && begin == 0 && ITEM(0) == 0)
        pivots[AT(list, c, 0)] = step.above + row;
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

/*
 * The rows of a step, first and those behind it, change places with its pivots
 * one after the other, in the panel's other columns. A group has one column. It
 * holds the step's rows and the pivots' in places 0, 1, ...; a row that comes
 * twice has the first of its places.
 */
KERNEL(ITEMS, 1)
panel_swap(GLOBAL double *a, block_t p, GLOBAL const i64 *pivots, block_t list,
           i64 first)
{
    ON_CHIP i64 row[2 * PANEL_COLUMNS], place[2 * PANEL_COLUMNS];
    ON_CHIP i64 from[2 * PANEL_COLUMNS];
    ON_CHIP double held[2 * PANEL_COLUMNS];
    const i64 count = list.rows, all = 2 * count;
    const i64 j = GROUP(0) < first ? GROUP(0) : GROUP(0) + count;

    for (i64 i = ITEM(0); i < all; i += ITEMS) {
        row[i] = i < count ? first + i : pivots[AT(list, i - count, 0)];
        held[i] = a[AT(p, row[i], j)];
        from[i] = i;
    }
    BARRIER();
    for (i64 i = ITEM(0); i < all; i += ITEMS)
        for (place[i] = 0; row[place[i]] != row[i];)
            place[i]++;
    BARRIER();
    for (i64 i = 0; i < count && ITEM(0) == 0; i++) {
        const i64 kept = from[i], other = place[count + i];

        from[i] = from[other];
        from[other] = kept;
    }
    BARRIER();
    for (i64 i = ITEM(0); i < all; i += ITEMS)
        if (place[i] == i)
            a[AT(p, row[i], j)] = held[from[i]];
}

#ifdef LOOK

#ifndef PANEL_HELD
#define PANEL_HELD 4 /* rows that an item has in registers */
#endif

#if PANEL_COLUMNS > 64
#error "item 0 tells that a proposal is there: its wave must have written it"
#endif

/*
 * All groups of the grid wait here; behind it each sees what the others wrote. Each
 * one tells its turn, which grows from meeting to meeting, and waits for all.
 */
FUNCTION void grid_barrier(GLOBAL u64 *arrived, u64 turn)
{
    BARRIER();
    if (ITEM(0) == 0) {
        GRID_FENCE();
        TELL(arrived + GROUP(0), turn);
    }
    for (i64 g = ITEM(0); g < GROUPS(0); g += PANEL_ITEMS)
        while (LOOK(arrived + g) < turn)
            ;
    GRID_FENCE();
    BARRIER();
}

/*
 * An item has its rows in registers, whose numbers a loop over columns must not
 * change: with column c, register k has the column c + k, and behind the last
 * column come the first ones, which are done. Each column turns them by one.
 */
#define COLUMN_IN(c, k) ((int)((unsigned)((c) + (k)) % PANEL_COLUMNS))

/* What the items of a group share. */
typedef struct {
    double current[PANEL_COLUMNS], pivot[PANEL_COLUMNS]; /* as registers */
    double row;                                          /* of the pivot */
    table_t all;
} shared_t;

/* Number of row r of an item. */
#define ROW(begin, r) ((begin) + ITEM(0) + (r) * PANEL_ITEMS)

/* What stays as it is from column to column. */
typedef struct {
    GLOBAL double *proposals; /* two vectors in turn, of vector elements each */
    i64 vector, begin, end;
    int cols;
    u64 turn; /* of column 0 */
    GLOBAL u64 *arrived;
} launch_t;

/* Whoever has row i shows it to the group. */
FUNCTION void show_row(double x[PANEL_HELD][PANEL_COLUMNS], i64 i, i64 begin,
                       CHIP double *row)
{
#pragma unroll
    for (int r = 0; r < PANEL_HELD; r++)
        if (ROW(begin, r) == i)
#pragma unroll
            for (int k = 0; k < PANEL_COLUMNS; k++)
                row[k] = x[r][k];
}

/* Leave a proposal for column c, and its current row. */
FUNCTION void propose(double x[PANEL_HELD][PANEL_COLUMNS], int c,
                      const launch_t *l, GLOBAL double *after, CHIP shared_t *s)
{
    GLOBAL double *proposal = after + PROPOSAL(l->cols, GROUP(0));
    candidate_t best = {-1.0, -1};

#pragma unroll
    for (int r = 0; r < PANEL_HELD; r++) {
        const i64 i = ROW(l->begin, r);
        const double key = key_of(x[r][0]);

        if (i >= c && i < l->end && key > best.key) {
            best.key = key;
            best.row = i;
        }
    }
    best = best_of(best, &s->all);
    if (ITEM(0) == 0) {
        proposal[0] = best.key;
        proposal[1] = (double)best.row;
    }
    show_row(x, best.row, l->begin, s->pivot);
    show_row(x, c, l->begin, s->current);
    BARRIER();
    for (int k = (int)ITEM(0); k < PANEL_COLUMNS; k += PANEL_ITEMS) {
        const int j = COLUMN_IN(c, k);

        if (j < l->cols && best.row >= 0)
            proposal[2 + j] = s->pivot[k];
        if (j < l->cols && l->begin <= c && c < l->end)
            after[j] = s->current[k];
    }
}

/* Bring column c's best proposal and the current row here. */
FUNCTION void choose(GLOBAL const double *before, block_t at, int c, int cols,
                     CHIP shared_t *s)
{
    GLOBAL const double *chosen =
        before + best_proposal(before, at, cols, &s->all);

    for (int k = (int)ITEM(0); k < PANEL_COLUMNS; k += PANEL_ITEMS) {
        const int j = COLUMN_IN(c, k);

        s->current[k] = j < cols ? before[at.offset + j] : 0.0;
        s->pivot[k] = j < cols ? chosen[2 + j] : 0.0;
    }
    if (ITEM(0) == 0)
        s->row = chosen[1];
    BARRIER();
}

/*
 * Put rows in their places, eliminate column c from row x, number i, and turn
 * its registers.
 */
FUNCTION void advance_row(double x[PANEL_COLUMNS], i64 i, int c, double inverse,
                          CHIP const shared_t *s)
{
    const double by = s->pivot[0];
    const int open = i > c ? PANEL_COLUMNS - c : 0; /* registers to change */
    double first;

    if (i == (i64)s->row)
#pragma unroll
        for (int k = 0; k < PANEL_COLUMNS; k++)
            x[k] = s->current[k];
    if (i == c)
#pragma unroll
        for (int k = 0; k < PANEL_COLUMNS; k++)
            x[k] = s->pivot[k];
    first = x[0];
    if (open > 0 && by != 0.0)
        first = key_of(by) < SMALLEST ? first / by : first * inverse;
#pragma unroll
    for (int k = 1; k < PANEL_COLUMNS; k++)
        x[k - 1] = k < open ? x[k] - first * s->pivot[k] : x[k];
    x[PANEL_COLUMNS - 1] = first;
}

/* Column c of a step; proposals go to one vector and the other in turn. */
FUNCTION void step_column(double x[PANEL_HELD][PANEL_COLUMNS], int c,
                          const launch_t *l, CHIP shared_t *s)
{
    const block_t at = {c % 2 * l->vector, l->vector, 1, l->vector};

    propose(x, c, l, l->proposals + at.offset, s);
    grid_barrier(l->arrived, l->turn + c);
    choose(l->proposals, at, c, l->cols, s);
#pragma unroll
    for (int r = 0; r < PANEL_HELD; r++)
        advance_row(x[r], ROW(l->begin, r), c, 1.0 / s->pivot[0], s);
}

/*
 * A whole step, p, in a cooperative launch, whose groups have their rows in
 * registers: at most PANEL_HELD an item.
 */
KERNEL(PANEL_ITEMS, 1)
panel_step(GLOBAL double *a, block_t p, GLOBAL i64 *pivots, block_t list,
           GLOBAL double *proposals, block_t at, panel_step_t step, u64 turn,
           GLOBAL u64 *arrived)
{
    ON_CHIP shared_t s;
    double x[PANEL_HELD][PANEL_COLUMNS];
    const i64 begin = GROUP(0) * step.rows_of_group;
    const i64 below = begin + step.rows_of_group;
    const i64 end = below < p.rows ? below : p.rows;
    const int cols = (int)p.cols;
    const launch_t l = {proposals, at.rows, begin, end, cols, turn, arrived};
    GLOBAL double *first = a + AT(p, ROW(begin, 0), 0);

#pragma unroll
    for (int r = 0; r < PANEL_HELD; r++)
#pragma unroll
        for (int k = 0; k < PANEL_COLUMNS; k++)
            x[r][k] = ROW(begin, r) < end && k < cols
                          ? first[r * PANEL_ITEMS + k * p.ld]
                          : 0.0;
#pragma unroll 1
    for (int c = 0; c < cols; c++) {
        step_column(x, c, &l, &s);
        if (GROUP(0) == 0 && ITEM(0) == 0)
            pivots[AT(list, c, 0)] = step.above + (i64)s.row;
    }
#pragma unroll
    for (int k = 0; k < PANEL_COLUMNS; k++) {
        const int j = COLUMN_IN(cols, k);

#pragma unroll
        for (int r = 0; r < PANEL_HELD; r++)
            if (ROW(begin, r) < end && j < cols)
                first[r * PANEL_ITEMS + j * p.ld] = x[r][k];
    }
}

#endif
