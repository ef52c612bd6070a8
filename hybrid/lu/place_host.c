/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/place.h"

#include "base/clock.h"
#include "hpl/panel/panel.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/l2_columns.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/share.h"

/* ---- where things are ----------------------------------------------------
 */

static hyb_lu_panel_t *panel_of(const hyb_place_work_t *w)
{
    return hyb_lu_panel(w->me->lu, w->step->k);
}

/* The run's columns from the panel's first row on. */
static xh_view_t trailing(const hyb_place_work_t *w)
{
    const HPL_T_panel *h = panel_of(w)->hpl;
    const HPL_T_pmat *mat = w->me->lu->mat;

    return (xh_view_t){Mptr(mat->A, h->ii, w->run.from, mat->ld), h->mp,
                       w->run.count, mat->ld};
}

/* The same below the top: what is multiplied. */
static xh_view_t below(const hyb_place_work_t *w)
{
    int top = hpl_panel_top_rows(panel_of(w)->hpl);
    xh_view_t all = trailing(w);

    return xh_view_part(all, top, 0, all.rows - top, all.cols);
}

/* Where the run's U is kept in columns: the matrix's top rows where these are
 * here, else beside the rows that arrive. */
static xh_view_t home_of_u(const hyb_place_work_t *w)
{
    const HPL_T_panel *h = panel_of(w)->hpl;
    const hyb_exchange_t *e = &w->me->lu->exchange;

    if (hpl_panel_top_rows(h) > 0)
        return xh_view_part(trailing(w), 0, 0, h->jb, w->run.count);
    return (xh_view_t){e->u + w->run.from * e->rows, h->jb, w->run.count,
                       h->jb};
}

/* Start or stop one of upstream's timers, which time the leader. */
static void toggle(const hyb_place_work_t *w, int timer)
{
    if (w->me->member == 0)
        HPL_ptimer(timer);
}

static double begin(const hyb_place_work_t *w, hyb_activity_t activity)
{
    hyb_timer_begin(w->me->lu->workers.timer, w->me->member, activity,
                    w->step->k);
    return xh_clock_now();
}

static void end(const hyb_place_work_t *w, hyb_activity_t activity,
                double started)
{
    hyb_timer_end(w->me->lu->workers.timer, w->me->member, activity, w->step->k,
                  started);
}

/* ---- swap and solve ------------------------------------------------------
 */

/* The run's rows of U, where they came from all processes. */
static hyb_arrived_t arrived(const hyb_place_work_t *w)
{
    int column;
    const hpl_exchange_t *x = hyb_exchange_of(w->me->lu, w->run, &column);
    const hyb_lu_panel_t *p = panel_of(w);

    return (hyb_arrived_t){.nb = p->hpl->jb,
                           .place = p->swap.source,
                           .data = x->gathered + column,
                           .ld = x->columns};
}

static void unpack_u(const hyb_place_work_t *w)
{
    const hyb_arrived_t rows = arrived(w);

    hyb_chunk_unpack_rows(w->me->lu->means.kernel, &rows, w->run.count,
                          w->me->u);
}

/* Rows that came from other processes: those displaced by U's, and U's. */
static void take_arrived(const hyb_place_work_t *w)
{
    int column;
    const hpl_exchange_t *x = hyb_exchange_of(w->me->lu, w->run, &column);

    hpl_exchange_settle(x, column, (int)w->run.count);
    unpack_u(w);
}

static void swap(const hyb_place_work_t *w)
{
    const hyb_lu_t *lu = w->me->lu;
    double started = begin(w, HYB_SWAP);

    toggle(w, HPL_TIMING_LASWP);
    if (lu->grid->nprow > 1)
        take_arrived(w);
    else
        hyb_chunk_swap(lu->means.kernel, &panel_of(w)->swap, trailing(w),
                       w->me->u);
    toggle(w, HPL_TIMING_LASWP);
    end(w, HYB_SWAP, started);
}

/* Is U kept where its rows arrived? The matrix has no room for it here then,
 * and nobody wants it in columns. */
static bool keeps_rows(const hyb_place_work_t *w)
{
    return hpl_panel_top_rows(panel_of(w)->hpl) == 0 &&
           !hyb_means_need_columns(&w->me->lu->means);
}

static void keep_u(const hyb_place_work_t *w)
{
    hyb_arrived_t rows;

    if (!keeps_rows(w)) {
        hyb_chunk_store(&panel_of(w)->factors, w->me->u, home_of_u(w));
        return;
    }
    rows = arrived(w);
    hyb_chunk_return_rows(w->me->lu->means.kernel, w->me->u, w->run.count,
                          &rows);
}

/* The back-substitution reads U where the matrix has its rows, the BLAS library
 * reads it everywhere. */
static void solve(const hyb_place_work_t *w, bool keeps)
{
    double started = begin(w, HYB_SOLVE);

    hyb_chunk_solve(&panel_of(w)->factors, w->run.count, w->me->u);
    if (keeps || hpl_panel_top_rows(panel_of(w)->hpl) > 0 ||
        w->me->lu->means.by_blas)
        keep_u(w);
    end(w, HYB_SOLVE, started);
}

static void fetch_u(const hyb_place_work_t *w)
{
    const hyb_means_t *means = &w->me->lu->means;

    if (means->by_blas)
        return;
    if (keeps_rows(w))
        unpack_u(w);
    else
        hyb_pack(home_of_u(w), XH_TRANS, -1.0, means->kernel->cols, w->me->u);
}

/* ---- multiply ------------------------------------------------------------
 */

static void poll(void *context)
{
    hyb_worker_t *me = context;

    if (me->member == 0)
        hyb_poller_poll(&me->lu->poller);
    else
        hyb_exchange_assist(me->lu, me->member);
}

static bool l2_is_complete(void *context)
{
    const hyb_awaited_t *awaited = context;

    return hyb_l2_columns_complete(awaited->lu->panel.l2, awaited->k);
}

/* C := C - L2 U, in steps of about a millisecond. */
static void call_blas(const hyb_place_work_t *w, const hyb_chunk_poll_t *polls)
{
    enum { ROWS = 960 };
    xh_gemm_t product = {.alpha = -1.0, .beta = 1.0, .b = home_of_u(w)};
    xh_view_t c = below(w);
    xh_view_t l2 = hyb_l2_columns_view(w->me->lu->panel.l2, w->step->k);
    int64_t i, rows;

    for (i = 0; i < c.rows; i += ROWS) {
        rows = Mmin(ROWS, c.rows - i);
        product.a = xh_view_part(l2, i, 0, rows, l2.cols);
        product.c = xh_view_part(c, i, 0, rows, c.cols);
        if (hyb_blas_gemm(&product) != XH_OK)
            HPL_pabort(__LINE__, "multiply", "no BLAS");
        polls->poll(polls->context);
    }
}

static void multiply(const hyb_place_work_t *w)
{
    hyb_worker_t *me = w->me;
    const hyb_chunk_poll_t polls = {poll, me};
    xh_view_t c = below(w);
    double flop = 2.0 * (double)c.rows * (double)c.cols * panel_of(w)->hpl->jb;
    hyb_pace_t *pace = &me->lu->workers.pace[me->member];
    bool blas = me->lu->means.by_blas;
    hyb_pace_mark_t mark;

    if (blas) /* others may still copy their part of L2 */
        hyb_worker_wait(me, HYB_WAIT_PANEL, w->step->k, HYB_HELPS,
                        &(hyb_awaited_t){.is_so = l2_is_complete});
    mark = hyb_pace_mark(pace, flop);
    begin(w, HYB_MULTIPLY);
    if (blas)
        call_blas(w, &polls);
    else
        hyb_chunk_multiply(&panel_of(w)->factors, 0, me->u, c, &polls);
    end(w, HYB_MULTIPLY, mark.time);
    hyb_timer_flop(me->lu->workers.timer, me->member, flop);
    hyb_pace_add(pace, mark, flop);
}

/* ---- panels --------------------------------------------------------------
 */

static void receive_panel(hyb_place_t *place, int k)
{
    hyb_lu_t *lu = place->lu;

    hyb_panel_receive(lu, k);
    if (lu->panel.l2 != NULL)
        hyb_l2_columns_begin(lu->panel.l2, k, &hyb_lu_panel(lu, k)->factors.l2);
}

static xh_view_t panel_columns(hyb_place_t *place, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(place->lu, k)->hpl;

    return (xh_view_t){h->top, h->mp, h->jb, h->lda};
}

const hyb_place_ops_t hyb_place_host = {.swap = swap,
                                        .solve = solve,
                                        .fetch_u = fetch_u,
                                        .multiply = multiply,
                                        .receive_panel = receive_panel,
                                        .panel_columns = panel_columns};
