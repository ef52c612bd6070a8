/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/verify/carried_private.h"

#include <stdlib.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/solver/system.h"

/* ---- memory -------------------------------------------------------------- */

static int64_t in_doubles(int64_t count, size_t bytes)
{
    return (int64_t)(((size_t)count * bytes + sizeof(double) - 1) /
                     sizeof(double));
}

/* Columns of the widest panel, at least 1 where there is none. */
static int64_t widest_panel(int64_t nb, int64_t n)
{
    return xh_larger(xh_smaller(nb, n), 1);
}

/* Cut the memory, if there is any, into its parts; returns its doubles. */
static size_t lay_out(struct hyb_carried *c, int64_t rows, int64_t nq,
                      int64_t nb, int nprow, bool devices)
{
    int64_t units = xh_units(rows, HYB_SUMS_UNIT) + 1;
    int64_t blocks = xh_units(nq, nb) + 1;
    int64_t moved = nprow > 1 && devices ? nb * nb : 0;
    double *m = c->memory;
    size_t at = 0;

    c->column =
        (void *)hyb_next_pages(m, &at, in_doubles(nq, sizeof(*c->column)));
    c->read = (void *)hyb_next_pages(m, &at, nq);
    c->top = hyb_next_pages(m, &at, nb);
    c->panel.column =
        (void *)hyb_next_pages(m, &at, in_doubles(nb, sizeof(*c->column)));
    c->panel.weight = hyb_next_pages(m, &at, rows);
    c->left.over = hyb_next_pages(m, &at, 2 * nb + 1);
    c->sent = hyb_next_pages(m, &at, nprow > 1 ? 2 * nprow * nq : 0);
    c->home = (void *)hyb_next_pages(
        m, &at, in_doubles(nprow * blocks, sizeof(*c->home)));
    c->kept = (void *)hyb_next_pages(
        m, &at, devices ? in_doubles(nq, sizeof(*c->kept)) : 0);
    for (int i = 0; i < HYB_PANELS_OF_GUESTS; i++)
        c->l[i].plain = hyb_next_pages(m, &at, devices && nprow == 1 ? nb : 0);
    for (int i = 0; i < HYB_IN_FLIGHT; i++) {
        hyb_factor_sums_t *f = &c->factor[i];

        f->plain = hyb_next_pages(m, &at, nb);
        f->l1 = hyb_next_pages(m, &at, nb);
        f->weighted = hyb_next_pages(m, &at, nb);
        f->weight = hyb_next_pages(m, &at, rows + HYB_KERNEL_MOST_ROWS);
        f->squares = hyb_next_pages(m, &at, units);
        f->came = hyb_next_pages(m, &at, moved);
        f->agreed = hyb_next_pages(m, &at, 2 * moved);
        f->lanes = hyb_next_pages(m, &at, units * nb * 2 * HYB_CHECK_LANES);
    }
    return at;
}

/* Below 1% of the run: on cores, of so many rows a process. The check grows
 * with the square of N, and with P; the factorization with the cube. */
static bool is_cheap(const hyb_means_t *means, int64_t n, int nprow)
{
    enum { ROWS = 12000 };

    return n / nprow >= ROWS && !means->offloads;
}

static bool is_wanted(const hyb_means_t *means, int64_t n, int nprow)
{
    const char *asked = xh_settings_text("verify");

    if (strcmp(asked, "auto") == 0)
        return is_cheap(means, n, nprow);
    return strcmp(asked, "online") == 0 && !means->models_time;
}

bool hyb_carried_on_devices(const hyb_means_t *means, int nprow)
{
    return means->resident && is_wanted(means, 0, nprow);
}

uint64_t hyb_carried_bytes(const hyb_means_t *means, const hpl_shape_t *shape)
{
    struct hyb_carried c = {.memory = NULL};

    if (!is_wanted(means, shape->n, shape->nprow))
        return 0;
    return sizeof(double) * lay_out(&c, hpl_system_rows(shape),
                                    hpl_system_columns(shape),
                                    widest_panel(shape->nb, shape->n),
                                    shape->nprow, means->resident);
}

static void say_if_unchecked(const hyb_lu_t *lu)
{
    static bool said;

    if (said || lu->grid->iam > 0 ||
        strcmp(xh_settings_text("verify"), "online") != 0)
        return;
    said = true;
    xh_log_warning(
        "verify=online checks nothing, as a device only models time: "
        "the residual alone is looked at");
}

xh_status_t hyb_carried_create(hyb_lu_t *lu)
{
    int64_t rows = lu->mat->mp, nb = widest_panel(lu->mat->nb, lu->mat->n);
    struct hyb_carried *c;

    if (!is_wanted(&lu->means, lu->mat->n, lu->grid->nprow)) {
        say_if_unchecked(lu);
        return XH_OK;
    }
    lu->carried = c = calloc(1, sizeof(*c));
    if (c == NULL)
        return XH_ERR_MEMORY;
    c->bytes = lay_out(c, rows, lu->ledger.columns, nb, lu->grid->nprow,
                       lu->means.resident) *
               sizeof(double);
    XH_TRY(xh_memory_allocate(c->bytes, (void **)&c->memory));
    xh_memory_touch(c->memory, c->bytes, 0, 1);
    lay_out(c, rows, lu->ledger.columns, nb, lu->grid->nprow,
            lu->means.resident);
    c->left.k = -1;
    for (int i = 0; i < HYB_PANELS_OF_GUESTS; i++)
        c->l[i].k = -1;
    c->panel.k = -1;
    c->repairs = strcmp(xh_settings_text("on_error"), "repair") == 0;
    c->every = (int)xh_settings_int("verify_every");
    for (int64_t p = 0; p < nb; p++)
        c->top[p] = 1.0 + (double)p / (double)nb;
    for (int64_t i = 0; i < rows + HYB_KERNEL_MOST_ROWS; i++)
        for (int k = 0; k < HYB_IN_FLIGHT; k++)
            c->factor[k].weight[i] = 1.0 + (double)i / (double)Mmax(rows, 1);
    return XH_OK;
}

void hyb_carried_destroy(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    free(lu->carried->tiles.sums);
    xh_memory_free(lu->carried->memory, lu->carried->bytes);
    free(lu->carried);
}

/* ---- sums of the columns as they are ------------------------------------- */

/* As the loop begins: with U, after a restart. */
static void sum_column(hyb_lu_t *lu, int64_t column)
{
    int met = hyb_met_at_first(lu, column);
    int64_t from = hyb_lu_rows_above(lu, met);
    hyb_check_sums_t sum =
        hyb_sums_now(lu, Mptr(lu->mat->A, from, column, lu->mat->ld), met);

    hyb_begin_column(lu, column, &sum, lu->mat->mp - from);
    lu->carried->column[column].stored = hyb_words_of_u(lu, column, from);
    if (lu->homes.guests > 0)
        lu->carried->column[column].weighted = 0.0;
    if (hyb_begins_late(lu, column, met + 1))
        hyb_forget_columns(lu, column, 1);
}

static void sum_share(void *context, int member)
{
    hyb_lu_t *lu = context;
    int members = hyb_team_size(lu->means.team);
    int64_t end =
        hyb_ledger_first(&lu->ledger, hyb_homes_in_host_memory(&lu->homes));

    for (int64_t j = member; j < end; j += members)
        sum_column(lu, j);
}

void hyb_carried_sum_on_host(hyb_place_t *host)
{
    hyb_team_run(host->lu->means.team, sum_share, host->lu);
}

void hyb_carried_sum(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    hyb_forget_columns(lu, 0, lu->ledger.columns);
    for (int i = 0; i < lu->homes.places; i++)
        lu->homes.place[i]->sum(lu->homes.place[i]);
    lu->carried->summed = true;
}

static bool is_on_all_hosts(const hyb_lu_t *lu, int64_t block)
{
    for (int i = 0; i < lu->grid->nprow; i++)
        if (lu->carried->home[i * lu->ledger.blocks + block] > 0)
            return false;
    return true;
}

/* Where the processes of a process column have its blocks; all of them have the
 * first ones on the host. */
static void agree_on_homes(hyb_lu_t *lu)
{
    struct hyb_carried *c = lu->carried;
    int64_t blocks = lu->ledger.blocks, exact = 0;
    int *mine = c->home + lu->grid->myrow * blocks;

    for (int64_t b = 0; b < blocks; b++)
        mine[b] = hyb_home_number(&lu->homes, b);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, c->home, (int)blocks, MPI_INT,
                  lu->grid->col_comm);
    while (exact < blocks && is_on_all_hosts(lu, exact))
        exact++;
    c->exact = hyb_ledger_first(&lu->ledger, exact);
}

void hyb_carried_begin(hyb_lu_t *lu)
{
    if (lu->carried == NULL)
        return;
    if (!lu->carried->summed)
        hyb_carried_sum(lu);
    if (lu->grid->nprow > 1)
        agree_on_homes(lu);
}

/* ---- carrying ------------------------------------------------------------ */

/* Squares of U that are none are left to the largest of its elements. */
static void keep_huge(hyb_carried_column_t *c, int nb, int width,
                      const double *u, hyb_check_sums_t *change)
{
    if (change->squares < HYB_MOST_SQUARES)
        return;
    change->squares = 0.0;
    c->huge = fmax(c->huge, hyb_sums_largest(u, nb, width));
}

/* U stays in the matrix where that has its rows. */
static void note_stored(hyb_lu_t *lu, const HPL_T_panel *h, int64_t column,
                        int64_t count, const double *u)
{
    uint64_t sum[HYB_KERNEL_MOST_COLS];

    lu->means.kernel->sum_u_words(h->jb, u, (uint32_t)h->ii, sum);
    for (int64_t i = 0; i < count; i++)
        lu->carried->column[column + i].stored += sum[i];
}

/* A panel of the packed U: count columns. */
static void update_columns(hyb_lu_t *lu, int k, int64_t column, int64_t count,
                           const double *u)
{
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    const hyb_kernel_t *kernel = lu->means.kernel;
    hyb_check_sums_t change[HYB_KERNEL_MOST_COLS];

    kernel->sum_u(h->jb, f->plain, f->weighted, u, change);
    for (int64_t i = 0; i < count; i++)
        keep_huge(&lu->carried->column[column + i], h->jb, kernel->cols, u + i,
                  &change[i]);
    hyb_carry(lu, k, column, count, change);
    if (hpl_panel_top_rows(h) > 0)
        note_stored(lu, h, column, count, u);
}

/* Is panel k no panel? Then those that share it say so, and what it makes of
 * other columns is no fault of these. */
static bool is_said_by_panel(hyb_lu_t *lu, int k)
{
    const hyb_factor_sums_t *f = hyb_factor_sums(lu, k);
    const HPL_T_panel *h = hyb_lu_panel(lu, k)->hpl;

    if (lu->grid->nprow == 1 && hyb_lu_owns(lu, k))
        return false;
    for (int p = 0; p < h->jb; p++)
        if (!isfinite(f->plain[p]) || !isfinite(h->L1[p * (h->jb + 1)]))
            return true;
    return !(f->square <= 1.0);
}

void hyb_carried_update(hyb_lu_t *lu, int k, hyb_run_t run, const double *u)
{
    int width = lu->means.kernel->cols, nb = hyb_lu_panel(lu, k)->hpl->jb;

    if (lu->carried == NULL)
        return;
    if (is_said_by_panel(lu, k))
        hyb_forget_columns(lu, run.from, run.count);
    for (int64_t j = 0; j < run.count; j += width)
        update_columns(lu, k, run.from + j, Mmin(width, run.count - j),
                       u + j * nb);
}

void hyb_carried_report(const hyb_lu_t *lu, hpl_work_t *work)
{
    const struct hyb_carried *c = lu->carried;

    work->is_checked = c != NULL;
    if (c == NULL)
        return;
    work->wrong = atomic_load(&c->found.count);
    work->repaired = atomic_load(&c->found.repaired);
    work->compared = atomic_load(&c->found.compared);
    work->closest = atomic_load(&c->found.closest);
}

const hyb_alarm_t *hyb_carried_first(const hyb_lu_t *lu)
{
    return lu->carried != NULL && atomic_load(&lu->carried->found.count) > 0
               ? &lu->carried->found.first
               : NULL;
}
