/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/update.h"

#include "base/clock.h"
#include "hpl/panel/panel.h"
#include "hybrid/lu/agenda.h"
#include "hybrid/cpu/blas.h"
#include "hybrid/cpu/pack.h"

/* one member's work on one run */
typedef struct {
    hyb_lu_t *lu;
    hyb_lu_panel_t *panel;
    hyb_plan_t *plan;
    hyb_run_t run;
    int member;
    double *u; /* packed */
} work_t;

static work_t begin(hyb_lu_t *lu, int k, hyb_run_t run, int member)
{
    return (work_t){.lu = lu,
                    .panel = hyb_lu_panel(lu, k),
                    .plan = hyb_lu_plan(lu, k),
                    .run = run,
                    .member = member,
                    .u = lu->u + member * lu->u_stride};
}

/* The run's columns from panel row ia on. */
static xh_view_t trailing(const work_t *w)
{
    const HPL_T_panel *h = w->panel->hpl;

    return (xh_view_t){Mptr(w->lu->mat->A, h->ii, w->run.from, w->lu->mat->ld),
                       h->mp, w->run.count, w->lu->mat->ld};
}

/* The same below the top: what is multiplied. */
static xh_view_t below(const work_t *w)
{
    int top = hpl_panel_top_rows(w->panel->hpl);
    xh_view_t all = trailing(w);

    return xh_view_part(all, top, 0, all.rows - top, all.cols);
}

/* Where the run's part of U is kept in columns: the matrix's top rows where
 * they are here. */
static xh_view_t home_of_u(const work_t *w)
{
    const HPL_T_panel *h = w->panel->hpl;
    const hyb_exchanges_t *e = &w->lu->exchanges;

    if (hpl_panel_top_rows(h) > 0)
        return xh_view_part(trailing(w), 0, 0, h->jb, w->run.count);
    return (xh_view_t){e->u + w->run.from * e->rows, h->jb, w->run.count,
                       h->jb};
}

/* This member did activity from started until now, which is returned. */
static double spent(const work_t *w, hyb_activity_t activity, double started)
{
    return hyb_timer_end(w->lu->spent, w->member, activity, w->plan->k,
                         started);
}

/* Start or stop one of upstream's timers, which time the leader. */
static void toggle(const work_t *w, int timer)
{
    if (w->member == 0)
        HPL_ptimer(timer);
}

/* The member begins activity. */
static void doing(const work_t *w, hyb_activity_t activity)
{
    hyb_timer_begin(w->lu->spent, w->member, activity, w->plan->k);
}

static bool columns_are_ready(const work_t *w)
{
    return hyb_columns_reached(&w->lu->columns, w->run.from,
                               w->run.from + w->run.count, w->plan->k);
}

static bool rows_have_arrived(const work_t *w)
{
    return atomic_load_explicit(&w->plan->arrived, memory_order_acquire) >=
           w->run.from + w->run.count;
}

/* Until is_so; returns now, or started if there was nothing to wait for. */
static double wait_until(bool (*is_so)(const work_t *w), const work_t *w,
                         hyb_activity_t activity, double started)
{
    int turns = 0;

    if (is_so(w))
        return started;
    doing(w, activity);
    while (!is_so(w))
        hyb_agenda_turn(w->lu, w->member, &turns);
    return spent(w, activity, started);
}

/* The run's first column within its group x. */
static int column_within(const work_t *w, const hpl_exchange_t *x)
{
    const hyb_exchanges_t *e = &w->lu->exchanges;

    return (int)(w->run.from - (x->gathered - e->gathered) / e->rows);
}

/* The run's rows of U, where they came from all processes. */
static hyb_arrived_t arrived(const work_t *w)
{
    const hpl_exchange_t *x = hyb_exchanges_of(w->lu, w->run);

    return (hyb_arrived_t){.nb = w->panel->hpl->jb,
                           .place = w->panel->swap.source,
                           .data = x->gathered + column_within(w, x),
                           .ld = x->columns};
}

/* Rows that came from other processes: U's, and those displaced by them. */
static void take_arrived(const work_t *w)
{
    const hpl_exchange_t *x = hyb_exchanges_of(w->lu, w->run);
    const hyb_arrived_t rows = arrived(w);

    hpl_exchange_settle(x, column_within(w, x), (int)w->run.count);
    hyb_chunk_unpack_rows(w->lu->kernel, &rows, w->run.count, w->u);
}

/* Is U kept where its rows arrived? The matrix has no room for it here then,
 * and nobody wants it in columns. */
static bool keeps_rows(const work_t *w)
{
    return hpl_panel_top_rows(w->panel->hpl) == 0 && !w->lu->in_columns;
}

static void keep_u(const work_t *w)
{
    hyb_arrived_t rows;

    if (!keeps_rows(w)) {
        hyb_chunk_store(&w->panel->factors, w->u, home_of_u(w));
        return;
    }
    rows = arrived(w);
    hyb_chunk_return_rows(w->lu->kernel, w->u, w->run.count, &rows);
}

/* What keep_u kept, for the kernel. */
static void fetch_u(const work_t *w)
{
    const hyb_kernel_t *kernel = w->lu->kernel;
    hyb_arrived_t rows;

    if (!keeps_rows(w)) {
        hyb_pack(home_of_u(w), XH_TRANS, -1.0, kernel->cols, w->u);
        return;
    }
    rows = arrived(w);
    hyb_chunk_unpack_rows(kernel, &rows, w->run.count, w->u);
}

/* stores: U is kept as well, for others or back-substitution. */
static void swap_and_solve(const work_t *w, bool stores)
{
    double now =
        wait_until(columns_are_ready, w, HYB_WAIT_COLUMNS, xh_clock_now());

    toggle(w, HPL_TIMING_LASWP);
    if (w->lu->grid->nprow > 1) {
        now = wait_until(rows_have_arrived, w, HYB_WAIT_ROWS, now);
        doing(w, HYB_SWAP);
        take_arrived(w);
    } else {
        doing(w, HYB_SWAP);
        hyb_chunk_swap(w->lu->kernel, &w->panel->swap, trailing(w), w->u);
    }
    now = spent(w, HYB_SWAP, now);
    toggle(w, HPL_TIMING_LASWP);
    doing(w, HYB_SOLVE);
    hyb_chunk_solve(&w->panel->factors, w->run.count, w->u);
    if (stores)
        keep_u(w);
    spent(w, HYB_SOLVE, now);
}

static void poll_agenda(void *context)
{
    const work_t *w = context;

    hyb_agenda_poll(w->lu);
}

static void assist(void *context)
{
    const work_t *w = context;

    hyb_exchanges_assist(w->lu, w->member);
}

static bool l2_is_complete(const work_t *w)
{
    return hyb_l2_columns_complete(w->lu->flat, w->plan->k);
}

/* L2 in columns, once others have copied their part of it. */
static xh_view_t wait_for_l2(const work_t *w)
{
    wait_until(l2_is_complete, w, HYB_WAIT_PANEL, xh_clock_now());
    return hyb_l2_columns_view(w->lu->flat, w->plan->k);
}

/* What a member does now and then while it multiplies. */
static hyb_chunk_poll_t duty(work_t *w)
{
    if (w->member == 0)
        return (hyb_chunk_poll_t){poll_agenda, w};
    return (hyb_chunk_poll_t){w->lu->grid->nprow > 1 ? assist : NULL, w};
}

/* C := C - L2 U, in steps of about a millisecond. */
static void call_blas(const work_t *w, xh_view_t l2, xh_view_t c,
                      const hyb_chunk_poll_t *poll)
{
    enum { ROWS = 960 };
    xh_gemm_t product = {.alpha = -1.0, .beta = 1.0, .b = home_of_u(w)};
    int64_t i, rows;

    for (i = 0; i < c.rows; i += ROWS) {
        rows = Mmin(ROWS, c.rows - i);
        product.a = xh_view_part(l2, i, 0, rows, l2.cols);
        product.c = xh_view_part(c, i, 0, rows, c.cols);
        if (hyb_blas_gemm(&product) != XH_OK)
            HPL_pabort(__LINE__, "hyb_update_multiply", "no BLAS");
        if (poll->poll != NULL)
            poll->poll(poll->context);
    }
}

static void multiply(work_t *w)
{
    const hyb_chunk_poll_t poll = duty(w);
    bool blas = w->lu->multiplier == HYB_BY_BLAS;
    xh_view_t c = below(w), l2 = blas ? wait_for_l2(w) : c;
    double flop = 2.0 * (double)c.rows * (double)c.cols * w->panel->hpl->jb;
    hyb_pace_t *pace = &w->lu->pace[w->member];
    hyb_pace_mark_t mark = hyb_pace_mark(pace, flop);

    doing(w, HYB_MULTIPLY);
    if (blas)
        call_blas(w, l2, c, &poll);
    else
        hyb_chunk_multiply(&w->panel->factors, 0, w->u, c, &poll);
    spent(w, HYB_MULTIPLY, mark.time);
    hyb_timer_flop(w->lu->spent, w->member, flop);
    hyb_pace_add(pace, mark, flop);
    hyb_columns_apply(&w->lu->columns, w->run);
}

void hyb_update_run(hyb_lu_t *lu, int k, hyb_run_t run, int member)
{
    work_t w = begin(lu, k, run, member);

    toggle(&w, HPL_TIMING_UPDATE);
    swap_and_solve(&w, hpl_panel_top_rows(w.panel->hpl) > 0 ||
                           lu->multiplier == HYB_BY_BLAS);
    multiply(&w);
    toggle(&w, HPL_TIMING_UPDATE);
}

void hyb_update_prepare(hyb_lu_t *lu, int k, hyb_run_t run, int member)
{
    work_t w = begin(lu, k, run, member);

    toggle(&w, HPL_TIMING_UPDATE);
    swap_and_solve(&w, true);
    toggle(&w, HPL_TIMING_UPDATE);
}

void hyb_update_multiply(hyb_lu_t *lu, int k, hyb_run_t run, int member)
{
    work_t w = begin(lu, k, run, member);

    toggle(&w, HPL_TIMING_UPDATE);
    if (lu->multiplier == HYB_BY_KERNEL)
        fetch_u(&w);
    multiply(&w);
    toggle(&w, HPL_TIMING_UPDATE);
}
