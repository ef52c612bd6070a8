/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/lu.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/pfact/pivot.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/panels.h"
#include "hybrid/cpu/pack.h"

/*
 * Columns of a chunk: its rows of U leave room for L2 in the second cache. The
 * BLAS library packs L2 for each chunk, which wide ones make up for.
 */
int64_t hyb_lu_chunk(const hyb_kernel_t *kernel, int64_t nb,
                     hyb_multiplier_t multiplier)
{
    enum { MOST_OF_BLAS = 512 };

    return multiplier == HYB_BY_BLAS ? hyb_chunk_part(kernel, nb, MOST_OF_BLAS)
                                     : hyb_chunk_cols(kernel, nb);
}

int64_t hyb_lu_narrow(const hyb_kernel_t *kernel, int64_t nb,
                      hyb_multiplier_t multiplier, int members)
{
    enum { PANELS_OF_B = 4 };
    int64_t unit = kernel->cols, chunk = hyb_lu_chunk(kernel, nb, multiplier);

    if (multiplier == HYB_BY_BLAS)
        return xh_whole_units(xh_larger(chunk / members, 1), unit);
    return xh_smaller(PANELS_OF_B * unit, chunk);
}

/* Doubles of the working memory, part by part. */
typedef struct {
    size_t l1;       /* of each panel in flight */
    size_t top;      /* of the panel being factored */
    size_t proposal; /* of its pivots */
    size_t u;        /* of each member */
    size_t rows;     /* gathered, and displaced */
    size_t kept_u;   /* in columns */
} parts_t;

static size_t rounded_up(size_t doubles)
{
    enum { PAGE = 512 };

    return (doubles + PAGE - 1) / PAGE * PAGE;
}

static int most_columns(const hpl_shape_t *shape)
{
    return Mmin(shape->nb, shape->n);
}

static parts_t parts_of(const hyb_lu_t *lu, const hpl_shape_t *shape)
{
    const hyb_kernel_t *kernel = lu->kernel;
    size_t nb = (size_t)most_columns(shape);
    size_t columns = (size_t)hpl_system_columns(shape);
    int64_t chunk = hyb_lu_chunk(kernel, shape->nb, lu->multiplier);
    size_t rows = shape->nprow > 1 ? rounded_up(nb * columns) : 0;

    return (parts_t){
        .l1 = rounded_up(
            (size_t)hyb_pack_size((int64_t)nb, (int64_t)nb, kernel->rows)),
        .top = rounded_up(nb * nb),
        .proposal = rounded_up(HPL_PROPOSAL_ROWS + 2 * nb),
        .u = rounded_up((size_t)hyb_chunk_u_size(kernel, (int64_t)nb, chunk)),
        .rows = rows,
        .kept_u = lu->in_columns ? rows : 0};
}

static size_t sum(const parts_t *parts, int members)
{
    return HYB_IN_FLIGHT * parts->l1 + parts->top + 2 * parts->proposal +
           (size_t)members * parts->u + 2 * parts->rows + parts->kept_u;
}

uint64_t hyb_lu_bytes(const hyb_lu_t *lu, const hpl_shape_t *shape)
{
    parts_t parts = parts_of(lu, shape);
    size_t doubles = sum(&parts, lu->members);
    int k, panels = shape->nb > 0 ? (shape->n + shape->nb - 1) / shape->nb : 0;

    doubles +=
        hyb_panel_engine_doubles(lu->kernel, most_columns(shape), lu->members);
    for (k = 0; k < Mmin(panels, HYB_IN_FLIGHT); k++)
        doubles += hyb_panels_doubles(shape, k, lu->kernel->rows);
    return doubles * sizeof(double);
}

static double *cut(double **memory, size_t doubles)
{
    double *part = *memory;

    *memory += doubles;
    return doubles > 0 ? part : NULL;
}

static void lay_out(hyb_lu_t *lu, const parts_t *parts)
{
    double *memory = lu->memory;
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++)
        lu->panel[i].factors.l1.data = cut(&memory, parts->l1);
    lu->top = cut(&memory, parts->top);
    lu->proposal = cut(&memory, parts->proposal);
    lu->others_proposal = cut(&memory, parts->proposal);
    lu->u = cut(&memory, (size_t)lu->members * parts->u);
    lu->u_stride = (int64_t)parts->u;
    lu->exchanges.gathered = cut(&memory, parts->rows);
    lu->exchanges.displaced = cut(&memory, parts->rows);
    lu->exchanges.u = cut(&memory, parts->kept_u);
    lu->exchanges.u_bytes = parts->kept_u * sizeof(double);
}

static bool allocate_deals(hyb_lu_t *lu)
{
    int i, lanes = lu->deals_ahead ? lu->members : 1;
    bool all = true;

    for (i = 0; i < HYB_IN_FLIGHT; i++)
        all = all && hyb_deal_create(lanes, &lu->plan[i].prepare) == XH_OK &&
              hyb_deal_create(lanes, &lu->plan[i].next) == XH_OK &&
              hyb_deal_create(lanes, &lu->plan[i].rest) == XH_OK;
    return all;
}

static void free_deals(hyb_lu_t *lu)
{
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_deal_destroy(&lu->plan[i].prepare);
        hyb_deal_destroy(&lu->plan[i].next);
        hyb_deal_destroy(&lu->plan[i].rest);
    }
}

static bool allocate_lists(hyb_lu_t *lu)
{
    size_t nb = (size_t)lu->exchanges.rows,
           blocks = (size_t)lu->columns.blocks + 1;
    hyb_exchanges_t *e = &lu->exchanges;
    bool all = true;
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        lu->panel[i].moves = calloc(3 * nb, sizeof(int));
        all = all && lu->panel[i].moves != NULL;
    }
    lu->pivots = calloc(nb, sizeof(*lu->pivots));
    lu->spent = aligned_alloc(_Alignof(hyb_timer_t),
                              (size_t)lu->members * sizeof(*lu->spent));
    lu->pace = aligned_alloc(_Alignof(hyb_pace_t),
                             (size_t)lu->members * sizeof(*lu->pace));
    e->at = calloc(blocks, sizeof(*e->at));
    e->first = calloc(blocks, sizeof(*e->first));
    e->end = calloc(blocks, sizeof(*e->end));
    all = all && lu->pivots != NULL && lu->spent != NULL && lu->pace != NULL &&
          e->at != NULL && e->first != NULL && e->end != NULL;
    if (lu->spent != NULL)
        memset(lu->spent, 0, (size_t)lu->members * sizeof(*lu->spent));
    if (lu->pace != NULL)
        memset(lu->pace, 0, (size_t)lu->members * sizeof(*lu->pace));
    return all;
}

static hpl_shape_t shape_of(const hyb_lu_t *lu)
{
    return (hpl_shape_t){.n = lu->mat->n,
                         .nb = lu->mat->nb,
                         .nprow = lu->grid->nprow,
                         .npcol = lu->grid->npcol,
                         .myrow = lu->grid->myrow,
                         .mycol = lu->grid->mycol};
}

/* Of groups, where devices stream: messages cost the leader less then. */
static int64_t most_growth(const hyb_lu_t *lu)
{
    enum { TIMES = 8 };

    return lu->offloads ? TIMES : 1;
}

xh_status_t hyb_lu_allocate(hyb_lu_t *lu)
{
    hpl_shape_t shape = shape_of(lu);
    parts_t parts = parts_of(lu, &shape);
    int64_t columns = hpl_system_columns(&shape); /* mat->nq may be more */
    xh_status_t status = hyb_columns_create(columns, lu->mat->nb, &lu->columns);

    lu->chunk = hyb_lu_chunk(lu->kernel, lu->mat->nb, lu->multiplier);
    lu->map = hpl_map(lu->mat->nb, lu->grid->npcol, lu->grid->mycol);
    lu->exchanges.width = hyb_lu_group(lu->mat->nb);
    lu->exchanges.most = most_growth(lu);
    lu->exchanges.group = -1;
    lu->exchanges.position = columns;
    lu->exchanges.rows = Mmax(most_columns(&shape), 1);
    lu->memory_bytes = sum(&parts, lu->members) * sizeof(double);
    if (status == XH_OK)
        status = hyb_panel_engine_create(lu->team, lu->kernel,
                                         most_columns(&shape), &lu->engine);
    if (status == XH_OK)
        status = xh_memory_allocate(lu->memory_bytes, (void **)&lu->memory);
    if (status == XH_OK && !(allocate_deals(lu) && allocate_lists(lu)))
        status = XH_ERR_MEMORY;
    if (status == XH_OK) {
        lay_out(lu, &parts);
        for (int k = 0; k < Mmin(lu->panels, HYB_IN_FLIGHT); k++)
            hyb_panels_open(lu, k);
    }
    return status;
}

static void touch_own(void *context, int member)
{
    hyb_lu_t *lu = context;

    xh_memory_touch(lu->u + member * lu->u_stride,
                    (size_t)lu->u_stride * sizeof(double), 0, 1);
}

static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;
    size_t bytes;
    double *flat;

    xh_memory_touch(lu->memory, lu->memory_bytes, member, lu->members);
    for (int i = 0; i < Mmin(lu->panels, HYB_IN_FLIGHT); i++) {
        const HPL_T_panel *panel = lu->panel[i].hpl;

        xh_memory_touch(panel->WORK, panel->length * sizeof(double), member,
                        lu->members);
    }
    if (lu->flat == NULL)
        return;
    flat = hyb_l2_columns_memory(lu->flat, &bytes);
    xh_memory_touch(flat, bytes, member, lu->members);
}

void hyb_lu_touch(hyb_lu_t *lu)
{
    hyb_team_run(lu->team, touch_own, lu);
    hyb_team_run(lu->team, touch_share, lu);
}

void hyb_lu_release(hyb_lu_t *lu)
{
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        if (lu->panel[i].hpl != NULL) {
            HPL_bwait(lu->panel[i].hpl);
            HPL_pdpanel_disp(&lu->panel[i].hpl);
        }
        free(lu->panel[i].moves);
    }
    free_deals(lu);
    free(lu->exchanges.end);
    free(lu->exchanges.first);
    free(lu->exchanges.at);
    for (i = 0; lu->pace != NULL && i < lu->members; i++)
        hyb_pace_end(&lu->pace[i]);
    free(lu->pace);
    free(lu->spent);
    free(lu->pivots);
    if (lu->memory != NULL)
        xh_memory_free(lu->memory, lu->memory_bytes);
    hyb_panel_engine_destroy(lu->engine);
    hyb_columns_destroy(&lu->columns);
}
