/* SPDX-License-Identifier: BSD-3-Clause */

#include "hpl/panel/panel.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/update/pack.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/places/places.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/system/generate.h"

/* ---- locations ----------------------------------------------------------- */

/* The run's columns from the panel's first row on. */
static xh_view_t trailing(const hyb_lu_t *lu, const hyb_lu_panel_t *p,
                          hyb_run_t run)
{
    return (xh_view_t){Mptr(lu->mat->A, p->hpl->ii, run.from, lu->mat->ld),
                       p->hpl->mp, run.count, lu->mat->ld};
}

/* The same columns below the top, which are multiplied. */
static xh_view_t below(const hyb_lu_t *lu, const hyb_lu_panel_t *p,
                       hyb_run_t run)
{
    int top = hpl_panel_top_rows(p->hpl);

    return xh_view_part(trailing(lu, p, run), top, 0, p->hpl->mp - top,
                        run.count);
}

/* Where the run's U is stored by columns: in the matrix's top rows if they are
 * here, else beside the received rows. */
static xh_view_t home_of_u(hyb_lu_t *lu, int k, hyb_run_t run)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (hpl_panel_top_rows(p->hpl) == 0)
        return hyb_exchange_u(lu->exchange, hyb_lu_panel(lu, k)->hpl->jb, run);
    return xh_view_part(trailing(lu, p, run), 0, 0, p->hpl->jb, run.count);
}

/* ---- swap and solve ------------------------------------------------------ */

/* The run's rows of U, in the buffers where they arrived from all processes. */
static hyb_arrived_t arrived(const hyb_lu_t *lu, const hyb_lu_panel_t *p,
                             hyb_run_t run)
{
    int column;
    const hpl_exchange_t *x = hyb_exchange_of(lu->exchange, run, &column);

    return (hyb_arrived_t){.nb = p->hpl->jb,
                           .place = p->swap.source,
                           .data = x->gathered + column,
                           .ld = x->columns};
}

static void unpack_u(hyb_worker_t *me, const hyb_lu_panel_t *p, hyb_run_t run)
{
    const hyb_arrived_t rows = arrived(me->lu, p, run);

    hyb_run_unpack_rows(me->lu->resources.kernel, &rows, run.count, me->u);
}

/* Put the run's rows of U into place in `me->u`, and displaced rows into the
 * matrix. */
static void swap(hyb_worker_t *me, int k, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);
    int column;

    hyb_timer_begin(me, HYB_SWAP, k);
    hyb_worker_toggle(me, HPL_TIMING_LASWP);
    if (lu->grid->nprow == 1) {
        hyb_run_swap(lu->resources.kernel, &p->swap, trailing(lu, p, run),
                     me->u);
    } else { /* put displaced rows into place, and unpack rows of U */
        const hpl_exchange_t *x = hyb_exchange_of(lu->exchange, run, &column);

        hpl_exchange_settle(x, column, (int)run.count);
        unpack_u(me, p, run);
    }
    hyb_worker_toggle(me, HPL_TIMING_LASWP);
    hyb_timer_end(me);
}

/* Does U stay where its rows arrived? Yes if the matrix here has no rows for
 * it, and nobody reads U by columns. */
static bool keeps_rows(const hyb_lu_t *lu, const hyb_lu_panel_t *p)
{
    return hpl_panel_top_rows(p->hpl) == 0 &&
           !hyb_resources_need_columns(&lu->resources);
}

static void keep_u(hyb_worker_t *me, int k, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    if (keeps_rows(lu, p)) {
        const hyb_arrived_t rows = arrived(lu, p, run);

        hyb_run_return_rows(lu->resources.kernel, me->u, run.count, &rows);
    } else {
        hyb_run_store(&p->factors, me->u, home_of_u(lu, k, run));
    }
}

/* U := L1^-1 U. The back-substitution reads U in the matrix's rows; the BLAS
 * library always reads it from memory. */
static void solve(hyb_worker_t *me, int k, hyb_run_t run, bool keeps)
{
    hyb_lu_t *lu = me->lu;
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    hyb_timer_begin(me, HYB_SOLVE, k);
    hyb_run_solve(&p->factors, run.count, me->u);
    if (keeps || hpl_panel_top_rows(p->hpl) > 0 || lu->resources.by_blas)
        keep_u(me, k, run);
    hyb_timer_end(me);
}

/* Load the U that solve() stored. */
static void fetch_u(hyb_worker_t *me, int k, hyb_run_t run)
{
    const hyb_resources_t *resources = &me->lu->resources;
    const hyb_lu_panel_t *p = hyb_lu_panel(me->lu, k);

    if (resources->by_blas)
        return;
    if (keeps_rows(me->lu, p))
        unpack_u(me, p, run);
    else
        hyb_pack(home_of_u(me->lu, k, run), XH_TRANS, -1.0,
                 resources->kernel->cols, me->u);
}

/* ---- multiply ------------------------------------------------------------ */

static bool l2_is_complete(hyb_lu_t *lu, int k)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(lu, k);

    return lu->resources.by_blas ? hyb_l2_has_columns(p) : hyb_l2_has_tiles(p);
}

/* C := C - L2 U, in steps of about a millisecond. */
static void call_blas(hyb_worker_t *me, int k, hyb_run_t run)
{
    const hyb_lu_panel_t *p = hyb_lu_panel(me->lu, k);
    enum { ROWS = 960 };
    xh_gemm_t product = {
        .alpha = -1.0, .beta = 1.0, .b = home_of_u(me->lu, k, run)};
    xh_view_t c = below(me->lu, p, run);

    for (int64_t i = 0; i < c.rows; i += ROWS) {
        int64_t rows = Mmin(ROWS, c.rows - i);

        product.a = xh_view_part(p->columns, i, 0, rows, p->columns.cols);
        product.c = xh_view_part(c, i, 0, rows, c.cols);
        if (hyb_blas_gemm(&product) != XH_OK)
            HPL_pabort(__LINE__, "multiply", "no BLAS");
        hyb_worker_poll(me);
    }
}

static void multiply(hyb_worker_t *me, const hyb_step_t *step, hyb_run_t run)
{
    const hyb_run_poll_t polls = {hyb_worker_poll, me};
    hyb_lu_panel_t *p = hyb_lu_panel(me->lu, step->k);
    xh_view_t c = below(me->lu, p, run);
    double flop = 2.0 * (double)c.rows * (double)c.cols * p->hpl->jb;
    bool blas = me->lu->resources.by_blas;

    if (!l2_is_complete(me->lu, step->k)) /* other members convert it */
        hyb_worker_wait(me, HYB_WAIT_PANEL, step->k, l2_is_complete);
    hyb_timer_begin_product(me, step->k, flop);
    if (blas)
        call_blas(me, step->k, run);
    else
        hyb_run_multiply(&p->factors, me->u, c, &polls);
    hyb_timer_end_product(me, flop);
    if (me->lu->visits == NULL)
        hyb_check_columns_add_run(me->lu->check, me->member, step->k, run);
}

/* Do all steps while the run is in cache, or only some if other threads do the
 * rest. */
static bool apply(hyb_place_t *host, hyb_worker_t *me, const hyb_step_t *step,
                  hyb_run_t run, int64_t from, int64_t to)
{
    int k = step->k;
    bool multiplies = to == hyb_stage(k + 1);

    hyb_worker_toggle(me, HPL_TIMING_UPDATE);
    if (from < hyb_stage_after(k, HYB_STEP_SOLVE)) {
        swap(me, k, run);
        solve(me, k, run, !multiplies);
    } else {
        fetch_u(me, k, run);
    }
    if (multiplies)
        multiply(me, step, run);
    hyb_worker_toggle(me, HPL_TIMING_UPDATE);
    hyb_ledger_complete(&host->lu->ledger, run, to - from);
    return true;
}

/* ---- after the loop ------------------------------------------------------ */

enum {
    LINE = 8,          /* rows per cache line; members share no line */
    TILE = 1 << 14,    /* rows of y that stay in L1 or L2 */
    WORTH_IT = 1 << 14 /* entries of a that are worth calling the team */
};

typedef struct {
    hyb_lu_t *lu;
    const hpl_product_t *product;
    int64_t share; /* rows per member */
} subtraction_t;

static void subtract_share(void *argument, int member)
{
    const subtraction_t *s = argument;
    const hpl_product_t *p = s->product;
    hyb_sweep_t tile = {.cols = p->n, .ld = p->lda, .x = p->x};
    int64_t i = member * s->share, end = Mmin(i + s->share, p->m);

    for (; i < end; i += TILE) {
        tile.a = p->a + i;
        tile.rows = Mmin(TILE, end - i);
        s->lu->resources.kernel->subtract(&tile, p->y + i);
    }
}

static void subtract(hyb_place_t *place, const hpl_product_t *p)
{
    hyb_team_t *team = place->lu->resources.team;
    int size = hyb_team_size(team);
    subtraction_t s = {.lu = place->lu, .product = p, .share = p->m};

    if ((int64_t)p->m * p->n < WORTH_IT) {
        subtract_share(&s, 0);
        return;
    }
    s.share = (p->m / size + LINE) / LINE * LINE;
    hyb_team_run(team, subtract_share, &s);
}

/* ---- at any time --------------------------------------------------------- */

static void copy(hyb_place_t *place, int64_t row, int64_t col, int way,
                 xh_view_t v)
{
    const HPL_T_pmat *mat = place->lu->mat;

    for (int64_t j = 0; j < v.cols; j++) {
        double *here = Mptr(mat->A, row, col + j, mat->ld);
        double *there = v.data + j * v.ld;

        memcpy(way == HYB_SAVE ? there : here, way == HYB_SAVE ? here : there,
               (size_t)v.rows * sizeof(double));
    }
}

/* ---- panels -------------------------------------------------------------- */

static xh_view_t panel_columns(hyb_place_t *place, int k)
{
    const HPL_T_panel *h = hyb_lu_panel(place->lu, k)->hpl;

    return (xh_view_t){h->top, h->mp, h->jb, h->lda};
}

const hyb_place_t hyb_place_host = {.apply = apply,
                                    .receive_panel = hyb_panel_receive,
                                    .panel_columns = panel_columns,
                                    .subtract = subtract,
                                    .copy = copy,
                                    .generate = hyb_generate_on_host};
