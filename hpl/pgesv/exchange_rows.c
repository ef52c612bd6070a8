/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/pgesv/exchange.h"

/* Copies between the matrix and packed rows of this process. */

/* Columns copied together, so that both sides are accessed by cache lines. */
enum { BLOCK = 8 };

typedef enum { TO_PACKED, TO_MATRIX } way_t;

/* Rows to copy between the matrix and `packed`, where they are stored in order.
 */
typedef struct {
    const hpl_row_move_t *moves;
    int count;
    double *packed;
    way_t way; /* from each move's source in the matrix, or to its target */
} rows_t;

/* Copy columns first .. first + width - 1 of the rows; width is at most BLOCK.
 */
static void move_block(const hpl_exchange_t *x, const rows_t *rows,
                       size_t first, size_t width)
{
    size_t lda = (size_t)x->panel->lda, j;
    double *in_matrix, *in_packed;

    for (int k = 0; k < rows->count; k++) {
        in_matrix =
            x->a + first * lda +
            (rows->way == TO_PACKED ? rows->moves[k].from : rows->moves[k].to);
        in_packed = rows->packed + (size_t)k * (size_t)x->columns + first;
        for (j = 0; j < width; j++)
            if (rows->way == TO_PACKED)
                in_packed[j] = in_matrix[j * lda];
            else
                in_matrix[j * lda] = in_packed[j];
    }
}

static void move_rows(const hpl_exchange_t *x, const rows_t *rows, int from,
                      int columns)
{
    int end = from + columns;

    for (int first = from; first < end; first += BLOCK)
        move_block(x, rows, (size_t)first, (size_t)Mmin(BLOCK, end - first));
}

static double *row(const hpl_exchange_t *x, double *packed, int k)
{
    return packed + (size_t)k * (size_t)x->columns;
}

void hpl_exchange_pack(const hpl_exchange_t *x, int from, int columns)
{
    const hpl_pivots_t *p = x->panel->pivots;
    const int *mine = p->gather_offset + p->me;
    rows_t gathered = {p->gather + mine[0], mine[1] - mine[0],
                       row(x, x->gathered, mine[0]), TO_PACKED};
    rows_t displaced = {.way = TO_PACKED};
    int first;

    displaced.count = hpl_pivots_displaced_from(p, p->me, &first);
    displaced.moves = p->displace + first;
    displaced.packed = row(x, x->displaced, first);
    move_rows(x, &gathered, from, columns);
    move_rows(x, &displaced, from, columns);
}

void hpl_exchange_order(const hpl_exchange_t *x, hpl_matrix_t u)
{
    const hpl_pivots_t *p = x->panel->pivots;
    hpl_matrix_t from = {.ld = x->columns, .trans = HplTrans};
    int width = u.trans == HplNoTrans ? 4 * BLOCK : x->columns;

    for (int first = 0; first < x->columns; first += width)
        for (int k = 0; k < x->panel->jb; k++) {
            from.data = row(x, x->gathered, k) + first;
            hpl_matrix_copy(1, Mmin(width, x->columns - first), from,
                            hpl_matrix_at(u, p->gather[k].to, first));
        }
}

void hpl_exchange_settle(const hpl_exchange_t *x, int from, int columns)
{
    const hpl_pivots_t *p = x->panel->pivots;
    rows_t displaced = {.way = TO_MATRIX};
    int first;

    for (int source = 0; source < p->sources; source++) {
        displaced.count = hpl_pivots_between(p, source, p->me, &first);
        displaced.moves = p->displace + first;
        displaced.packed = row(x, x->displaced, first);
        move_rows(x, &displaced, from, columns);
    }
}
