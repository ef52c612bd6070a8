/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/panels.h"

#include "hpl/panel/panel.h"
#include "hpl/pfact/pivot.h"
#include "hybrid/lu/agenda.h"
#include "hybrid/node/waiting.h"
#include "hybrid/cpu/pack.h"

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

size_t hyb_panels_doubles(const hpl_shape_t *shape, int k, int height)
{
    hpl_map_t rows = hpl_map(shape->nb, shape->nprow, shape->myrow);
    int64_t first = (int64_t)k * shape->nb;
    int64_t jb = Mmin(shape->nb, shape->n - first);
    int64_t body =
        hpl_map_count(&rows, shape->n) - hpl_map_count(&rows, first + jb);

    return tile_doubles(body, jb, height) + tile_doubles(jb, jb, height) +
           (size_t)(jb * jb + jb + 1);
}

void hyb_panels_open(hyb_lu_t *lu, int k)
{
    enum { TAGS = 32768 }; /* the least that MPI offers */
    HPL_T_pmat *mat = lu->mat;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int first = k * mat->nb, jb = Mmin(mat->nb, mat->n - first);
    int m = mat->n - first;

    if (p->hpl != NULL)
        HPL_bwait(p->hpl);
    p->travels = false;
    if (p->hpl == NULL)
        HPL_pdpanel_new(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                        k % TAGS, &p->hpl);
    else
        HPL_pdpanel_init(lu->grid, lu->algo, m, m + 1, jb, mat, first, first,
                         k % TAGS, p->hpl);
    p->factors.kernel = lu->kernel;
    p->factors.l2 = (hyb_tiles_t){
        .rows = body_rows(p->hpl), .cols = jb, .height = lu->kernel->rows};
    hpl_panel_lay_out(
        p->hpl, tile_doubles(p->factors.l2.rows, jb, p->factors.l2.height));
    p->factors.l2.data = p->hpl->L2;
    p->factors.l1.height = lu->kernel->rows;
    p->zero = 0;
    atomic_store(&p->loaded, 0);
}

/* ---- factoring -----------------------------------------------------------
 */

/* Copy this member's share of the panel's columns into tiles. */
static void load(hyb_lu_t *lu, hyb_lu_panel_t *p, int member, int members)
{
    const HPL_T_panel *h = p->hpl;
    int top = hpl_panel_top_rows(h), height = p->factors.l2.height;
    int64_t rows = p->factors.l2.rows, tiles = (rows + height - 1) / height;
    int64_t from = tiles * member / members * height;
    int64_t to = Mmin(tiles * (member + 1) / members * height, rows);
    xh_view_t body = {h->top + top + from, to - from, h->jb, h->lda};
    xh_view_t mine = {lu->top, top, h->jb, h->jb};

    if (to > from)
        hyb_pack(body, XH_NO_TRANS, 1.0, height,
                 hyb_tiles_at(&p->factors.l2, from, 0));
    if (member == 0 && mine.rows > 0)
        HPL_dlacpy(top, h->jb, h->top, h->lda, mine.data, h->jb);
}

/*
 * All must have loaded before any may exchange rows. Who comes late may wait
 * for what the leader receives.
 */
static void load_together(hyb_lu_t *lu, hyb_lu_panel_t *p, int member,
                          int members)
{
    int turns = 0;

    load(lu, p, member, members);
    atomic_fetch_add(&p->loaded, 1);
    while (atomic_load(&p->loaded) < members) {
        if (member == 0)
            hyb_agenda_poll(lu);
        hyb_wait_turn(&turns);
    }
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

    hyb_agenda_poll(a->lu);
    hyb_wait_turn(&a->turns);
}

void hyb_panels_agree(HPL_T_panel *panel, double *proposal,
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
    hpl_pivot_wait_t wait = {a->lu->others_proposal, wait_for_pivot, a};

    (void)column;
    pivot->row = global_row(a->panel, pivot->row);
    pivot->mine = true;
    a->turns = 0;
    if (a->panel->grid->nprow > 1)
        hyb_panels_agree(a->panel, a->lu->proposal, &wait, pivot);
    else
        hyb_agenda_poll(a->lu);
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
    return lu->grid->nprocs > 1 || lu->devices != NULL;
}

/* What other processes and back-substitution read of a factored panel. */
static void record(hyb_lu_t *lu, hyb_lu_panel_t *p)
{
    HPL_T_panel *h = p->hpl;
    bool local = !agrees(lu);
    int c;

    for (c = 0; c < h->jb; c++)
        h->DPIV[c] =
            (double)(local ? global_row(h, lu->pivots[c]) : lu->pivots[c]);
    *h->DINFO = p->zero > 0 ? (double)h->ja + p->zero : 0.0;
    if (hpl_panel_top_rows(h) > 0)
        HPL_dlacpy(h->jb, h->jb, h->L1, h->jb, h->top, h->lda);
}

void hyb_panels_factor(hyb_lu_t *lu, int k, int member, int members)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    agreement_t agreement = {.lu = lu, .panel = h};
    hyb_panel_t panel = {.method = method(lu->algo),
                         .body = p->factors.l2,
                         .top = {lu->top, hpl_panel_top_rows(h), h->jb, h->jb},
                         .l1 = {h->L1, h->jb, h->jb, h->jb},
                         .pivot = lu->pivots,
                         .zero_p = &p->zero,
                         .agree = agrees(lu) ? agree : NULL,
                         .leaf = times_leaves ? toggle_leaf_timer : NULL,
                         .context = &agreement};

    load_together(lu, p, member, members);
    hyb_panel_factor(lu->engine, &panel, member, members);
    if (member == 0)
        record(lu, p);
}

/* ---- broadcast -----------------------------------------------------------
 */

void hyb_panels_broadcast(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    hyb_timer_mark_t mark = hyb_timer_enter(lu->spent, 0, HYB_BROADCAST, k);

    HPL_binit(p->hpl);
    p->travels = p->hpl->bcast != NULL;
    hyb_timer_leave(lu->spent, 0, mark);
}

bool hyb_panels_arrived(hyb_lu_t *lu, int k)
{
    int state;

    if (hyb_lu_owns(lu, k))
        return lu->factored >= k;
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

void hyb_panels_prepare(hyb_lu_t *lu, int k)
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
