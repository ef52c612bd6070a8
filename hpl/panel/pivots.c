/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/grid/peers.h"
#include "hpl/panel/pivots.h"
#include "hpl/pauxil/map.h"

/* a row's contents (counted from ia) and where they come to stand */
typedef struct {
    int content, position;
} standing_t;

static standing_t *outer_row(standing_t *outer, int *count_p, int position)
{
    int e;

    for (e = 0; e < *count_p; e++)
        if (outer[e].position == position)
            return &outer[e];
    outer[e] = (standing_t){.content = position, .position = position};
    *count_p = e + 1;
    return &outer[e];
}

/* Carry out the interchanges on row numbers; returns the outer rows touched. */
static int interchange(const HPL_T_panel *panel, standing_t *top,
                       standing_t *outer)
{
    int target, content, count = 0;
    standing_t *other;

    for (int i = 0; i < panel->jb; i++)
        top[i] = (standing_t){.content = i, .position = i};
    for (int i = 0; i < panel->jb; i++) {
        target = (int)panel->DPIV[i] - panel->ia;
        other = target < panel->jb ? &top[target]
                                   : outer_row(outer, &count, target);
        content = top[i].content;
        top[i].content = other->content;
        other->content = content;
    }
    return count;
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

/* local position of row among its owner's rows from ia on */
static int local_of(const rows_t *rows, int row)
{
    hpl_map_t owner = rows->map;

    owner.me = hpl_map_owner(&rows->map, (int64_t)rows->ia + row);
    return (int)(hpl_map_local(&owner, (int64_t)rows->ia + row) -
                 hpl_map_count(&owner, rows->ia));
}

/* a move, and the row whose owner it belongs to */
typedef struct {
    int row;
    hpl_row_move_t move;
} entry_t;

/* Sort moves by member, by counting. */
static void sort_by_member(const rows_t *rows, const entry_t *entries,
                           int count, int *offset, hpl_row_move_t *sorted)
{
    int members = rows->map.nprocs;

    memset(offset, 0, (size_t)(members + 1) * sizeof(*offset));
    for (int i = 0; i < count; i++)
        offset[member_of(rows, entries[i].row) + 1]++;
    for (int g = 0; g < members; g++)
        offset[g + 1] += offset[g];
    for (int i = 0; i < count; i++)
        sorted[offset[member_of(rows, entries[i].row)]++] = entries[i].move;
    memmove(offset + 1, offset, (size_t)members * sizeof(*offset));
    offset[0] = 0;
}

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_panel_pivots", "out of memory");
    return memory;
}

static void fill(hpl_pivots_t *p, const rows_t *rows, const HPL_T_panel *panel)
{
    size_t jb = (size_t)panel->jb;
    entry_t *entries = allocate(jb * sizeof(*entries));
    standing_t *top = allocate(2 * jb * sizeof(*top)), *outer = top + jb;
    int row, outers = interchange(panel, top, outer);

    for (int i = 0; i < panel->jb; i++) {
        row = top[i].content;
        entries[i] = (entry_t){row, {local_of(rows, row), i}};
    }
    sort_by_member(rows, entries, panel->jb, p->gather_offset, p->gather);
    for (int i = 0; i < outers; i++) {
        row = outer[i].position;
        entries[i] = (entry_t){row, {outer[i].content, local_of(rows, row)}};
    }
    sort_by_member(rows, entries, outers, p->displace_offset, p->displace);
    free(top);
    free(entries);
}

static hpl_pivots_t *create(const HPL_T_panel *panel)
{
    const HPL_T_grid *grid = panel->grid;
    rows_t rows = {hpl_map(panel->nb, grid->nprow, grid->myrow), panel->ia,
                   panel->prow};
    size_t jb = (size_t)panel->jb, offsets = (size_t)grid->nprow + 1;
    hpl_pivots_t *p = allocate(sizeof(*p) + 2 * jb * sizeof(*p->gather) +
                               2 * offsets * sizeof(int));

    p->members = grid->nprow;
    p->me = (grid->myrow - panel->prow + grid->nprow) % grid->nprow;
    p->gather = (hpl_row_move_t *)(p + 1);
    p->displace = p->gather + jb;
    p->gather_offset = (int *)(p->displace + jb);
    p->displace_offset = p->gather_offset + offsets;
    fill(p, &rows, panel);
    return p;
}

/* End the job if a value of a panel that came by broadcast leads out of it. */
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
