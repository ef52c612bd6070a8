/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
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

/* Sort moves by the member that holds row (moves[i]), by counting. */
static void sort_by_member(const rows_t *rows, const int *row, int count,
                           const hpl_row_move_t *moves, int *offset,
                           hpl_row_move_t *sorted)
{
    int members = rows->map.nprocs;

    memset(offset, 0, (size_t)(members + 1) * sizeof(*offset));
    for (int i = 0; i < count; i++)
        offset[member_of(rows, row[i]) + 1]++;
    for (int g = 0; g < members; g++)
        offset[g + 1] += offset[g];
    for (int i = 0; i < count; i++)
        sorted[offset[member_of(rows, row[i])]++] = moves[i];
    memmove(offset + 1, offset, (size_t)members * sizeof(*offset));
    offset[0] = 0;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = malloc(Mmax(count, 1) * size);

    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_pivots_create", "out of memory");
    return memory;
}

static void fill(hpl_pivots_t *p, const rows_t *rows, const standing_t *top,
                 int jb, const standing_t *outer, int outers)
{
    hpl_row_move_t *moves = allocate((size_t)jb, sizeof(*moves));
    int *row = allocate((size_t)jb, sizeof(*row));

    for (int i = 0; i < jb; i++) {
        row[i] = top[i].content;
        moves[i] = (hpl_row_move_t){local_of(rows, row[i]), i};
    }
    sort_by_member(rows, row, jb, moves, p->gather_offset, p->gather);
    for (int i = 0; i < outers; i++) {
        row[i] = outer[i].position;
        moves[i] = (hpl_row_move_t){outer[i].content, local_of(rows, row[i])};
    }
    sort_by_member(rows, row, outers, moves, p->displace_offset, p->displace);
    free(row);
    free(moves);
}

hpl_pivots_t *hpl_pivots_create(const HPL_T_panel *panel)
{
    const HPL_T_grid *grid = panel->grid;
    rows_t rows = {hpl_map(panel->nb, grid->nprow, grid->myrow), panel->ia,
                   panel->prow};
    size_t jb = (size_t)panel->jb, members = (size_t)grid->nprow;
    standing_t *top = allocate(jb, sizeof(*top));
    standing_t *outer = allocate(jb, sizeof(*outer));
    hpl_pivots_t *p = allocate(1, sizeof(*p));

    p->members = grid->nprow;
    p->me = (grid->myrow - panel->prow + grid->nprow) % grid->nprow;
    p->gather = allocate(jb, sizeof(*p->gather));
    p->displace = allocate(jb, sizeof(*p->displace));
    p->gather_offset = allocate(members + 1, sizeof(int));
    p->displace_offset = allocate(members + 1, sizeof(int));
    fill(p, &rows, top, panel->jb, outer, interchange(panel, top, outer));
    free(outer);
    free(top);
    return p;
}

void hpl_pivots_destroy(hpl_pivots_t *p)
{
    if (p == NULL)
        return;
    free(p->displace_offset);
    free(p->gather_offset);
    free(p->displace);
    free(p->gather);
    free(p);
}
