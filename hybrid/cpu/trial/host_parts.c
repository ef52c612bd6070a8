/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/trial/host_parts.h"

#include <stdatomic.h>
#include <string.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/median.h"
#include "base/memory.h"
#include "base/sequence.h"

enum { LINE = 8, PAGE = 512, BLOCK = 4096, LEAST_RUN = 32 }; /* doubles */

static double now(hyb_crew_t crew)
{
    return crew.team != NULL ? hyb_team_seconds(crew.team, crew.members)
                             : xh_clock_now();
}

hyb_seconds_t hyb_time_runs(hyb_crew_t crew, void (*prepare)(void *context),
                            void (*run)(void *context), void *context,
                            int calls)
{
    double seconds[HYB_CALLS_MOST], start, median;

    for (int i = 0; i < calls; i++) {
        if (prepare != NULL)
            prepare(context);
        start = now(crew);
        run(context);
        seconds[i] = now(crew) - start;
    }
    median = xh_median(seconds, calls); /* sorts `seconds` */
    return (hyb_seconds_t){seconds[0], median};
}

/* ---- memory -------------------------------------------------------------- */

static void fill(void *context, int member)
{
    const hyb_scratch_t *s = context;
    const int64_t count = (int64_t)(s->bytes / sizeof(double));
    const int64_t step = (int64_t)BLOCK * hyb_team_size(s->team);
    const xh_lanes_t lanes = xh_lanes();

    for (int64_t from = (int64_t)BLOCK * member; from < count; from += step)
        xh_sequence_run(&lanes, xh_jump_apply(xh_jump_step, (uint64_t)from),
                        xh_smaller(BLOCK, count - from), s->data + from);
}

xh_status_t hyb_scratch_open(hyb_scratch_t *scratch, hyb_team_t *team,
                             int64_t doubles)
{
    size_t bytes = sizeof(double) * (size_t)doubles;
    void *memory;

    XH_TRY(xh_memory_allocate(bytes, &memory));
    *scratch = (hyb_scratch_t){team, memory, bytes};
    hyb_team_run(team, fill, scratch);
    return XH_OK;
}

void hyb_scratch_close(hyb_scratch_t *scratch)
{
    xh_memory_free(scratch->data, scratch->bytes);
}

/* Return the elements between columns of `rows` rows: an odd number of cache
 * lines, as in the solver. */
static int64_t ld_of(int64_t rows)
{
    return xh_whole_units(rows, LINE) | LINE;
}

/* Return the doubles of packed rows, in whole cache lines. */
static int64_t whole_lines(int64_t rows, int64_t depth,
                           const hyb_kernel_t *kernel)
{
    return xh_whole_units(hyb_pack_size(rows, depth, kernel->rows), LINE);
}

/* ---- a panel ------------------------------------------------------------- */

xh_status_t hyb_host_panel_open(hyb_host_panel_t *x, const hyb_kernel_t *kernel,
                                hyb_team_t *team, int64_t m, int nb)
{
    int64_t square = xh_whole_units((int64_t)nb * nb, LINE);
    int64_t body = whole_lines(m - nb, nb, kernel), ld = ld_of(m);
    double *at;

    *x = (hyb_host_panel_t){.members = hyb_team_size(team)};
    XH_TRY(
        hyb_scratch_open(&x->memory, team, ld * nb + body + 2 * square + nb));
    x->columns = (xh_view_t){x->memory.data, m, nb, ld};
    at = x->memory.data + ld * nb;
    x->panel = (hyb_panel_t){
        .method = {HYB_CROUT, HYB_RIGHT, .base_cols = 8, .parts = 2},
        .body = {at, m - nb, nb, kernel->rows},
        .top = {at + body, nb, nb, nb},
        .l1 = {at + body + square, nb, nb, nb},
        .pivot = (int64_t *)(at + body + 2 * square),
        .zero_p = &x->zero};
    return hyb_panel_scratch_create(team, kernel, nb, &x->scratch);
}

void hyb_host_panel_close(hyb_host_panel_t *x)
{
    hyb_panel_scratch_destroy(x->scratch);
    hyb_scratch_close(&x->memory);
}

static void load(void *context, int member)
{
    hyb_host_panel_t *x = context;
    xh_view_t v = x->columns;
    const hyb_tiles_t *body = &x->panel.body;

    if (member != 0)
        return;
    hyb_pack(xh_view_part(v, v.cols, 0, body->rows, v.cols), XH_NO_TRANS, 1.0,
             body->height, body->data);
    for (int64_t j = 0; j < v.cols; j++)
        memcpy(x->panel.top.data + j * v.cols, v.data + j * v.ld,
               (size_t)v.cols * sizeof(double));
}

void hyb_host_panel_load(void *panel)
{
    hyb_team_run(((hyb_host_panel_t *)panel)->memory.team, load, panel);
}

static void factor_share(void *context, int member)
{
    hyb_host_panel_t *x = context;

    if (member < x->members)
        hyb_panel_factor(x->scratch, &x->panel, member, x->members);
}

void hyb_host_panel_factor(void *panel)
{
    hyb_team_run(((hyb_host_panel_t *)panel)->memory.team, factor_share, panel);
}

/* ---- an update ----------------------------------------------------------- */

/* Exchange all rows of the top with rows of C that are far apart. */
static hyb_swap_t choose_rows(int64_t m, int k, int *rows)
{
    int64_t distance = m > k ? m / k : 1;
    int displaced = (int)xh_smaller(m, k);

    for (int i = 0; i < k; i++) {
        rows[i] = (int)(i < displaced ? k + i * distance : i);
        rows[k + i] = i;
        rows[2 * k + i] = rows[i];
    }
    return (hyb_swap_t){k, rows, displaced, rows + k, rows + 2 * k};
}

xh_status_t hyb_host_update_open(hyb_host_update_t *x,
                                 const hyb_kernel_t *kernel, hyb_team_t *team)
{
    int64_t m = x->m, n = x->n, k = x->k, ld = ld_of(m + k);
    int64_t l1 = whole_lines(k, k, kernel), l2 = whole_lines(m, k, kernel);
    int64_t members = hyb_team_size(team), rows;
    double *at;

    x->widest = x->run_cols > 0 ? x->run_cols : hyb_run_cols(kernel, k);
    rows = xh_larger(hyb_run_u_size(kernel, k, x->widest), 2 * k * x->widest);
    x->stride = xh_whole_units(rows, PAGE);
    XH_TRY(hyb_scratch_open(&x->memory, team,
                            ld * n + members * x->stride + l1 + l2 + 3 * k));
    x->columns = (xh_view_t){x->memory.data, m + k, n, ld};
    x->packed = x->memory.data + ld * n;
    at = x->packed + members * x->stride;
    x->factors = (hyb_factors_t){kernel, .l1 = {at, k, k, kernel->rows},
                                 .l2 = {at + l1, m, k, kernel->rows}};
    memset(at, 0, sizeof(double) * (size_t)l1);
    x->swap = choose_rows(m, (int)k, (int *)(at + l1 + l2));
    return XH_OK;
}

void hyb_host_update_close(hyb_host_update_t *x)
{
    hyb_scratch_close(&x->memory);
}

static void pack_rows(const hyb_swap_t *swap, xh_view_t run, double *packed)
{
    for (int64_t j = 0; j < run.cols; j++) {
        const double *column = run.data + j * run.ld;

        for (int i = 0; i < swap->nb; i++) {
            *packed++ = column[swap->source[i]];
            *packed++ = column[i];
        }
    }
}

static void pass_through(xh_view_t c)
{
    for (int64_t j = 0; j < c.cols; j++)
        for (int64_t i = 0; i < c.rows; i += LINE)
            c.data[i + j * c.ld] = -c.data[i + j * c.ld];
}

static void work_on(const hyb_host_update_t *x, int64_t from, int64_t cols,
                    double *u)
{
    xh_view_t run = xh_view_part(x->columns, 0, from, x->columns.rows, cols);
    xh_view_t c = xh_view_part(run, x->k, 0, x->m, cols);

    if (x->parts & HYB_PART_SWAP)
        hyb_run_swap(x->factors.kernel, &x->swap, run, u);
    if (x->parts & HYB_PART_SOLVE) {
        hyb_run_solve(&x->factors, cols, u);
        hyb_run_store(&x->factors, u, xh_view_part(run, 0, 0, x->k, cols));
    }
    if (x->parts & HYB_PART_MULTIPLY)
        hyb_run_multiply(&x->factors, u, c, NULL);
    if (x->parts & HYB_PART_PACK)
        pack_rows(&x->swap, run, u);
    if (x->parts & HYB_PART_PASS)
        pass_through(c);
}

/* Return the columns of the next run. Runs get narrow at the end, so that all
 * members end together. */
static int64_t width(const hyb_host_update_t *x, int64_t left)
{
    int64_t share = left / (2 * hyb_team_size(x->memory.team));

    if (x->run_cols > 0)
        return xh_smaller(x->run_cols, left);
    return xh_smaller(left, share >= x->widest
                                ? x->widest
                                : xh_whole_units(share + 1, LEAST_RUN));
}

static void run_share(void *context, int member)
{
    hyb_host_update_t *x = context;
    int64_t from = atomic_load(&x->next), cols;

    while (from < x->n) {
        cols = width(x, x->n - from);
        if (!atomic_compare_exchange_weak(&x->next, &from, from + cols))
            continue;
        work_on(x, from, cols, x->packed + member * x->stride);
        from = atomic_load(&x->next);
    }
}

void hyb_host_update_run(void *update)
{
    hyb_host_update_t *x = update;

    atomic_store(&x->next, 0);
    hyb_team_run(x->memory.team, run_share, x);
}
