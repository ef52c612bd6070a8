/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/check_columns.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/guard/check_columns_private.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"

enum { BOTH = HYB_CHECK_COLUMNS, SWEEPS = HYB_SWEEPS };

/* ---- memory -------------------------------------------------------------- */

/* Lay out c->memory, which may be NULL; return the number of doubles. */
static size_t lay_out(hyb_check_columns_t *c, const hyb_resources_t *resources,
                      const hpl_shape_t *shape, int places)
{
    int64_t rows = hpl_system_rows(shape), nb = Mmin(shape->nb, shape->n);
    int64_t columns = hpl_system_columns(shape) + BOTH * places;
    int64_t members = hyb_team_size(resources->team);
    bool leave = shape->nprow > 1; /* rows do */
    bool panels = leave || resources->resident;
    size_t at = 0;

    for (int i = 0; i < BOTH; i++)
        c->weight[i] = hyb_next_pages(c->memory, &at, columns);
    c->work = hyb_next_pages(c->memory, &at, 2 * BOTH * Mmax(rows, nb));
    c->sweeps = hyb_next_pages(c->memory, &at, SWEEPS * BOTH * members * rows);
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        c->panel[i] = hyb_next_pages(c->memory, &at, panels * BOTH * rows);
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        c->pivot_rows[i] = hyb_next_pages(c->memory, &at, leave * 2 * nb * nb);
    c->u_sums = hyb_next_pages(c->memory, &at, panels * BOTH * nb * nb);
    c->l2_sums =
        hyb_next_pages(c->memory, &at, resources->resident * BOTH * rows);
    c->parts = hyb_next_pages(c->memory, &at,
                              leave * members * (places + 1) * BOTH * 2 * nb);
    c->sweep_iteration =
        (int *)hyb_next_pages(c->memory, &at, SWEEPS * members);
    c->part_iteration = (int *)hyb_next_pages(c->memory, &at, members);
    return at;
}

/* Auto: is the check less than 1% of the run? On cores it is from
 * HYB_CHECK_ROWS rows per process on: the check grows as N^2 P, the
 * factorization as N^3. */
bool hyb_check_columns_wanted(const hyb_resources_t *resources, int64_t n,
                              int nprow)
{
    const char *verify = xh_settings_text("verify");

    if (strcmp(verify, "auto") == 0)
        return n / nprow >= HYB_CHECK_ROWS && !resources->offloads;
    return strcmp(verify, "online") == 0;
}

uint64_t hyb_check_columns_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape, int places)
{
    hyb_check_columns_t c = {.memory = NULL};

    return resources->checked
               ? sizeof(double) * lay_out(&c, resources, shape, places)
               : 0;
}

/* The weights are 1 and 1 + j / N. A check column has weight -1 in its own sum,
 * so that the sum is A w - c. */
static void set_weights(hyb_check_columns_t *c)
{
    int64_t check = c->ledger->columns_of_ab;
    double n = Mmax(c->mat->n, 1);

    for (int64_t j = 0; j < check; j++) {
        c->weight[0][j] = 1.0;
        c->weight[1][j] = 1.0 + (double)hpl_map_global(&c->columns, j) / n;
    }
    for (int64_t j = check; j < c->ledger->columns; j++)
        for (int which = 0; which < BOTH; which++)
            c->weight[which][j] = (j - check) % BOTH == which ? -1.0 : 0.0;
}

xh_status_t hyb_check_columns_create(hyb_lu_t *lu)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_shape_t shape = hpl_system_shape(lu->grid, mat->n, mat->nb);
    int places = (int)(lu->ledger.blocks - lu->ledger.check);
    hyb_check_columns_t *c;

    if (!lu->resources.checked)
        return XH_OK;
    lu->check = c = calloc(1, sizeof(*c));
    if (c == NULL)
        return XH_ERR_MEMORY;
    c->grid = lu->grid;
    c->mat = mat;
    c->resources = &lu->resources;
    c->range = &lu->range;
    c->groups = &lu->groups;
    c->ledger = &lu->ledger;
    c->homes = &lu->homes;
    c->rows = hpl_map(mat->nb, lu->grid->nprow, lu->grid->myrow);
    c->columns = hpl_map_columns(lu->grid, mat->nb);
    c->alarms.machine = lu->resources.machine;
    c->alarms.self_test = lu->resources.self_test;
    c->alarms.is_alone = lu->grid->nprocs == 1;
    c->every = (int)xh_settings_int("verify_every");
    c->nb = Mmin(mat->nb, mat->n);
    c->moved = 2 * c->nb;
    c->bytes = lay_out(c, c->resources, &shape, places) * sizeof(double);
    XH_TRY(xh_memory_allocate(c->bytes, (void **)&c->memory));
    xh_memory_touch(c->memory, c->bytes, 0, 1);
    lay_out(c, c->resources, &shape, places);
    for (int i = 0; i < hyb_team_size(c->resources->team); i++)
        c->sweep_iteration[SWEEPS * i] = c->sweep_iteration[SWEEPS * i + 1] =
            c->part_iteration[i] = -1;
    set_weights(c);
    return XH_OK;
}

void hyb_check_columns_destroy(hyb_check_columns_t *check)
{
    if (check == NULL)
        return;
    xh_memory_free(check->memory, check->bytes);
    free(check);
}

void hyb_check_columns_report(const hyb_check_columns_t *check,
                              hpl_work_t *work)
{
    work->is_checked = check != NULL;
    if (check == NULL)
        return;
    work->wrong = check->alarms.count;
    work->compared = check->alarms.compared;
    work->closest = check->alarms.closest;
}

const hyb_alarm_t *hyb_check_columns_alarm(const hyb_check_columns_t *check)
{
    return check != NULL && check->alarms.count > 0 ? &check->alarms.first
                                                    : NULL;
}

/* ---- sums of rows -------------------------------------------------------- */

/* Each piece of `a` stays in cache for c1 and c2. */
void hyb_check_columns_subtract(const hyb_check_columns_t *c, xh_view_t a,
                                int64_t first, double *z)
{
    enum { ROWS = 1024, COLS = 16 };

    for (int64_t i = 0; i < a.rows; i += ROWS)
        for (int64_t j = 0; j < a.cols; j += COLS) {
            hyb_sweep_t piece = {.a = xh_at(a, i, j),
                                 .rows = Mmin(ROWS, a.rows - i),
                                 .cols = Mmin(COLS, a.cols - j),
                                 .ld = a.ld};

            for (int which = 0; which < BOTH; which++) {
                piece.x = c->weight[which] + first + j;
                c->resources->kernel->subtract(&piece,
                                               z + which * c->mat->mp + i);
            }
        }
}

/* Compute z -= A w for rows from .. to - 1 of a run of columns. */
static void sweep(const hyb_check_columns_t *c, int64_t from, int64_t to,
                  hyb_run_t run, double *z)
{
    const HPL_T_pmat *mat = c->mat;
    const xh_view_t a = {Mptr(mat->A, from, run.from, mat->ld), to - from,
                         run.count, mat->ld};

    hyb_check_columns_subtract(c, a, run.from, z + from);
}

/* The sum that `weigh` computes: z := - A w for c1 and c2, over the columns of
 * `place`, to which the first `panels` panels have been applied. */
typedef struct {
    const hyb_check_columns_t *c;
    int place, panels;
    double *z;
} weighted_sum_t;

/* Return the number of the panel in `block`; the block of b has no panel. */
static int panel_of(const hyb_check_columns_t *c, int64_t block)
{
    return block < c->ledger->b ? hpl_map_block_global(&c->columns, block)
                                : INT32_MAX;
}

/* Return how many rows of `block` count. In a factored panel, only the rows of
 * U above its diagonal block do; subtract_diagonal adds the triangle. */
static int64_t rows_of(const weighted_sum_t *w, int64_t block)
{
    int panel = panel_of(w->c, block);

    return panel < w->panels ? hyb_lu_rows_above(w->c->grid, w->c->mat, panel)
                             : w->c->mat->mp;
}

/* Subtract U w of a factored panel's diagonal block from `z`. */
static void subtract_diagonal(const weighted_sum_t *w, int64_t block)
{
    const HPL_T_pmat *mat = w->c->mat;
    int panel = panel_of(w->c, block);
    hyb_run_t run = hyb_ledger_columns(w->c->ledger, hyb_one_block(block));
    int64_t first = hyb_lu_rows_above(w->c->grid, w->c->mat, panel);

    if (panel >= w->panels ||
        hyb_lu_rows_above(w->c->grid, w->c->mat, panel + 1) == first)
        return;
    for (int which = 0; which < BOTH; which++)
        for (int64_t j = 0; j < run.count; j++)
            for (int64_t i = 0; i <= j; i++)
                w->z[which * mat->mp + first + i] -=
                    *Mptr(mat->A, first + i, run.from + j, mat->ld) *
                    w->c->weight[which][run.from + j];
}

/* Is `block` in host memory? After the last panel b is too, for the
 * back-substitution. */
static bool is_in_host_memory(const weighted_sum_t *w, int64_t block)
{
    return hyb_homes_in_host_memory(w->c->homes, block) ||
           (block == w->c->ledger->b && w->panels == w->c->range->panels);
}

/* Compute one member's rows of `z` over the columns in host memory. */
static void weigh_share(void *context, int member)
{
    const weighted_sum_t *w = context;
    const hyb_check_columns_t *c = w->c;
    int64_t mp = c->mat->mp, members = hyb_team_size(c->resources->team);
    int64_t from = mp * member / members, to = mp * (member + 1) / members;

    for (int64_t b = 0; b < c->ledger->check; b++)
        if (hyb_place_number(c->homes, b) == w->place &&
            is_in_host_memory(w, b))
            sweep(c, from, Mmin(to, rows_of(w, b)),
                  hyb_ledger_columns(c->ledger, hyb_one_block(b)), w->z);
}

static void weigh_on_device(const weighted_sum_t *w, int64_t block)
{
    const HPL_T_pmat *mat = w->c->mat;
    hyb_place_t *home = hyb_place_of(w->c->homes, block);
    hyb_run_t run = hyb_ledger_columns(w->c->ledger, hyb_one_block(block));
    hpl_product_t product = {.m = (int)rows_of(w, block),
                             .n = (int)run.count,
                             .a = Mptr(mat->A, 0, run.from, mat->ld),
                             .lda = mat->ld};

    for (int which = 0; which < BOTH && product.m > 0; which++) {
        product.x = w->c->weight[which] + run.from;
        product.y = w->z + which * mat->mp;
        home->subtract(home, &product);
    }
}

static void weigh(const hyb_check_columns_t *c, int place, int panels,
                  double *z)
{
    weighted_sum_t w = {c, place, panels, z};

    memset(z, 0, BOTH * (size_t)c->mat->mp * sizeof(*z));
    hyb_team_run(c->resources->team, weigh_share, &w);
    for (int64_t b = 0; b < c->ledger->check; b++) {
        if (hyb_place_number(c->homes, b) != place)
            continue;
        if (!is_in_host_memory(&w, b))
            weigh_on_device(&w, b);
        subtract_diagonal(&w, b);
    }
}

/* Copy the check columns of `place` to `columns` (HYB_SAVE) or from there
 * (HYB_RESTORE). */
static void move_columns(const hyb_check_columns_t *c, int place, int way,
                         double *columns)
{
    hyb_place_t *home = c->homes->place[place];
    int64_t first = hyb_ledger_first(c->ledger, c->homes->check[place]);

    if (c->mat->mp > 0)
        home->copy(home, 0, first, way,
                   (xh_view_t){columns, c->mat->mp, BOTH, c->mat->mp});
}

/* Return the mean magnitude of the elements of `c1`. */
static double mean(const double *c1, int64_t rows)
{
    double sum = 0.0;

    for (int64_t i = 0; i < rows; i++)
        sum += fabs(c1[i]);
    return sum / Mmax(rows, 1);
}

/* Return the global number of the first row for which the check columns of
 * `place` are not maintained. The team's end with its last column, as panels
 * that devices factor are not copied to the host for check columns alone. */
static int64_t end_of(const hyb_check_columns_t *c, int place)
{
    int64_t blocks = c->homes->team_end;

    return place > 0 || blocks > c->ledger->b || c->grid->npcol > 1
               ? INT64_MAX
               : blocks * c->mat->nb;
}

static void sum(hyb_check_columns_t *c, int place, int panels)
{
    struct hyb_checked_place *p = &c->place[place];

    weigh(c, place, panels, c->work);
    for (int64_t i = 0; i < BOTH * (int64_t)c->mat->mp; i++)
        c->work[i] = -c->work[i];
    move_columns(c, place, HYB_RESTORE, c->work);
    p->right_until = panels;
    p->ratio = 3.0;
    p->end = end_of(c, place);
    p->scale = mean(c->work, c->mat->mp);
}

void hyb_check_columns_sum(hyb_check_columns_t *check, int panels)
{
    if (check == NULL)
        return;
    for (int i = 0; i < check->homes->places; i++)
        if (check->homes->check[i] >= 0)
            sum(check, i, panels);
    check->has_sums = true;
}

void hyb_check_columns_begin(hyb_check_columns_t *check, int panels)
{
    if (check != NULL && !check->has_sums)
        hyb_check_columns_sum(check, panels);
}

void hyb_check_columns_difference(const hyb_check_columns_t *c, int place,
                                  int panels, double *z)
{
    int64_t count = BOTH * (int64_t)c->mat->mp;
    double *columns = z + count;

    weigh(c, place, panels, z);
    move_columns(c, place, HYB_SAVE, columns);
    for (int64_t i = 0; i < count; i++)
        z[i] += columns[i];
}

/* ---- the team's columns, in the loop ------------------------------------- */

bool hyb_check_columns_are_uniform(const hyb_check_columns_t *c, int k)
{
    hyb_group_t group = c->groups->of[k];

    return group.end == group.first + 1 &&
           hpl_map_block_count(&c->columns, k) >= c->homes->guests;
}

bool hyb_check_columns_due(const hyb_check_columns_t *check, int k)
{
    return check != NULL && (k + 1) % check->every == 0 &&
           k >= check->range->first && k + 1 < check->range->end &&
           hyb_check_columns_are_uniform(check, k + 1);
}

/* Return where the sweep of `member` in iteration k is, and in *iteration_p
 * whose iteration's sweep is there. */
static double *sweep_of(const hyb_check_columns_t *c, int member, int k,
                        int **iteration_p)
{
    int64_t at = member * SWEEPS + k % SWEEPS;

    *iteration_p = &c->sweep_iteration[at];
    return c->sweeps + at * BOTH * c->mat->mp;
}

void hyb_check_columns_add_run(hyb_check_columns_t *check, int member, int k,
                               hyb_run_t run)
{
    int *iteration;
    double *z;

    if (!hyb_check_columns_due(check, k) || check->homes->check[0] < 0)
        return;
    z = sweep_of(check, member, k, &iteration);
    if (*iteration != k)
        memset(z, 0, BOTH * (size_t)check->mat->mp * sizeof(*z));
    *iteration = k;
    sweep(check, hyb_lu_rows_above(check->grid, check->mat, k + 1),
          check->mat->mp, run, z);
}

const double *hyb_check_columns_swept(const hyb_check_columns_t *c, int k)
{
    int64_t count = BOTH * (int64_t)c->mat->mp;
    bool any = false;

    memset(c->work, 0, (size_t)count * sizeof(*c->work));
    for (int m = 0; m < hyb_team_size(c->resources->team); m++) {
        int *iteration;
        const double *z = sweep_of(c, m, k, &iteration);

        any = any || *iteration == k;
        for (int64_t i = 0; i < count && *iteration == k; i++)
            c->work[i] += z[i];
    }
    return any ? c->work : NULL;
}
