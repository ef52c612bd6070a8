/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel/panel.h"

#include "base/memory.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/guard/seal.h"
#include "hybrid/lu/panel/panel_choice.h"
#include "hybrid/lu/panel/wide.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/dealing.h"

/* ---- memory -------------------------------------------------------------- */

/* Doubles of tiles with rows x cols, rounded up to whole cache lines. */
static size_t tile_doubles(int64_t rows, int64_t cols, int height)
{
    enum { LINE = 8 };

    return (size_t)xh_whole_units(hyb_pack_size(rows, cols, height), LINE);
}

/* Doubles of panel k's message on this process, with L2 or without. */
static size_t message_doubles(const hpl_shape_t *shape, int k, int height,
                              bool has_l2)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    int64_t first = (int64_t)k * shape->nb;
    int64_t jb = Mmin(shape->nb, shape->n - first);
    int64_t body =
        hpl_map_count(&rows, shape->n) - hpl_map_count(&rows, first + jb);

    return (has_l2 ? tile_doubles(body, jb, height) : 0) + HYB_SEAL_DOUBLES +
           tile_doubles(jb, jb, height) + (size_t)(jb * jb + jb + 1);
}

/* Lay the parts out in the memory, if there is any; returns the doubles of all
 * parts. */
static size_t lay_out(hyb_panel_workspace_t *s,
                      const hyb_resources_t *resources, int64_t rows,
                      int64_t nb)
{
    int64_t proposal = (int64_t)hyb_whole_pages(HPL_PROPOSAL_ROWS + 2 * nb);
    int height = resources->kernel->rows;
    size_t at = 0;

    s->copy_doubles = hyb_resources_need_columns(resources)
                          ? hyb_whole_pages(hyb_pack_size(rows, nb, height) + 1)
                          : 0;
    if (s->shares_l2)
        s->tiles =
            hyb_next_pages(s->memory, &at, hyb_pack_size(rows, nb, height));
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        s->l1[i] =
            hyb_next_pages(s->memory, &at, hyb_pack_size(nb, nb, height));
    s->proposal = hyb_next_pages(s->memory, &at, proposal);
    s->others_proposal =
        hyb_next_pages(s->memory, &at, HPL_PIVOT_PEERS * proposal);
    for (int i = 0; i < hyb_l2_copies(s); i++)
        s->copy[i] = hyb_next_pages(s->memory, &at, (int64_t)s->copy_doubles);
    return at;
}

uint64_t hyb_panels_bytes(const hyb_resources_t *resources,
                          const hpl_shape_t *shape)
{
    int nb = Mmin(shape->nb, shape->n);
    int panels = shape->nb > 0 ? (int)xh_units(shape->n, shape->nb) : 0;
    hyb_panel_workspace_t workspace = {
        .shares_l2 = shape->npcol == 1 && resources->resident &&
                     hyb_deal_team_columns(resources, shape) == 0};
    size_t doubles =
        lay_out(&workspace, resources, hpl_system_rows(shape), nb) +
        hyb_panel_scratch_doubles(resources->kernel, nb,
                                  hyb_team_size(resources->team));

    for (int k = 0; k < Mmin(panels, HYB_IN_FLIGHT); k++)
        doubles += message_doubles(shape, k, resources->kernel->rows,
                                   !workspace.shares_l2);
    return doubles * sizeof(double);
}

/* Lay panel k out in the memory of the panel that it replaces. The broadcast of
 * panel k has not begun. */
static void set_up(hyb_lu_t *lu, int k);

/* Touch the pages, each member its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;
    const hyb_panel_workspace_t *s = hyb_lu_panel(lu, 0)->workspace;
    int members = hyb_team_size(lu->resources.team);

    xh_memory_touch(s->memory, s->bytes, member, members);
    for (int i = 0; i < Mmin(lu->range.panels, HYB_IN_FLIGHT); i++) {
        const HPL_T_panel *panel = hyb_lu_panel(lu, i)->hpl;

        xh_memory_touch(panel->WORK, panel->length * sizeof(double), member,
                        members);
    }
}

/* The first panels are the largest; later panels use their memory. */
xh_status_t hyb_panels_create(hyb_lu_t *lu)
{
    const hyb_resources_t *resources = &lu->resources;
    int nb = Mmin(lu->mat->nb, lu->mat->n);
    hyb_panel_workspace_t *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return XH_ERR_MEMORY;
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_lu_panel_t *p = hyb_lu_panel(lu, i);

        p->workspace = s;
        p->moves = calloc(3 * (size_t)nb + 1, sizeof(int));
        if (p->moves == NULL)
            return XH_ERR_MEMORY;
    }
    s->shares_l2 =
        lu->grid->npcol == 1 && lu->homes.resident && lu->homes.team_end == 0;
    s->pivots = calloc((size_t)nb + 1, sizeof(*s->pivots));
    if (s->pivots == NULL)
        return XH_ERR_MEMORY;
    s->bytes = lay_out(s, resources, lu->mat->mp, nb) * sizeof(double);
    XH_TRY(xh_memory_allocate(s->bytes, (void **)&s->memory));
    lay_out(s, resources, lu->mat->mp, nb);
    XH_TRY(hyb_panel_scratch_create(resources->team, resources->kernel, nb,
                                    &s->scratch));
    for (int k = 0; k < Mmin(lu->range.panels, HYB_IN_FLIGHT); k++)
        set_up(lu, k);
    hyb_team_run(resources->team, touch_share, lu);
    return XH_OK;
}

void hyb_panels_destroy(hyb_lu_t *lu)
{
    hyb_panel_workspace_t *s = hyb_lu_panel(lu, 0)->workspace;

    if (s == NULL)
        return;
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_lu_panel_t *p = hyb_lu_panel(lu, i);

        if (p->hpl != NULL) {
            HPL_bwait(p->hpl);
            HPL_pdpanel_disp(&p->hpl);
        }
        free(p->moves);
    }
    free(s->pivots);
    xh_memory_free(s->memory, s->bytes);
    hyb_panel_scratch_destroy(s->scratch);
    free(s);
}

double *hyb_l2_memory(hyb_lu_t *lu, int i, size_t *bytes_p)
{
    const hyb_panel_workspace_t *s = hyb_lu_panel(lu, 0)->workspace;
    const HPL_T_panel *h = i > 0 ? hyb_lu_panel(lu, i - 1)->hpl : NULL;

    if (s == NULL || i > HYB_IN_FLIGHT)
        return NULL;
    if (i == 0) {
        *bytes_p = (size_t)hyb_l2_copies(s) * s->copy_doubles * sizeof(double);
        return s->copy[0];
    }
    if (h == NULL || s->shares_l2)
        return NULL;
    *bytes_p = h->length * sizeof(double);
    return h->WORK;
}

/* ---- opening ------------------------------------------------------------- */

/* Note the form of L2 in panel k's message, and where both forms are. */
static void set_form(hyb_lu_t *lu, int k, bool in_columns)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    const hyb_panel_workspace_t *s = p->workspace;
    double *copy = s->copy[k % hyb_l2_copies(s)];
    bool swapped = in_columns && !s->shares_l2;
    int64_t rows = p->factors.l2.rows;

    p->in_columns = in_columns;
    p->in_tiles =
        !in_columns || (hyb_lu_team_reads(lu, k) && !lu->resources.by_blas);
    p->factors.l2.data = s->shares_l2 ? s->tiles : swapped ? copy : p->hpl->L2;
    p->columns = (xh_view_t){swapped ? p->hpl->L2 : copy, rows, p->hpl->jb,
                             Mmax(rows, 1)};
}

static void set_up(hyb_lu_t *lu, int k)
{
    enum { TAGS = 32768 }; /* the smallest bound that MPI allows */
    HPL_T_pmat *mat = lu->mat;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int first = k * mat->nb, jb = Mmin(mat->nb, mat->n - first);
    int m = mat->n - first, height = lu->resources.kernel->rows;
    size_t body;

    if (p->hpl != NULL)
        HPL_bwait(p->hpl);
    p->travels = false;
    if (p->hpl == NULL)
        HPL_pdpanel_new(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                        k % TAGS, &p->hpl);
    else
        HPL_pdpanel_init(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                         k % TAGS, p->hpl);
    p->factors.kernel = lu->resources.kernel;
    p->factors.l2 =
        (hyb_tiles_t){.rows = p->hpl->mp - hpl_panel_top_rows(p->hpl),
                      .cols = jb,
                      .height = height};
    body = !p->workspace->shares_l2
               ? tile_doubles(p->factors.l2.rows, jb, height)
               : 0;
    hpl_panel_lay_out(p->hpl, body + HYB_SEAL_DOUBLES);
    p->seal = p->hpl->L2 + body;
    set_form(lu, k, false);
    p->factors.l1.data = p->workspace->l1[k % HYB_IN_FLIGHT];
    p->factors.l1.height = height;
    p->zero = p->threads = 0;
    p->seconds = 0.0;
    p->factored = p->queued = p->by_device = false;
    atomic_store(&p->loaded, 0);
}

void hyb_panel_open(hyb_lu_t *lu, int k)
{
    if (k >= hyb_lu_end(lu))
        return;
    set_up(lu, k);
    hyb_panel_choose(lu, k);
    if (hyb_lu_owns(lu, k)) {
        set_form(lu, k, hyb_lu_panel(lu, k)->by_device);
        hyb_lu_panel(lu, k)->seal[HYB_SEAL_FORM] =
            hyb_lu_panel(lu, k)->in_columns;
    } else {
        hyb_panel_broadcast(lu->worker, k);
    }
}

/* ---- broadcast ----------------------------------------------------------- */

void hyb_panel_broadcast(hyb_worker_t *me, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(me->lu, k);

    if (me->member != 0 || p->queued)
        return;
    hyb_timer_begin(me, HYB_BROADCAST, k);
    HPL_binit(p->hpl);
    p->travels = p->hpl->bcast != NULL;
    hyb_timer_end(me);
}

void hyb_panel_poll(void *context)
{
    hyb_lu_t *lu = context;
    int state;

    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_lu_panel_t *p = hyb_lu_panel(lu, i);

        if (p->queued && hyb_panel_take(lu, hpl_panel_number(p->hpl)))
            hyb_panel_broadcast(lu->worker, hpl_panel_number(p->hpl));
        if (!p->travels)
            continue;
        hyb_timer_begin(lu->worker, HYB_BROADCAST, hyb_lu_opened(lu) - 1);
        p->travels = HPL_bcast(p->hpl, &state) != HPL_SUCCESS;
        hyb_timer_end(lu->worker);
    }
}

bool hyb_panels_are_still(const hyb_lu_t *lu)
{
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        if (lu->flight[i].panel.travels)
            return false;
    return true;
}

bool hyb_panel_is_free(const hyb_lu_t *lu, int k)
{
    return !lu->flight[k % HYB_IN_FLIGHT].panel.travels;
}

bool hyb_panel_advance(hyb_lu_t *lu, int k)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int state;

    if (hyb_lu_owns(lu, k))
        return p->factored;
    HPL_bcast(p->hpl, &state);
    return hpl_schedule_has_received(p->hpl->bcast);
}

/* List the permutation for hyb_run_swap or, if P > 1, where rows of U go in the
 * top. */
static void list_moves(hyb_lu_panel_t *p, int jb, bool alone)
{
    const hpl_pivots_t *pivots = hpl_panel_pivots(p->hpl);
    int *place = p->moves, *from = place + jb, *to = from + jb, i;

    p->swap = (hyb_swap_t){.nb = jb, .source = place, .from = from, .to = to};
    for (i = 0; i < jb; i++)
        if (alone)
            place[pivots->gather[i].to] = pivots->gather[i].from;
        else
            place[i] = pivots->gather[i].to;
    if (!alone)
        return;
    p->swap.displaced = pivots->displace_offset[1];
    for (i = 0; i < p->swap.displaced; i++) {
        from[i] = pivots->displace[i].from;
        to[i] = pivots->displace[i].to;
    }
}

void hyb_panel_receive(hyb_place_t *host, int k)
{
    hyb_lu_t *lu = host->lu;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    xh_view_t l1 = {h->L1, h->jb, h->jb, h->jb};

    if (!hyb_lu_owns(lu, k))
        set_form(lu, k, p->seal[HYB_SEAL_FORM] != 0.0);
    hyb_seal_arrive(lu->check, p);
    if (lu->mat->info == 0)
        lu->mat->info = (int)*h->DINFO;
    if (p->in_columns ? p->in_tiles
                      : hyb_resources_need_columns(&lu->resources))
        hyb_l2_convert_begin(p);
    if (lu->homes.team_end > 0)
        hyb_factors_pack_l1(l1, &p->factors.l1);
    list_moves(p, h->jb, lu->grid->nprow == 1);
    hyb_wide_join(lu, k);
}
