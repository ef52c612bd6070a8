/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/pieces.h"
#include "hpl/panel/panel.h"
#include "hpl/pgesv/exchange.h"

size_t hpl_exchange_doubles(int jb, int columns)
{
    return 3 * (size_t)jb * (size_t)columns;
}

int hpl_exchange_width(int jb, int nb)
{
    enum { U_DOUBLES = 1 << 20 }; /* keeps U and its buffers below 25 MB */

    return Mmax(U_DOUBLES / jb, nb);
}

/* ---- on one process ------------------------------------------------------ */

/* Permute one column. All reads are independent, so cache misses overlap. */
static void permute_column(const hpl_pivots_t *p, int jb, double *column,
                           double *u)
{
    int displaced = p->displace_offset[p->sources];

    for (int k = 0; k < jb; k++)
        u[p->gather[k].to] = column[p->gather[k].from];
    for (int k = 0; k < displaced; k++)
        column[p->displace[k].to] = column[p->displace[k].from];
    memcpy(column, u, (size_t)jb * sizeof(double));
}

void hpl_local_swap(HPL_T_panel *panel, int columns)
{
    const hpl_pivots_t *pivots = hpl_panel_pivots(panel);

    hpl_panel_reserve_u(panel, (size_t)panel->jb);
    for (int j = 0; j < columns; j++)
        permute_column(pivots, panel->jb, Mptr(panel->A, 0, j, panel->lda),
                       panel->U);
}

/* ---- between processes --------------------------------------------------- */

static void in_doubles(const hpl_exchange_t *x, const int *rows, int count,
                       size_t *offset)
{
    for (int i = 0; i <= count; i++)
        offset[i] = (size_t)rows[i] * (size_t)x->columns;
}

/* Plan the moves of displaced rows: from a single member, which has all of
 * them, along a tree; from several members directly. */
static void plan_displaced(hpl_exchange_t *x, hpl_pieces_t *pieces)
{
    const hpl_pivots_t *p = x->panel->pivots;

    if (p->sources == 1)
        hpl_pieces_spread(x->schedule, pieces);
    else
        hpl_pieces_deal(x->schedule, pieces, p->sources);
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
    hpl_pieces_roll(x->schedule, pieces, HPL_FIRST_HAS_ITS_OWN);
}

void hpl_exchange_start(hpl_exchange_t *x)
{
    const hpl_pivots_t *p = x->panel->pivots;
    size_t count = (size_t)p->members + 1;
    size_t parts = (size_t)(p->sources * p->members) + 1;
    size_t *offset = malloc((count + parts) * sizeof(*offset));
    hpl_pieces_t pieces = {.data = x->displaced,
                           .offset = offset,
                           .members = p->members,
                           .me = p->me,
                           .root = x->panel->prow,
                           .nprocs = p->members};

    if (offset == NULL)
        HPL_pabort(__LINE__, "hpl_exchange_start", "out of memory");
    x->schedule = hpl_schedule_create(x->panel->grid->exchange_comm, x->tag);
    in_doubles(x, p->displace_offset, p->sources * p->members, offset);
    plan_displaced(x, &pieces);
    in_doubles(x, p->gather_offset, p->members, offset);
    plan_gather(x, &pieces, offset, offset + count);
    free(offset);
    hpl_schedule_begin(x->schedule);
}

void hpl_exchange_begin(hpl_exchange_t *x, HPL_T_panel *panel, int columns)
{
    size_t rows = (size_t)panel->jb * (size_t)columns;

    *x = (hpl_exchange_t){.panel = panel,
                          .a = panel->A,
                          .columns = columns,
                          .tag = panel->msgid,
                          .u = panel->U,
                          .gathered = panel->U + rows,
                          .displaced = panel->U + 2 * rows};
    hpl_panel_pivots(panel);
    hpl_exchange_pack(x, 0, columns);
    hpl_exchange_start(x);
}

hpl_matrix_t hpl_exchange_end(hpl_exchange_t *x, enum HPL_TRANS form)
{
    hpl_matrix_t u = {.data = x->u,
                      .ld = form == HplNoTrans ? x->panel->jb : x->columns,
                      .trans = form};

    hpl_schedule_end(x->schedule);
    hpl_exchange_settle(x, 0, x->columns);
    hpl_exchange_order(x, u);
    return u;
}
