/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/packing.h"

#include <stdlib.h>
#include "base/memory.h"
#include "hpl.h"
#include "hpl/pgesv/exchange.h"
#include "hybrid/lu/exchange.h"
#include "hybrid/plan/host_timing.h"

typedef struct {
    hyb_team_t *team;
    xh_view_t columns;
    HPL_T_panel panel;
    hpl_pivots_t pivots; /* of a process that is alone in its column */
    int offset[2];
    hpl_row_move_t *moves; /* nb of U's rows, then nb that are displaced */
    double *memory; /* HYB_EXCHANGE_COLUMNS columns of each, for every member */
    size_t bytes;
} packing_t;

static void pack_group(packing_t *p, int64_t from, int member)
{
    size_t doubles = (size_t)p->panel.jb * HYB_EXCHANGE_COLUMNS;
    double *packed = p->memory + 2 * doubles * (size_t)member;
    hpl_exchange_t x = {
        .panel = &p->panel,
        .a = p->columns.data + from * p->columns.ld,
        .columns = (int)Mmin(HYB_EXCHANGE_COLUMNS, p->columns.cols - from),
        .gathered = packed,
        .displaced = packed + doubles};

    for (int unit = 0; unit < x.columns; unit += HYB_UNIT_COLUMNS)
        hpl_exchange_pack(&x, unit, Mmin(HYB_UNIT_COLUMNS, x.columns - unit));
}

static void pack_share(void *context, int member)
{
    packing_t *p = context;
    int64_t step = (int64_t)HYB_EXCHANGE_COLUMNS * hyb_team_size(p->team), from;

    for (from = (int64_t)HYB_EXCHANGE_COLUMNS * member; from < p->columns.cols;
         from += step)
        pack_group(p, from, member);
}

static void run(void *context)
{
    packing_t *p = context;

    hyb_team_run(p->team, pack_share, p);
}

static void set_up(packing_t *p, const int *source, int nb)
{
    int i;

    for (i = 0; i < nb; i++) {
        p->moves[i] = (hpl_row_move_t){.from = source[i], .to = i};
        p->moves[nb + i] = (hpl_row_move_t){.from = i, .to = source[i]};
    }
    p->offset[1] = nb;
    p->pivots = (hpl_pivots_t){.members = 1,
                               .gather_offset = p->offset,
                               .gather = p->moves,
                               .displace_offset = p->offset,
                               .displace = p->moves + nb};
    p->panel = (HPL_T_panel){
        .jb = nb, .lda = (int)p->columns.ld, .pivots = &p->pivots};
}

xh_status_t xhpl_packing_seconds(hyb_team_t *team, xh_view_t columns,
                                 const int *source, int nb, int calls,
                                 double *seconds_p)
{
    size_t doubles =
        2 * (size_t)nb * HYB_EXCHANGE_COLUMNS * (size_t)hyb_team_size(team);
    packing_t p = {.team = team,
                   .columns = columns,
                   .moves = calloc(2 * (size_t)nb, sizeof(*p.moves)),
                   .bytes = doubles * sizeof(double)};
    const xhost_timed_t timed = {NULL, run, &p};
    void *memory = NULL;
    xh_status_t status = xh_memory_allocate(p.bytes, &memory);

    if (p.moves == NULL)
        status = XH_ERR_MEMORY;
    if (status == XH_OK) {
        p.memory = memory;
        set_up(&p, source, nb);
        *seconds_p = xhost_median_seconds(&timed, calls);
    }
    xh_memory_free(memory, p.bytes);
    free(p.moves);
    return status;
}
