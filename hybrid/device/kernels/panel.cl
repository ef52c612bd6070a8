/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Factor columns of a panel. Each group owns the same number of rows. A group
 * ends a column by proposing its best row as the next pivot; all groups read
 * the proposals at the next column. There is one launch per column, or one for
 * all columns if groups can wait for each other. Only the owner of a row writes
 * it.
 */
#ifndef PANEL_ITEMS
#define PANEL_ITEMS 256
#endif
#ifndef PANEL_COLUMNS
#define PANEL_COLUMNS 16 /* per step, at most */
#endif

/*
 * A column leaves a vector for the next one: the nb elements of the current
 * row, and for each group a proposal: the magnitude in the next column, or -1
 * if there is no row; the row's number; and the row. If processes share the
 * panel, the proposals are reduced to one, and then replaced by what was
 * agreed.
 */
#define PROPOSAL(nb, group) ((nb) + (group) * ((nb) + 2))

#define SMALLEST 0x1p-1022 /* a smaller number's inverse may overflow */

typedef struct {
    i64 column; /* column to eliminate, or -1 */
    i64 next;   /* column to propose a pivot for, if < end */
    i64 end;    /* end of the step's columns */
    i64 done;   /* rows of the panel before row `next` */
    i64 rows_of_group;
    i64 above; /* rows of the whole panel before the rows in p */
} panel_step_t;

/* A NaN counts as infinite, so that all groups choose alike. */
FUNCTION double key_of(double x)
{
    const double size = x < 0.0 ? -x : x;

    return x != x ? AS_DOUBLE(0x7ff0000000000000UL) : size;
}

typedef struct {
    double key;
    i64 row;
} candidate_t;

/* Shared memory in which the items of a group compare candidates. */
typedef struct {
    double key[PANEL_ITEMS];
    i64 row[PANEL_ITEMS];
} table_t;

/* The best candidate of the group's items; ties go to the first row. */
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

/* The position in v of the best proposal; ties go to the first one. */
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

/* Row i := row, if the group owns it: if first <= i < end. */
FUNCTION void put_row(GLOBAL double *a, block_t p, i64 first, i64 end, i64 i,
                      GLOBAL const double *row)
{
    if (i >= first && i < end)
#pragma unroll 1
        for (i64 j = ITEM(0); j < p.cols; j += PANEL_ITEMS)
            a[AT(p, i, j)] = row[j];
}

/* row := row i, if the group owns it: if first <= i < end. */
FUNCTION void take_row(GLOBAL const double *a, block_t p, i64 first, i64 end,
                       i64 i, GLOBAL double *row)
{
    if (i >= first && i < end)
#pragma unroll 1
        for (i64 j = ITEM(0); j < p.cols; j += PANEL_ITEMS)
            row[j] = a[AT(p, i, j)];
}

/* Divide a column by the pivot and update the later columns. */
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

/* The item's best row in `column`. */
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
 * Put the pivot row into row step.column of the top, eliminate, and propose a
 * pivot for column step.next. If the top is part of the panel and its owner
 * restores that row, both write the same values.
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

/* Copy the current row and the best of the groups' proposals. */
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
 * Exchange the rows of a step, from `first` on, with its pivots, one after
 * another, in the panel's other columns. A group handles one column. It holds
 * the step's rows and the pivot rows in places 0, 1, ...; a row that occurs
 * twice uses its first place.
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
#define PANEL_HELD 4 /* rows per item, in registers */
#endif

#if PANEL_COLUMNS > 64
#error "item 0 tells that a proposal is there: its wave must have written it"
#endif

/*
 * All groups of the grid meet here; afterwards each group sees what the other
 * groups wrote. Each group publishes its turn, which grows from meeting to
 * meeting, and waits until all have.
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
 * An item keeps its rows in registers, whose indices must be constants in the
 * loop over columns. So the registers rotate by one per column: at column c,
 * register k holds column c + k, modulo the number of columns.
 */
#define COLUMN_IN(c, k) ((int)((unsigned)((c) + (k)) % PANEL_COLUMNS))

/* Shared memory of a group. */
typedef struct {
    double current[PANEL_COLUMNS], pivot[PANEL_COLUMNS]; /* as registers */
    double row; /* the pivot row's number */
    table_t all;
} shared_t;

/* Number of an item's row r. */
#define ROW(begin, r) ((begin) + ITEM(0) + (r) * PANEL_ITEMS)

/* Arguments that are the same for all columns. */
typedef struct {
    GLOBAL double *proposals; /* two vectors, used in turn */
    i64 vector, begin, end;
    int cols;
    u64 turn; /* turn of column 0 */
    GLOBAL u64 *arrived;
} launch_t;

/* The item that owns row i copies it for the group. */
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

/* Write a proposal for column c, and its current row. */
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

/* Read the best proposal and the current row of column c. */
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
 * Exchange rows if row x, number i, is one of the two; eliminate column c from
 * it; rotate its registers.
 */
FUNCTION void advance_row(double x[PANEL_COLUMNS], i64 i, int c, double inverse,
                          CHIP const shared_t *s)
{
    const double by = s->pivot[0];
    const int open = i > c ? PANEL_COLUMNS - c : 0; /* registers to update */
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

/* Factor column c of a step; proposals alternate between the two vectors. */
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
 * Factor a whole step, p, in one cooperative launch. Groups keep their rows in
 * registers, at most PANEL_HELD per item.
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
