/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel.h"

#include "base/clock.h"
#include "base/memory.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/place.h"

/* ---- memory --------------------------------------------------------------
 */

/* Doubles of tiles with rows x cols, as a multiple of a cache line. */
static size_t tile_doubles(int64_t rows, int64_t cols, int height)
{
    enum { LINE = 8 };

    return ((size_t)hyb_pack_size(rows, cols, height) + LINE - 1) / LINE * LINE;
}

static int64_t body_rows(const HPL_T_panel *panel)
{
    return panel->mp - hpl_panel_top_rows(panel);
}

size_t hyb_panel_doubles(const hpl_shape_t *shape, int k, int height)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    int64_t first = (int64_t)k * shape->nb;
    int64_t jb = Mmin(shape->nb, shape->n - first);
    int64_t body =
        hpl_map_count(&rows, shape->n) - hpl_map_count(&rows, first + jb);

    return tile_doubles(body, jb, height) + tile_doubles(jb, jb, height) +
           (size_t)(jb * jb + jb + 1);
}

/* Doubles of the working memory, part by part: whole pages each. */
typedef struct {
    size_t l1;       /* of each panel in flight */
    size_t top;      /* of the panel being factored */
    size_t proposal; /* of its pivots */
} parts_t;

static parts_t parts_of(const hyb_means_t *means, int64_t nb)
{
    return (parts_t){
        .l1 = hyb_whole_pages(hyb_pack_size(nb, nb, means->kernel->rows)),
        .top = hyb_whole_pages(nb * nb),
        .proposal = hyb_whole_pages(HPL_PROPOSAL_ROWS + 2 * nb)};
}

static size_t sum(const parts_t *parts)
{
    return HYB_IN_FLIGHT * parts->l1 + parts->top + 2 * parts->proposal;
}

uint64_t hyb_panels_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    int nb = Mmin(shape->nb, shape->n), k;
    int panels = shape->nb > 0 ? (shape->n + shape->nb - 1) / shape->nb : 0;
    parts_t parts = parts_of(means, nb);
    size_t doubles =
        sum(&parts) +
        hyb_panel_engine_doubles(means->kernel, nb, hyb_team_size(means->team));

    for (k = 0; k < Mmin(panels, HYB_IN_FLIGHT); k++)
        doubles += hyb_panel_doubles(shape, k, means->kernel->rows);
    return doubles * sizeof(double);
}

static double *cut(double **memory, size_t doubles)
{
    double *part = *memory;

    *memory += doubles;
    return doubles > 0 ? part : NULL;
}

static void lay_out(hyb_panels_t *p, const parts_t *parts)
{
    double *memory = p->memory;
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++)
        p->ring[i].factors.l1.data = cut(&memory, parts->l1);
    p->top = cut(&memory, parts->top);
    p->proposal = cut(&memory, parts->proposal);
    p->others_proposal = cut(&memory, parts->proposal);
}

static xh_status_t allocate(hyb_lu_t *lu, int nb)
{
    hyb_panels_t *p = &lu->panel;
    parts_t parts = parts_of(&lu->means, nb);
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        p->ring[i].moves = calloc(3 * (size_t)nb + 1, sizeof(int));
        if (p->ring[i].moves == NULL)
            return XH_ERR_MEMORY;
    }
    p->pivots = calloc((size_t)nb + 1, sizeof(*p->pivots));
    p->bytes = sum(&parts) * sizeof(double);
    if (p->pivots == NULL ||
        xh_memory_allocate(p->bytes, (void **)&p->memory) != XH_OK)
        return XH_ERR_MEMORY;
    lay_out(p, &parts);
    return hyb_panel_engine_create(lu->means.team, lu->means.kernel, nb,
                                   &p->engine);
}

/* The place of panel k; nothing travels yet. */
static void place_panel(hyb_lu_t *lu, int k);

/* The pages of a panel are backed by all members, each its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;
    int i;

    xh_memory_touch(lu->panel.memory, lu->panel.bytes, member,
                    lu->workers.count);
    for (i = 0; i < Mmin(lu->panels, HYB_IN_FLIGHT); i++) {
        const HPL_T_panel *panel = lu->panel.ring[i].hpl;

        xh_memory_touch(panel->WORK, panel->length * sizeof(double), member,
                        lu->workers.count);
    }
}

/* The first panels have the memory that those to come need. */
xh_status_t hyb_panels_create(hyb_lu_t *lu)
{
    xh_status_t status = allocate(lu, Mmin(lu->mat->nb, lu->mat->n));
    int k;

    lu->panel.factored = -1;
    if (status != XH_OK)
        return status;
    for (k = 0; k < Mmin(lu->panels, HYB_IN_FLIGHT); k++)
        place_panel(lu, k);
    hyb_team_run(lu->means.team, touch_share, lu);
    return XH_OK;
}

void hyb_panels_destroy(hyb_panels_t *p)
{
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        if (p->ring[i].hpl != NULL) {
            HPL_bwait(p->ring[i].hpl);
            HPL_pdpanel_disp(&p->ring[i].hpl);
        }
        free(p->ring[i].moves);
    }
    free(p->pivots);
    if (p->memory != NULL)
        xh_memory_free(p->memory, p->bytes);
    hyb_panel_engine_destroy(p->engine);
}

/* ---- opening -------------------------------------------------------------
 */

static void place_panel(hyb_lu_t *lu, int k)
{
    enum { TAGS = 32768 }; /* the least that MPI offers */
    HPL_T_pmat *mat = lu->mat;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int first = k * mat->nb, jb = Mmin(mat->nb, mat->n - first);
    int m = mat->n - first, height = lu->means.kernel->rows;

    if (p->hpl != NULL)
        HPL_bwait(p->hpl);
    p->travels = false;
    if (p->hpl == NULL)
        HPL_pdpanel_new(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                        k % TAGS, &p->hpl);
    else
        HPL_pdpanel_init(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                         k % TAGS, p->hpl);
    p->factors.kernel = lu->means.kernel;
    p->factors.l2 =
        (hyb_tiles_t){.rows = body_rows(p->hpl), .cols = jb, .height = height};
    hpl_panel_lay_out(p->hpl, tile_doubles(p->factors.l2.rows, jb, height));
    p->factors.l2.data = p->hpl->L2;
    p->factors.l1.height = height;
    p->zero = 0;
    atomic_store(&p->loaded, 0);
}

void hyb_panel_open(hyb_lu_t *lu, int k)
{
    if (k >= lu->panels)
        return;
    place_panel(lu, k);
    if (!hyb_lu_owns(lu, k))
        hyb_panel_broadcast(lu, k);
}

/* ---- factoring -----------------------------------------------------------
 */

/* Copy this worker's share of the panel's columns into tiles. */
static void load(hyb_lu_t *lu, int k, int member, int members)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    hyb_place_t *home =
        hyb_home_of(&lu->homes, hyb_lu_trailing(lu, k - 1).from);
    xh_view_t all = home->ops->panel_columns(home, k);
    int top = hpl_panel_top_rows(p->hpl), height = p->factors.l2.height;
    int64_t rows = p->factors.l2.rows, tiles = (rows + height - 1) / height;
    int64_t from = tiles * member / members * height;
    int64_t to = Mmin(tiles * (member + 1) / members * height, rows);

    if (to > from)
        hyb_pack(xh_view_part(all, top + from, 0, to - from, all.cols),
                 XH_NO_TRANS, 1.0, height,
                 hyb_tiles_at(&p->factors.l2, from, 0));
    if (member == 0 && top > 0)
        HPL_dlacpy(top, (int)all.cols, all.data, (int)all.ld, lu->panel.top,
                   top);
}

typedef struct {
    hyb_awaited_t awaited;
    int members;
} loading_t;

static bool all_have_loaded(void *context)
{
    const loading_t *l = context;

    return atomic_load(&hyb_lu_panel(l->awaited.lu, l->awaited.k)->loaded) >=
           l->members;
}

typedef struct {
    hyb_lu_t *lu;
    HPL_T_panel *panel;
    int turns; /* of waiting for the pivot */
} agreement_t;

static int64_t global_row(const HPL_T_panel *panel, int64_t local)
{
    hpl_map_t rows = hpl_map(panel->nb, panel->grid->nprow, panel->grid->myrow);

    return hpl_map_global(&rows, panel->ii + local);
}

/* Without helping devices: other processes wait for this column. */
static void wait_for_pivot(void *context)
{
    agreement_t *a = context;

    hyb_poller_poll(&a->lu->poller);
    hyb_wait_turn(&a->turns);
}

void hyb_panel_agree(HPL_T_panel *panel, double *proposal,
                     const hpl_pivot_wait_t *wait, hyb_pivot_t *pivot)
{
    size_t row = (size_t)panel->jb * sizeof(double);
    double *candidate = proposal + HPL_PROPOSAL_ROWS;

    proposal[HPL_PROPOSAL_KEY] = pivot->key;
    proposal[HPL_PROPOSAL_ROW] = (double)pivot->row;
    proposal[HPL_PROPOSAL_OWNER] = panel->grid->myrow;
    proposal[HPL_PROPOSAL_HAS_CURRENT] = hpl_panel_top_rows(panel) > 0;
    memcpy(candidate, pivot->candidate, row);
    memcpy(candidate + panel->jb, pivot->current, row);
    hpl_pivot_agree(panel, proposal, wait);
    pivot->mine = (int)proposal[HPL_PROPOSAL_OWNER] == panel->grid->myrow;
    pivot->row = (int64_t)proposal[HPL_PROPOSAL_ROW];
    memcpy(pivot->candidate, candidate, row);
    memcpy(pivot->current, candidate + panel->jb, row);
}

/* The pivot of one column; broadcasts move on meanwhile. */
static void agree(void *context, int column, hyb_pivot_t *pivot)
{
    agreement_t *a = context;
    hpl_pivot_wait_t wait = {a->lu->panel.others_proposal, wait_for_pivot, a};

    (void)column;
    pivot->row = global_row(a->panel, pivot->row);
    pivot->mine = true;
    a->turns = 0;
    if (a->panel->grid->nprow > 1)
        hyb_panel_agree(a->panel, a->lu->panel.proposal, &wait, pivot);
    else
        hyb_poller_poll(&a->lu->poller);
}

/* Without the option nobody reads upstream's timer of the leaves. */
#ifdef HPL_DETAILED_TIMING
static const bool times_leaves = true;
#else
static const bool times_leaves = false;
#endif

static void toggle_leaf_timer(void *context)
{
    (void)context;
    HPL_ptimer(HPL_TIMING_PFACT);
}

static hyb_panel_variant_t variant(HPL_T_FACT fact)
{
    if (fact == HPL_LEFT_LOOKING)
        return HYB_LEFT;
    return fact == HPL_CROUT ? HYB_CROUT : HYB_RIGHT;
}

static hyb_panel_method_t method(const HPL_T_palg *algo)
{
    return (hyb_panel_method_t){.base = variant(algo->pfact),
                                .recursion = variant(algo->rfact),
                                .base_cols = algo->nbmin,
                                .parts = algo->nbdiv};
}

/* Are there others to agree with, or to look after, at each column? */
static bool agrees(const hyb_lu_t *lu)
{
    return lu->grid->nprocs > 1 || lu->share != NULL ||
           hyb_homes_resident(&lu->homes);
}

/* What other processes and back-substitution read of a factored panel. */
static void record(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    const int64_t *pivots = lu->panel.pivots;
    bool local = !agrees(lu);
    int c;

    for (c = 0; c < h->jb; c++)
        h->DPIV[c] = (double)(local ? global_row(h, pivots[c]) : pivots[c]);
    *h->DINFO = p->zero > 0 ? (double)h->ja + p->zero : 0.0;
    if (hpl_panel_top_rows(h) > 0)
        HPL_dlacpy(h->jb, h->jb, h->L1, h->jb, h->top, h->lda);
    lu->panel.factored = k;
}

static void factor(hyb_worker_t *me, int k, int members)
{
    hyb_lu_t *lu = me->lu;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    agreement_t agreement = {.lu = lu, .panel = h};
    hyb_panel_t panel = {
        .method = method(lu->algo),
        .body = p->factors.l2,
        .top = {lu->panel.top, hpl_panel_top_rows(h), h->jb, h->jb},
        .l1 = {h->L1, h->jb, h->jb, h->jb},
        .pivot = lu->panel.pivots,
        .zero_p = &p->zero,
        .agree = agrees(lu) ? agree : NULL,
        .leaf = times_leaves ? toggle_leaf_timer : NULL,
        .context = &agreement};
    loading_t loading = {{.lu = lu, .k = k}, members};

    /* All must have loaded before any may exchange rows. */
    load(lu, k, me->member, members);
    atomic_fetch_add(&p->loaded, 1);
    hyb_wait_until(all_have_loaded, &loading, hyb_worker_turn, me);
    hyb_panel_factor(lu->panel.engine, &panel, me->member, members);
    if (me->member == 0)
        record(lu, k);
}

void hyb_panel_factor_by(hyb_worker_t *me, int k, int members)
{
    hyb_lu_t *lu = me->lu;
    double started = xh_clock_now(), ended;

    hyb_timer_begin(lu->workers.timer, me->member, HYB_PANEL, k);
    if (me->member == 0)
        HPL_ptimer(HPL_TIMING_RPFACT);
    factor(me, k, members);
    if (me->member == 0)
        HPL_ptimer(HPL_TIMING_RPFACT);
    ended = hyb_timer_end(lu->workers.timer, me->member, HYB_PANEL, k, started);
    if (me->member == 0)
        hyb_tune_panel(lu, k, members, ended - started);
}

/* ---- broadcast -----------------------------------------------------------
 */

void hyb_panel_broadcast(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    hyb_timer_mark_t mark =
        hyb_timer_enter(lu->workers.timer, 0, HYB_BROADCAST, k);

    HPL_binit(p->hpl);
    p->travels = p->hpl->bcast != NULL;
    hyb_timer_leave(lu->workers.timer, 0, mark);
}

void hyb_panel_poll(void *context)
{
    hyb_lu_t *lu = context;
    hyb_timer_mark_t mark;
    int i, state;

    for (i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_lu_panel_t *p = &lu->panel.ring[i];

        if (!p->travels)
            continue;
        mark = hyb_timer_enter(lu->workers.timer, 0, HYB_BROADCAST,
                               atomic_load(&lu->open) - 1);
        p->travels = HPL_bcast(p->hpl, &state) != HPL_SUCCESS;
        hyb_timer_leave(lu->workers.timer, 0, mark);
    }
}

bool hyb_panels_are_still(const hyb_lu_t *lu)
{
    int i;

    for (i = 0; i < HYB_IN_FLIGHT; i++)
        if (lu->panel.ring[i].travels)
            return false;
    return true;
}

bool hyb_panel_is_here(hyb_lu_t *lu, int k)
{
    int state;

    if (hyb_lu_owns(lu, k))
        return lu->panel.factored >= k;
    return HPL_bcast(hyb_lu_panel(lu, k)->hpl, &state) == HPL_SUCCESS;
}

/* The permutation as lists for hyb_chunk_swap, or where rows come to stand. */
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

void hyb_panel_receive(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    xh_view_t l1 = {h->L1, h->jb, h->jb, h->jb};

    if (!hyb_lu_owns(lu, k))
        HPL_bwait(h);
    if (lu->mat->info == 0)
        lu->mat->info = (int)*h->DINFO;
    hyb_factors_pack_l1(l1, &p->factors.l1);
    list_moves(p, h->jb, lu->grid->nprow == 1);
}
