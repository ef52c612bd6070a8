/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/grid/peers.h"
#include "hpl/panel/pivots.h"
#include "hpl/pauxil/map.h"

/* A row's contents (numbers count from ia), and its present position. */
typedef struct {
    int content, position;
} standing_t;

/* The outer rows that interchanges touch, found by position. */
typedef struct {
    standing_t *row; /* jb */
    int count;
    int *at;       /* hash table: 1 + the number of a row; 0: none */
    unsigned mask; /* 2^i - 1, at least 2 jb */
} outer_t;

static standing_t *outer_row(outer_t *o, int position)
{
    unsigned h = (unsigned)position & o->mask;

    while (o->at[h] != 0 && o->row[o->at[h] - 1].position != position)
        h = (h + 1) & o->mask;
    if (o->at[h] == 0) {
        o->row[o->count] = (standing_t){position, position};
        o->at[h] = ++o->count;
    }
    return &o->row[o->at[h] - 1];
}

/* Carry out the interchanges on a list of row numbers. */
static void interchange(const HPL_T_panel *panel, standing_t *top,
                        outer_t *outer)
{
    int target, content;
    standing_t *other;

    for (int i = 0; i < panel->jb; i++)
        top[i] = (standing_t){.content = i, .position = i};
    for (int i = 0; i < panel->jb; i++) {
        target = (int)panel->DPIV[i] - panel->ia;
        other = target < panel->jb ? &top[target] : outer_row(outer, target);
        content = top[i].content;
        top[i].content = other->content;
        other->content = content;
    }
}

typedef struct {
    hpl_map_t map;
    int ia, prow;
} rows_t;

static int member_of(const rows_t *rows, int row)
{
    int owner = hpl_map_owner(&rows->map, (int64_t)rows->ia + row);

    return (owner - rows->prow + rows->map.nprocs) % rows->map.nprocs;
}

/* Local number of `row` on its owner, counted from ia. */
static int local_of(const rows_t *rows, int row)
{
    hpl_map_t owner = rows->map;

    owner.me = hpl_map_owner(&rows->map, (int64_t)rows->ia + row);
    return (int)(hpl_map_local(&owner, (int64_t)rows->ia + row) -
                 hpl_map_count(&owner, rows->ia));
}

/* A move, and the part of a list to which the move belongs. */
typedef struct {
    int part;
    hpl_row_move_t move;
} entry_t;

/* Sort moves by part, by counting; `offset` has parts + 1 entries. */
static void sort_by_part(int parts, const entry_t *entries, int count,
                         int *offset, hpl_row_move_t *sorted)
{
    memset(offset, 0, (size_t)(parts + 1) * sizeof(*offset));
    for (int i = 0; i < count; i++)
        offset[entries[i].part + 1]++;
    for (int g = 0; g < parts; g++)
        offset[g + 1] += offset[g];
    for (int i = 0; i < count; i++)
        sorted[offset[entries[i].part]++] = entries[i].move;
    memmove(offset + 1, offset, (size_t)parts * sizeof(*offset));
    offset[0] = 0;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_panel_pivots", "out of memory");
    return memory;
}

/* List the rows of U, sorted by the members that own them. */
static void list_gathered(hpl_pivots_t *p, const rows_t *rows,
                          const standing_t *top, int jb, entry_t *entries)
{
    for (int i = 0; i < jb; i++)
        entries[i] = (entry_t){member_of(rows, top[i].content),
                               {local_of(rows, top[i].content), i}};
    sort_by_part(p->members, entries, jb, p->gather_offset, p->gather);
}

/* List the displaced rows, sorted by their owner and then by their new owner.
 */
static void list_displaced(hpl_pivots_t *p, const rows_t *rows,
                           const outer_t *outer, entry_t *entries)
{
    for (int i = 0; i < outer->count; i++) {
        int from = outer->row[i].content, to = outer->row[i].position;

        entries[i] =
            (entry_t){member_of(rows, from) * p->members + member_of(rows, to),
                      {local_of(rows, from), local_of(rows, to)}};
    }
    sort_by_part(p->sources * p->members, entries, outer->count,
                 p->displace_offset, p->displace);
}

static void fill(hpl_pivots_t *p, const rows_t *rows, const HPL_T_panel *panel)
{
    size_t jb = (size_t)panel->jb, slots = 1;
    entry_t *entries = allocate((jb + 1) * sizeof(*entries));
    standing_t *top = allocate((2 * jb + 1) * sizeof(*top));
    outer_t outer = {.row = top + jb};

    while (slots < 2 * jb)
        slots *= 2;
    outer.mask = (unsigned)slots - 1;
    outer.at = allocate(slots * sizeof(*outer.at));
    interchange(panel, top, &outer);
    list_gathered(p, rows, top, panel->jb, entries);
    list_displaced(p, rows, &outer, entries);
    free(outer.at);
    free(top);
    free(entries);
}

static hpl_pivots_t *create(const HPL_T_panel *panel)
{
    const HPL_T_grid *grid = panel->grid;
    rows_t rows = {hpl_map(panel->nb, grid->nprow, grid->myrow), panel->ia,
                   panel->prow};
    int tops = (panel->jb + panel->nb - 1) / panel->nb;
    int sources = Mmax(Mmin(tops, grid->nprow), 1);
    size_t jb = (size_t)panel->jb, members = (size_t)grid->nprow;
    size_t offsets = members + 1 + (size_t)sources * members + 1;
    hpl_pivots_t *p = allocate(sizeof(*p) + 2 * jb * sizeof(*p->gather) +
                               offsets * sizeof(int));

    p->members = grid->nprow;
    p->sources = sources;
    p->me = (grid->myrow - panel->prow + grid->nprow) % grid->nprow;
    p->gather = (hpl_row_move_t *)(p + 1);
    p->displace = p->gather + jb;
    p->gather_offset = (int *)(p->displace + jb);
    p->displace_offset = p->gather_offset + members + 1;
    fill(p, &rows, panel);
    return p;
}

/* End the job if a broadcast panel has row numbers outside the panel. */
static void check(const HPL_T_panel *panel)
{
    double first = panel->ia, last = first + panel->m - 1, info = *panel->DINFO;

    for (int i = 0; i < panel->jb; i++)
        if (!hpl_is_index(panel->DPIV[i], first + i, last))
            hpl_peer_refuse(panel->grid, HPL_IN_MY_ROW, panel->pcol,
                            "the row of a pivot, in a panel", panel->DPIV[i],
                            first + i, last);
    if (info != 0.0 && !hpl_is_index(info, first + 1, first + panel->jb))
        hpl_peer_refuse(panel->grid, HPL_IN_MY_ROW, panel->pcol,
                        "the column of a zero pivot", info, first + 1,
                        first + panel->jb);
}

const hpl_pivots_t *hpl_panel_pivots(HPL_T_panel *panel)
{
    if (panel->pivots == NULL) {
        if (panel->grid->mycol != panel->pcol)
            check(panel);
        panel->pivots = create(panel);
    }
    return panel->pivots;
}
