/* SPDX-License-Identifier: BSD-3-Clause */

#include "hpl/panel/panel.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/seal.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"

/* ---- by the team --------------------------------------------------------- */

/* Copy this worker's share of the panel's columns into tiles. */
static void load(hyb_lu_t *lu, int k, int member, int members)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    hyb_place_t *home = hyb_lu_panel_place(lu, k);
    xh_view_t all = home->panel_columns(home, k);
    int top = hpl_panel_top_rows(p->hpl), height = p->factors.l2.height;
    int64_t rows = p->factors.l2.rows, tiles = xh_units(rows, height);
    int64_t from = tiles * member / members * height;
    int64_t to = Mmin(tiles * (member + 1) / members * height, rows);

    if (to > from)
        hyb_pack(xh_view_part(all, top + from, 0, to - from, all.cols),
                 XH_NO_TRANS, 1.0, height,
                 hyb_tiles_at(&p->factors.l2, from, 0));
}

static xh_view_t all_columns(hyb_lu_t *lu, int k)
{
    hyb_place_t *home = hyb_lu_panel_place(lu, k);

    return home->panel_columns(home, k);
}

/* The panel's top in its home, where it is here. */
static xh_view_t top_of(hyb_lu_t *lu, int k)
{
    xh_view_t all = all_columns(lu, k);

    return xh_view_part(all, 0, 0, hpl_panel_top_rows(hyb_lu_panel(lu, k)->hpl),
                        all.cols);
}

/* How many workers factor panel k? */
static int factoring_members(hyb_lu_t *lu, int k)
{
    return k == lu->range.first ? hyb_team_size(lu->resources.team)
                                : hyb_lu_step(lu, k - 1)->panel_threads;
}

static bool all_have_loaded(hyb_lu_t *lu, int k)
{
    return atomic_load(&hyb_lu_panel(lu, k)->loaded) >=
           factoring_members(lu, k);
}

typedef struct {
    hyb_lu_t *lu;
    int k, column;
} agreement_t;

static int64_t global_row(const HPL_T_panel *panel, int64_t local)
{
    hpl_map_t rows = hpl_map(panel->nb, panel->grid->nprow, panel->grid->myrow);

    return hpl_map_global(&rows, panel->ii + local);
}

/* Poll without helping devices: other processes wait for this column. */
static bool poll_others(void *lu)
{
    hyb_poller_poll(&((hyb_lu_t *)lu)->poller);
    return false;
}

static void wait_for_pivot(bool (*is_so)(void *subject), void *subject,
                           void *lu)
{
    hyb_wait_until(is_so, subject, poll_others, lu);
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

/* Agree on the pivot of one column; broadcasts move on meanwhile. */
static void agree(void *context, hyb_pivot_t *pivot)
{
    agreement_t *a = context;
    const hyb_lu_panel_t *panel = hyb_lu_panel(a->lu, a->k);
    const hyb_panel_workspace_t *workspace = panel->workspace;
    hpl_pivot_wait_t wait = {workspace->others_proposal, wait_for_pivot, a->lu};
    HPL_T_panel *h = panel->hpl;

    pivot->row = global_row(h, pivot->row);
    pivot->mine = true;
    hyb_timer_step(a->lu->worker);
    if (h->grid->nprow == 1) {
        hyb_poller_poll(&a->lu->poller);
        return;
    }
    hyb_panel_agree(h, workspace->proposal, &wait, pivot);
    hyb_check_columns_save_pivot_row(a->lu->check, h, a->column++, pivot);
}

/* Without this option nobody reads HPL's timer of the recursion's leaves. */
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

/* Is there anything to agree on with other processes, or to poll for, at each
 * column? */
static bool agrees(const hyb_lu_t *lu)
{
    return lu->grid->nprocs > 1 || lu->visits != NULL || lu->homes.resident;
}

/* Record what other processes and the back-substitution read of a factored
 * panel. */
static void record(hyb_lu_t *lu, hyb_lu_panel_t *p)
{
    HPL_T_panel *h = p->hpl;
    const int64_t *pivots = p->workspace->pivots;
    bool local = !agrees(lu);

    for (int c = 0; c < h->jb; c++)
        h->DPIV[c] = (double)(local ? global_row(h, pivots[c]) : pivots[c]);
    *h->DINFO = p->zero > 0 ? (double)h->ja + p->zero : 0.0;
    if (hpl_panel_top_rows(h) > 0)
        HPL_dlacpy(h->jb, h->jb, h->L1, h->jb, h->top, h->lda);
    p->factored = true;
}

/* ---- by a device --------------------------------------------------------- */

/* May panel k be copied down? If panels share memory for L2, other devices may
 * still read panel k - 1 there. */
static bool can_come_down(hyb_lu_t *lu, int k)
{
    return !hyb_lu_panel(lu, k)->workspace->shares_l2 ||
           hyb_homes_have_panel(&lu->homes, k - 1);
}

static void queue_on_device(hyb_worker_t *leader, int k)
{
    hyb_place_t *home = hyb_lu_panel_place(leader->lu, k);
    agreement_t agreement = {.lu = leader->lu, .k = k};

    hyb_timer_begin(leader, HYB_PANEL, k);
    hyb_worker_wait_within(leader, k, can_come_down);
    home->factor_panel(home, k, agree, &agreement);
    hyb_lu_panel(leader->lu, k)->queued = true;
    hyb_timer_end(leader);
}

bool hyb_panel_take(hyb_lu_t *lu, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    hyb_place_t *home = hyb_lu_panel_place(lu, k);
    xh_view_t l1 = home->take_panel(home, k, p->workspace->pivots);

    if (l1.data == NULL)
        return false;
    hyb_timer_begin(lu->worker, HYB_PANEL, k);
    for (int c = 0; c < h->jb && lu->grid->nprow == 1; c++)
        p->workspace->pivots[c] = global_row(h, p->workspace->pivots[c]);
    HPL_dlacpy(h->jb, h->jb, l1.data, (int)l1.ld, h->L1, h->jb);
    for (int c = h->jb - 1; c >= 0; c--)
        if (h->L1[c + (size_t)c * (size_t)h->jb] == 0.0)
            p->zero = c + 1;
    record(lu, p);
    hyb_seal_take(lu->check, p);
    p->queued = false;
    hyb_timer_end(lu->worker);
    p->seconds = home->panel_seconds(home);
    return true;
}

/* Give the panel its seal once all members have summed their parts. */
static void seal(hyb_worker_t *me, int k)
{
    hyb_lu_panel_t *p = hyb_lu_panel(me->lu, k);

    hyb_seal_sum(me->lu->check, p);
    if (me->member > 0)
        return;
    hyb_worker_wait_within(me, k, hyb_seal_has_sum);
    hyb_seal_write(me->lu->check, p);
}

/* ---- either way ---------------------------------------------------------- */

void hyb_panel_factor_by(hyb_worker_t *me, int k)
{
    hyb_lu_t *lu = me->lu;
    hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    HPL_T_panel *h = p->hpl;
    agreement_t agreement = {.lu = lu, .k = k};
    hyb_panel_t panel = {.method = p->method,
                         .body = p->factors.l2,
                         .top = top_of(lu, k),
                         .l1 = {h->L1, h->jb, h->jb, h->jb},
                         .pivot = p->workspace->pivots,
                         .zero_p = &p->zero,
                         .agree = agrees(lu) ? agree : NULL,
                         .leaf = times_leaves ? toggle_leaf_timer : NULL,
                         .context = &agreement};
    int members = factoring_members(lu, k);
    double seconds;

    if (p->by_device) {
        if (me->member == 0)
            queue_on_device(me, k);
        return;
    }
    hyb_timer_begin(me, HYB_PANEL, k);
    hyb_worker_toggle(me, HPL_TIMING_RPFACT);
    /* All must have loaded before anyone may exchange rows. */
    load(lu, k, me->member, members);
    hyb_check_columns_panel(lu->check, p, all_columns(lu, k), me->member,
                            members);
    atomic_fetch_add(&p->loaded, 1);
    me->is_urgent = true;
    hyb_worker_wait_within(me, k, all_have_loaded);
    me->is_urgent = false;
    if (me->member == 0)
        hyb_seal_begin(lu->check, p);
    hyb_panel_factor(p->workspace->scratch, &panel, me->member, members);
    if (me->member == 0)
        record(lu, p);
    seal(me, k);
    hyb_worker_toggle(me, HPL_TIMING_RPFACT);
    seconds = hyb_timer_end(me);
    if (me->member > 0)
        return;
    p->threads = members;
    p->seconds = seconds;
}
