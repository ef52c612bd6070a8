/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/trust/trust.h"

#include "base/integers.h"
#include "base/memory.h"
#include "hpl/pauxil/map.h"
#include "hpl/trust/trust.h"
#include "hybrid/observe/watchdog.h"

/* At most so many rows, columns, and columns of L; of the panel that is
 * factored; and multiplications. */
enum {
    ROWS = 500,
    COLS = 512,
    DEPTH = 2048,
    PANEL_COLS = 256,
    PANEL_ROWS = 200
};
static const int64_t products = 1 << 26;

/* ---- matrices ------------------------------------------------------------ */

/* The next rows x cols doubles; with no memory they are only counted. */
static xh_view_t take(hyb_trust_t *t, int64_t rows, int64_t cols)
{
    enum { LINE = 8 };
    int64_t doubles = xh_whole_units(rows * cols, LINE);
    xh_view_t view = {t->memory != NULL ? t->memory + t->bytes / sizeof(double)
                                        : NULL,
                      rows, cols, rows};

    t->bytes += (size_t)doubles * sizeof(double);
    return view;
}

static void lay_out(hyb_trust_t *t)
{
    int64_t cols = xh_smaller(t->k, PANEL_COLS), rows = cols + PANEL_ROWS;

    t->bytes = 0;
    t->l1 = take(t, t->k, t->k);
    t->u = take(t, t->k, t->n);
    t->top = take(t, t->k, t->n);
    t->l2 = take(t, t->m, t->k);
    t->c = take(t, t->m, t->n);
    t->result = take(t, t->m, t->n);
    t->panel = take(t, rows, cols);
    t->factors = take(t, rows, cols);
    t->pivots = (int64_t *)take(t, rows, 1).data;
}

static void fill(hyb_trust_t *t)
{
    int bits = xh_exact_bits(t->k);

    xh_exact_lower(t->l1, 1);
    xh_exact_integers(t->l2, bits, 2);
    xh_exact_integers(t->u, bits, 3);
    xh_exact_integers(t->c, bits, 4);
    xh_exact_copy(t->c, t->result);
}

/* Each member multiplies some columns. */
static void multiply(const hyb_trust_t *t, int64_t first, int64_t count)
{
    xh_view_t u = xh_view_part(t->u, 0, first, t->k, count);

    xh_exact_multiply(1.0, t->l1, u,
                      xh_view_part(t->top, 0, first, t->k, count));
    xh_exact_multiply(-1.0, t->l2, u,
                      xh_view_part(t->result, 0, first, t->m, count));
}

static void multiply_part(void *trust, int member)
{
    const hyb_trust_t *t = trust;
    int64_t first = t->n * member / t->members;

    multiply(t, first, t->n * (member + 1) / t->members - first);
}

/* ---- a panel --------------------------------------------------------------
 *
 * L U, where no element of L below its diagonal is as large as those on it: so
 * the pivot of column c is row c of L U. These rows lie in reverse order.
 */

static void reverse_rows(xh_view_t v)
{
    for (int64_t j = 0; j < v.cols; j++)
        for (int64_t i = 0; i < v.rows / 2; i++) {
            double kept = *xh_at(v, i, j);

            *xh_at(v, i, j) = *xh_at(v, v.rows - 1 - i, j);
            *xh_at(v, v.rows - 1 - i, j) = kept;
        }
}

/* Where rows 0 .. cols - 1 of L U are when their turn comes, and where the
 * others end: order[i] is the row in place i. */
static void follow_rows(hyb_trust_t *t, int64_t *order)
{
    int64_t rows = t->panel.rows;

    for (int64_t i = 0; i < rows; i++)
        order[i] = rows - 1 - i;
    for (int64_t c = 0; c < t->panel.cols; c++) {
        int64_t place = c;

        while (order[place] != c)
            place++;
        t->pivots[c] = place;
        order[place] = order[c];
        order[c] = c;
    }
}

static void combine(hyb_trust_t *t, xh_view_t l, xh_view_t u,
                    const int64_t *order)
{
    for (int64_t j = 0; j < l.cols; j++)
        for (int64_t i = 0; i < l.rows; i++)
            *xh_at(t->factors, i, j) =
                i <= j ? *xh_at(u, i, j) : *xh_at(l, order[i], j);
}

static xh_status_t make_panel(hyb_trust_t *t)
{
    int64_t rows = t->panel.rows, cols = t->panel.cols;
    double *memory =
        malloc((size_t)(rows * cols + cols * cols + rows) * sizeof(double));
    xh_view_t l = {memory, rows, cols, rows};
    xh_view_t u = {memory + rows * cols, cols, cols, cols};
    int64_t *order = (int64_t *)(u.data + cols * cols);

    if (memory == NULL)
        return XH_ERR_MEMORY;
    xh_exact_lower(l, 5);
    xh_exact_upper(u, 6);
    xh_exact_multiply(1.0, l, u, t->panel);
    reverse_rows(t->panel);
    follow_rows(t, order);
    combine(t, l, u, order);
    free(memory);
    return XH_OK;
}

/* ---- all ----------------------------------------------------------------- */

xh_status_t hyb_trust_create(const hyb_means_t *means, int64_t rows, int64_t nb,
                             hyb_trust_t *trust_p)
{
    hyb_trust_t *t = trust_p;
    int64_t run;
    void *memory;

    *t = (hyb_trust_t){.m = xh_larger(1, xh_smaller(rows, ROWS)),
                       .k = xh_smaller(nb, DEPTH),
                       .members = hyb_team_size(means->team)};
    run = hyb_means_run_columns(means, t->k);
    t->n = hyb_machine_devices(means->machine) > 0 ? COLS : run;
    t->n = xh_smaller(t->n, xh_larger(rows, run));
    t->n = xh_larger(1, xh_smaller(t->n, products / (t->m * t->k)));
    lay_out(t);
    XH_TRY(xh_memory_allocate(t->bytes, &memory));
    t->memory = memory;
    lay_out(t);
    fill(t);
    hyb_team_run(means->team, multiply_part, t);
    return make_panel(t);
}

void hyb_trust_destroy(hyb_trust_t *trust)
{
    xh_memory_free(trust->memory, trust->bytes);
}

static xh_status_t compute(const hyb_means_t *means, int64_t rows, int64_t nb,
                           int *wrong_p)
{
    hyb_trust_t t;
    xh_status_t status = hyb_trust_create(means, rows, nb, &t);

    if (status == XH_OK)
        status = hyb_trust_host(means, &t);
    for (int i = 0; status == XH_OK && i < hyb_machine_devices(means->machine);
         i++)
        if (hyb_machine_works(means->machine, i))
            hyb_trust_device(hyb_machine_device(means->machine, i), &t);
    hyb_trust_destroy(&t);
    *wrong_p = atomic_load(&t.checks.wrong);
    return status;
}

bool hyb_trust(const hyb_means_t *means, const HPL_T_grid *grid, int n, int nb)
{
    hpl_map_t map = hpl_map(nb, grid->nprow, grid->myrow);
    size_t longest = hpl_trust_panel(grid, n, nb);
    xh_exact_t messages = {0};
    hyb_phase_t phase;
    int wrong = 0;

    hyb_phase_begin(&phase, "in the check before the tests",
                    hyb_watchdog_patience());
    if (compute(means, hpl_map_count(&map, n), xh_smaller(nb, xh_larger(n, 1)),
                &wrong) != XH_OK)
        HPL_pabort(__LINE__, "hyb_trust", "out of memory");
    hpl_trust_messages(&messages, grid, longest);
    if (means->device_mpi)
        hyb_trust_device_messages(hyb_machine_device(means->machine, 0), grid,
                                  longest, &messages);
    hyb_phase_end(&phase);
    return wrong + atomic_load(&messages.wrong) == 0;
}
