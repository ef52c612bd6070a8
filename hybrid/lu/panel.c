/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panel.h"

#include "base/clock.h"
#include "base/memory.h"
#include "hpl/panel/panel.h"
#include "hpl/solver/system.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/lu.h"

enum { COLUMNS = 2 }; /* copies of L2: of iterations k and k + 1 */

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

/* What factors the panels in flight, and their memory beside the messages:
 * whole pages each. */
struct hyb_panel_shop {
    hyb_panel_engine_t *engine;
    int64_t *pivots; /* nb */
    double *top;     /* nb x nb: the top of the panel being factored */
    double *proposal, *others_proposal;
    double *l1[HYB_IN_FLIGHT];
    double *columns[COLUMNS]; /* of L2, where someone reads it so */
    size_t columns_doubles;   /* of one */
    double *memory;
    size_t bytes;
};

/* The next doubles of the memory that was laid out up to at. */
static double *cut(const struct hyb_panel_shop *shop, size_t *at,
                   size_t doubles)
{
    size_t from = *at;

    *at += doubles;
    return shop->memory != NULL ? shop->memory + from : NULL;
}

/* Cut the memory, if there is any, into its parts; returns its doubles. */
static size_t lay_out(struct hyb_panel_shop *s, const hyb_means_t *means,
                      int64_t rows, int64_t nb)
{
    size_t at = 0, proposal = hyb_whole_pages(HPL_PROPOSAL_ROWS + 2 * nb);

    s->columns_doubles =
        hyb_means_need_columns(means) ? hyb_whole_pages(rows * nb + 1) : 0;
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        s->l1[i] =
            cut(s, &at,
                hyb_whole_pages(hyb_pack_size(nb, nb, means->kernel->rows)));
    s->top = cut(s, &at, hyb_whole_pages(nb * nb));
    s->proposal = cut(s, &at, proposal);
    s->others_proposal = cut(s, &at, proposal);
    for (int i = 0; i < COLUMNS; i++)
        s->columns[i] = cut(s, &at, s->columns_doubles);
    return at;
}

uint64_t hyb_panels_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    int nb = Mmin(shape->nb, shape->n);
    int panels = shape->nb > 0 ? (shape->n + shape->nb - 1) / shape->nb : 0;
    struct hyb_panel_shop shop = {.memory = NULL};
    size_t doubles =
        lay_out(&shop, means, hpl_system_rows(shape), nb) +
        hyb_panel_engine_doubles(means->kernel, nb, hyb_team_size(means->team));

    for (int k = 0; k < Mmin(panels, HYB_IN_FLIGHT); k++)
        doubles += hyb_panel_doubles(shape, k, means->kernel->rows);
    return doubles * sizeof(double);
}

/* The place of panel k; nothing travels yet. */
static void place_panel(hyb_lu_t *lu, int k);

/* The pages of a panel are backed by all members, each its part. */
static void touch_share(void *context, int member)
{
    hyb_lu_t *lu = context;
    const struct hyb_panel_shop *s = lu->panel[0].shop;
    int members = hyb_team_size(lu->means.team);

    xh_memory_touch(s->memory, s->bytes, member, members);
    for (int i = 0; i < Mmin(lu->panels, HYB_IN_FLIGHT); i++) {
        const HPL_T_panel *panel = lu->panel[i].hpl;

        xh_memory_touch(panel->WORK, panel->length * sizeof(double), member,
                        members);
    }
}

/* The first panels have the memory that those to come need. */
xh_status_t hyb_panels_create(hyb_lu_t *lu)
{
    const hyb_means_t *means = &lu->means;
    int nb = Mmin(lu->mat->nb, lu->mat->n);
    struct hyb_panel_shop *s = calloc(1, sizeof(*s));

    if (s == NULL)
        return XH_ERR_MEMORY;
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        lu->panel[i].shop = s;
        lu->panel[i].moves = calloc(3 * (size_t)nb + 1, sizeof(int));
        if (lu->panel[i].moves == NULL)
            return XH_ERR_MEMORY;
    }
    s->pivots = calloc((size_t)nb + 1, sizeof(*s->pivots));
    if (s->pivots == NULL)
        return XH_ERR_MEMORY;
    s->bytes = lay_out(s, means, lu->mat->mp, nb) * sizeof(double);
    XH_TRY(xh_memory_allocate(s->bytes, (void **)&s->memory));
    lay_out(s, means, lu->mat->mp, nb);
    XH_TRY(hyb_panel_engine_create(means->team, means->kernel, nb, &s->engine));
    for (int k = 0; k < Mmin(lu->panels, HYB_IN_FLIGHT); k++)
        place_panel(lu, k);
    hyb_team_run(means->team, touch_share, lu);
    return XH_OK;
}

void hyb_panels_destroy(hyb_lu_t *lu)
{
    struct hyb_panel_shop *s = lu->panel[0].shop;

    if (s == NULL)
        return;
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        if (lu->panel[i].hpl != NULL) {
            HPL_bwait(lu->panel[i].hpl);
            HPL_pdpanel_disp(&lu->panel[i].hpl);
        }
        free(lu->panel[i].moves);
    }
    free(s->pivots);
    if (s->memory != NULL)
        xh_memory_free(s->memory, s->bytes);
    hyb_panel_engine_destroy(s->engine);
    free(s);
}

double *hyb_panels_columns(hyb_lu_t *lu, size_t *bytes_p)
{
    const struct hyb_panel_shop *s = lu->panel[0].shop;

    *bytes_p = s != NULL ? COLUMNS * s->columns_doubles * sizeof(double) : 0;
    return s != NULL ? s->columns[0] : NULL;
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
    p->factors.l1.data = p->shop->l1[k % HYB_IN_FLIGHT];
    p->factors.l1.height = height;
    p->zero = 0;
    p->factored = false;
    atomic_store(&p->loaded, 0);
}

void hyb_panel_open(hyb_lu_t *lu, int k)
{
    if (k >= lu->panels)
        return;
    place_panel(lu, k);
    if (!hyb_lu_owns(lu, k))
        hyb_panel_broadcast(lu->worker, k);
}

/* ---- factoring -----------------------------------------------------------
 */

/* Copy this worker's share of the panel's columns into tiles. */
static void load(hyb_lu_t *lu, int k, int member, int members)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    hyb_place_t *home =
        hyb_home_of(&lu->homes, hyb_lu_trailing(lu, k - 1).from);
    xh_view_t all = home->panel_columns(home, k);
    int top = hpl_panel_top_rows(p->hpl), height = p->factors.l2.height;
    int64_t rows = p->factors.l2.rows, tiles = (rows + height - 1) / height;
    int64_t from = tiles * member / members * height;
    int64_t to = Mmin(tiles * (member + 1) / members * height, rows);

    if (to > from)
        hyb_pack(xh_view_part(all, top + from, 0, to - from, all.cols),
                 XH_NO_TRANS, 1.0, height,
                 hyb_tiles_at(&p->factors.l2, from, 0));
    if (member == 0 && top > 0)
        HPL_dlacpy(top, (int)all.cols, all.data, (int)all.ld, p->shop->top,
                   top);
}

typedef struct {
    const hyb_lu_panel_t *panel;
    int members;
} loading_t;

static bool all_have_loaded(void *context)
{
    const loading_t *l = context;

    return atomic_load(&l->panel->loaded) >= l->members;
}

typedef struct {
    hyb_lu_t *lu;
    const hyb_lu_panel_t *panel;
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
    const struct hyb_panel_shop *shop = a->panel->shop;
    hpl_pivot_wait_t wait = {shop->others_proposal, wait_for_pivot, a};
    HPL_T_panel *h = a->panel->hpl;

    (void)column;
    pivot->row = global_row(h, pivot->row);
    pivot->mine = true;
    a->turns = 0;
    if (h->grid->nprow > 1)
        hyb_panel_agree(h, shop->proposal, &wait, pivot);
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
static void record(hyb_lu_t *lu, hyb_lu_panel_t *p)
{
    HPL_T_panel *h = p->hpl;
    const int64_t *pivots = p->shop->pivots;
    bool local = !agrees(lu);

    for (int c = 0; c < h->jb; c++)
        h->DPIV[c] = (double)(local ? global_row(h, pivots[c]) : pivots[c]);
    *h->DINFO = p->zero > 0 ? (double)h->ja + p->zero : 0.0;
    if (hpl_panel_top_rows(h) > 0)
        HPL_dlacpy(h->jb, h->jb, h->L1, h->jb, h->top, h->lda);
    p->factored = true;
}

static void toggle(const hyb_worker_t *me)
{
    if (me->member == 0)
        HPL_ptimer(HPL_TIMING_RPFACT);
}

void hyb_panel_factor_by(hyb_worker_t *me, int k, int members)
{
    hyb_lu_t *lu = me->lu;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    agreement_t agreement = {.lu = lu, .panel = p};
    hyb_panel_t panel = {
        .method = method(lu->algo),
        .body = p->factors.l2,
        .top = {p->shop->top, hpl_panel_top_rows(h), h->jb, h->jb},
        .l1 = {h->L1, h->jb, h->jb, h->jb},
        .pivot = p->shop->pivots,
        .zero_p = &p->zero,
        .agree = agrees(lu) ? agree : NULL,
        .leaf = times_leaves ? toggle_leaf_timer : NULL,
        .context = &agreement};
    loading_t loading = {p, members};
    double seconds;

    hyb_timer_begin(me, HYB_PANEL, k);
    toggle(me);
    /* All must have loaded before any may exchange rows. */
    load(lu, k, me->member, members);
    atomic_fetch_add(&p->loaded, 1);
    me->is_urgent = true;
    hyb_wait_until(all_have_loaded, &loading, hyb_worker_turn, me);
    me->is_urgent = false;
    hyb_panel_factor(p->shop->engine, &panel, me->member, members);
    if (me->member == 0)
        record(lu, p);
    toggle(me);
    seconds = hyb_timer_end(me);
    if (me->member == 0)
        hyb_tune_panel(lu, k, members, seconds);
}

/* ---- broadcast -----------------------------------------------------------
 */

void hyb_panel_broadcast(hyb_worker_t *me, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(me->lu, k);

    if (me->member != 0)
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
        hyb_lu_panel_t *p = &lu->panel[i];

        if (!p->travels)
            continue;
        hyb_timer_begin(lu->worker, HYB_BROADCAST,
                        Mmax(atomic_load(&lu->open) - 1, 0));
        p->travels = HPL_bcast(p->hpl, &state) != HPL_SUCCESS;
        hyb_timer_end(lu->worker);
    }
}

bool hyb_panels_are_still(const hyb_lu_t *lu)
{
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        if (lu->panel[i].travels)
            return false;
    return true;
}

bool hyb_panel_is_here(hyb_lu_t *lu, int k)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int state;

    return hyb_lu_owns(lu, k) ? p->factored
                              : HPL_bcast(p->hpl, &state) == HPL_SUCCESS;
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
    p->columns = (xh_view_t){p->shop->columns[k % COLUMNS], p->factors.l2.rows,
                             h->jb, Mmax(p->factors.l2.rows, 1)};
    if (p->columns.data != NULL)
        hyb_l2_columns_begin(p);
    hyb_factors_pack_l1(l1, &p->factors.l1);
    list_moves(p, h->jb, lu->grid->nprow == 1);
}
