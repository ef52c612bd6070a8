/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/pieces.h"
#include "hpl/panel/panel.h"
#include "hpl/pgesv/exchange.h"

size_t hpl_exchange_doubles(int jb, int columns)
{
    return 3 * (size_t)jb * (size_t)columns;
}

/* columns moved together, so that both sides are touched by cache lines */
enum { BLOCK = 8 };

typedef enum { TO_PACKED, TO_MATRIX } way_t;

/* Copy between row rows[k] of the matrix and row k of packed, for k < count. */
static void move_rows(const hpl_exchange_t *x, const int *rows, int count,
                      double *packed, way_t way)
{
    size_t lda = (size_t)x->panel->lda, width = (size_t)x->columns;
    size_t first, j, block;
    double *in_matrix, *in_packed;
    int k;

    for (first = 0; first < width; first += BLOCK) {
        block = Mmin(width - first, (size_t)BLOCK);
        for (k = 0; k < count; k++) {
            in_matrix = x->a + first * lda + rows[k];
            in_packed = packed + (size_t)k * width + first;
            for (j = 0; j < block; j++)
                if (way == TO_PACKED)
                    in_packed[j] = in_matrix[j * lda];
                else
                    in_matrix[j * lda] = in_packed[j];
        }
    }
}

typedef int (*end_of_move_t)(const hpl_row_move_t *move);

static int source(const hpl_row_move_t *move)
{
    return move->from;
}

static int target(const hpl_row_move_t *move)
{
    return move->to;
}

/* the sources or targets of moves first .. last - 1, in panel->IWORK */
static int *rows_of(const hpl_exchange_t *x, const hpl_row_move_t *moves,
                    const int *range, end_of_move_t end)
{
    int k;

    for (k = range[0]; k < range[1]; k++)
        x->panel->IWORK[k - range[0]] = end(&moves[k]);
    return x->panel->IWORK;
}

static double *row(const hpl_exchange_t *x, double *packed, int k)
{
    return packed + (size_t)k * (size_t)x->columns;
}

/* What leaves the matrix: my rows of U, and all displaced rows if the top is
 * mine. */
static void pack_all(const hpl_exchange_t *x)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->gather_offset + p->me;
    int displaced = p->displace_offset[p->members];

    move_rows(x, rows_of(x, p->gather, mine, source), mine[1] - mine[0],
              row(x, x->gathered, mine[0]), TO_PACKED);
    if (p->me == 0)
        move_rows(x, rows_of(x, p->displace, (int[]){0, displaced}, source),
                  displaced, x->displaced, TO_PACKED);
}

static void in_doubles(const hpl_exchange_t *x, const int *rows, size_t *offset)
{
    int g;

    for (g = 0; g <= x->panel->grid->nprow; g++)
        offset[g] = (size_t)rows[g] * (size_t)x->columns;
}

static bool is_long(const hpl_exchange_t *x)
{
    const HPL_T_palg *algo = x->panel->algo;

    if (algo->fswap == HPL_SW_MIX)
        return x->columns > algo->fsthr;
    return algo->fswap == HPL_SWAP01;
}

static void plan_gather(hpl_exchange_t *x, hpl_pieces_t *pieces,
                        const size_t *offset, size_t *even)
{
    int members = pieces->members;

    pieces->data = x->gathered;
    pieces->offset = offset;
    if (!is_long(x)) {
        hpl_pieces_double(x->schedule, pieces);
        return;
    }
    if (x->panel->algo->equil) {
        hpl_pieces_even(even, members, offset[members]);
        hpl_pieces_recut(x->schedule, pieces, even);
        pieces->offset = even;
    }
    hpl_pieces_roll(x->schedule, pieces);
}

static void plan(hpl_exchange_t *x)
{
    const hpl_pivots_t *p = x->panel->pivots;
    size_t count = (size_t)p->members + 1;
    size_t *offset = malloc(2 * count * sizeof(*offset));
    hpl_pieces_t pieces = {.data = x->displaced,
                           .offset = offset,
                           .members = p->members,
                           .me = p->me,
                           .root = x->panel->prow,
                           .nprocs = p->members};

    if (offset == NULL)
        HPL_pabort(__LINE__, "hpl_exchange_begin", "out of memory");
    x->schedule =
        hpl_schedule_create(x->panel->grid->exchange_comm, x->panel->msgid);
    in_doubles(x, p->displace_offset, offset);
    hpl_pieces_spread(x->schedule, &pieces);
    in_doubles(x, p->gather_offset, offset);
    plan_gather(x, &pieces, offset, offset + count);
    free(offset);
}

void hpl_exchange_begin(hpl_exchange_t *x, HPL_T_panel *panel, int columns)
{
    size_t rows = (size_t)panel->jb * (size_t)columns;

    hpl_panel_pivots(panel);
    x->panel = panel;
    x->a = panel->A;
    x->columns = columns;
    x->u = panel->U;
    x->gathered = x->u + rows;
    x->displaced = x->gathered + rows;
    pack_all(x);
    plan(x);
    hpl_schedule_begin(x->schedule);
}

bool hpl_exchange_poll(hpl_exchange_t *x)
{
    return hpl_schedule_poll(x->schedule);
}

/* row k of gathered is row gather[k].to of U */
static void place(const hpl_exchange_t *x, hpl_matrix_t u)
{
    const hpl_pivots_t *p = x->panel->pivots;
    hpl_matrix_t from = {.ld = x->columns, .trans = HplTrans};
    int first, k, width = u.trans == HplNoTrans ? 4 * BLOCK : x->columns;

    for (first = 0; first < x->columns; first += width)
        for (k = 0; k < x->panel->jb; k++) {
            from.data = row(x, x->gathered, k) + first;
            hpl_matrix_copy(1, Mmin(width, x->columns - first), from,
                            hpl_matrix_at(u, p->gather[k].to, first));
        }
}

hpl_matrix_t hpl_exchange_end(hpl_exchange_t *x, enum HPL_TRANS form)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->displace_offset + p->me;
    hpl_matrix_t u = {.data = x->u,
                      .ld = form == HplNoTrans ? x->panel->jb : x->columns,
                      .trans = form};

    hpl_schedule_end(x->schedule);
    hpl_schedule_destroy(x->schedule);
    move_rows(x, rows_of(x, p->displace, mine, target), mine[1] - mine[0],
              row(x, x->displaced, mine[0]), TO_MATRIX);
    place(x, u);
    return u;
}
