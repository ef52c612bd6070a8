/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/guard/check_columns.h"

#include <math.h>
#include <string.h>
#include "base/memory.h"
#include "base/settings.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/guard/differences.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/worker.h"

enum { BOTH = HYB_CHECK_COLUMNS, SWEEPS = HYB_SWEEPS };

/* ---- memory -------------------------------------------------------------- */

typedef struct {
    int64_t rows, columns, nb;
    int members, places, nprow;
    bool devices;
} extent_t;

/* Lay out c->memory, which may be NULL; return the number of doubles. */
static size_t lay_out(struct hyb_check_columns *c, extent_t e)
{
    int64_t part_size = e.nprow > 1 ? BOTH * 2 * e.nb : 0;
    size_t at = 0;

    for (int i = 0; i < BOTH; i++)
        c->weight[i] = hyb_next_pages(c->memory, &at, e.columns);
    c->work = hyb_next_pages(c->memory, &at, 2 * BOTH * Mmax(e.rows, e.nb));
    c->sweeps =
        hyb_next_pages(c->memory, &at, SWEEPS * BOTH * e.members * e.rows);
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        c->panel[i] = hyb_next_pages(
            c->memory, &at, e.nprow > 1 || e.devices ? BOTH * e.rows : 0);
    for (int i = 0; i < HYB_IN_FLIGHT; i++)
        c->pivot_rows[i] =
            hyb_next_pages(c->memory, &at, e.nprow > 1 ? 2 * e.nb * e.nb : 0);
    c->u_sums = hyb_next_pages(
        c->memory, &at, e.nprow > 1 || e.devices ? BOTH * e.nb * e.nb : 0);
    c->l2_sums = hyb_next_pages(c->memory, &at, e.devices ? BOTH * e.rows : 0);
    c->parts = hyb_next_pages(c->memory, &at, e.members * e.places * part_size);
    c->sweep_iteration =
        (int *)hyb_next_pages(c->memory, &at, SWEEPS * e.members);
    c->part_iteration = (int *)hyb_next_pages(c->memory, &at, e.members);
    return at;
}

/* Does the check take less than 1% of the run? On cores it does from
 * HYB_CHECK_ROWS rows per process on: the check grows as N^2 P, the
 * factorization as N^3. */
static bool is_cheap(const hyb_resources_t *resources, int64_t n, int nprow)
{
    return n / nprow >= HYB_CHECK_ROWS && !resources->offloads;
}

bool hyb_check_columns_wanted(const hyb_resources_t *resources, int64_t n,
                              int nprow)
{
    const char *verify = xh_settings_text("verify");

    if (strcmp(verify, "auto") == 0)
        return is_cheap(resources, n, nprow);
    return strcmp(verify, "online") == 0;
}

static extent_t extent_of(const hyb_resources_t *resources,
                          const hpl_shape_t *shape, int places)
{
    return (extent_t){.rows = hpl_system_rows(shape),
                      .columns = hpl_system_columns(shape) + BOTH * places,
                      .nb = Mmin(shape->nb, shape->n),
                      .members = hyb_team_size(resources->team),
                      .places = places + 1,
                      .nprow = shape->nprow,
                      .devices = resources->resident};
}

uint64_t hyb_check_columns_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape, int places)
{
    struct hyb_check_columns c = {.memory = NULL};

    return resources->checked
               ? sizeof(double) *
                     lay_out(&c, extent_of(resources, shape, places))
               : 0;
}

/* The weights are 1 and 1 + j / N. A check column has weight -1 in its own sum,
 * so that the sum is A w - c. */
static void set_weights(hyb_lu_t *lu)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);
    double n = Mmax(lu->mat->n, 1);

    for (int64_t j = 0; j < lu->ledger.columns_of_ab; j++) {
        lu->check->weight[0][j] = 1.0;
        lu->check->weight[1][j] = 1.0 + (double)hpl_map_global(&map, j) / n;
    }
    for (int64_t j = lu->ledger.columns_of_ab; j < lu->ledger.columns; j++) {
        int which = (int)((j - lu->ledger.columns_of_ab) % BOTH);

        lu->check->weight[which][j] = -1.0;
        lu->check->weight[1 - which][j] = 0.0;
    }
}

xh_status_t hyb_check_columns_create(hyb_lu_t *lu)
{
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);
    struct hyb_check_columns *c;
    extent_t e;

    if (!lu->resources.checked)
        return XH_OK;
    lu->check = c = calloc(1, sizeof(*c));
    if (c == NULL)
        return XH_ERR_MEMORY;
    e = extent_of(&lu->resources, &shape,
                  (int)(lu->ledger.blocks - lu->ledger.check));
    c->bytes = lay_out(c, e) * sizeof(double);
    XH_TRY(xh_memory_allocate(c->bytes, (void **)&c->memory));
    xh_memory_touch(c->memory, c->bytes, 0, 1);
    lay_out(c, e);
    for (int i = 0; i < e.members; i++)
        c->sweep_iteration[SWEEPS * i] = c->sweep_iteration[SWEEPS * i + 1] =
            c->part_iteration[i] = -1;
    c->every = (int)xh_settings_int("verify_every");
    set_weights(lu);
    return XH_OK;
}

void hyb_check_columns_destroy(hyb_lu_t *lu)
{
    if (lu->check == NULL)
        return;
    xh_memory_free(lu->check->memory, lu->check->bytes);
    free(lu->check);
}

/* ---- sums of rows -------------------------------------------------------- */

/* Return the number of the panel in `block`; the block of b has no panel. */
static int panel_of(const hyb_lu_t *lu, int64_t block)
{
    hpl_map_t map = hpl_map_columns(lu->grid, lu->mat->nb);

    return block < lu->ledger.b ? hpl_map_block_global(&map, block) : INT32_MAX;
}

/* Subtract U w of a factored panel's diagonal block from `z`. */
static void subtract_diagonal(const hyb_lu_t *lu, int64_t block,
                              const double *w, double *z)
{
    int panel = panel_of(lu, block);
    hyb_run_t run = hyb_ledger_columns(&lu->ledger, hyb_one_block(block));
    int64_t first = hyb_lu_rows_above(lu, panel);

    if (hyb_lu_rows_above(lu, panel + 1) == first)
        return;
    for (int64_t j = 0; j < run.count; j++)
        for (int64_t i = 0; i <= j; i++)
            z[first + i] -=
                *Mptr(lu->mat->A, first + i, run.from + j, lu->mat->ld) *
                w[run.from + j];
}

/* Compute z -= A w for c1 and c2, for rows from .. to - 1 of a run of columns.
 * Each piece stays in cache for both. */
static void sweep(const hyb_lu_t *lu, int64_t from, int64_t to, hyb_run_t run,
                  double *z)
{
    enum { ROWS = 1024, COLS = 16 };
    const HPL_T_pmat *mat = lu->mat;

    for (int64_t i = from; i < to; i += ROWS)
        for (int64_t j = run.from; j < run.from + run.count; j += COLS) {
            hyb_sweep_t piece = {.a = Mptr(mat->A, i, j, mat->ld),
                                 .rows = Mmin(ROWS, to - i),
                                 .cols = Mmin(COLS, run.from + run.count - j),
                                 .ld = mat->ld};

            for (int which = 0; which < BOTH; which++) {
                piece.x = lu->check->weight[which] + j;
                lu->resources.kernel->subtract(&piece, z + which * mat->mp + i);
            }
        }
}

/* The sum that `weigh` computes: z := - A w for c1 and c2, over the columns of
 * `place`, to which the first `panels` panels have been applied. */
typedef struct {
    hyb_lu_t *lu;
    int place, panels;
    double *z;
} weighted_sum_t;

/* Return how many rows of `block` count. In a factored panel, only the rows of
 * U above its diagonal block do; subtract_diagonal adds the triangle. */
static int64_t rows_of(const weighted_sum_t *w, int64_t block)
{
    int panel = panel_of(w->lu, block);

    return panel < w->panels ? hyb_lu_rows_above(w->lu, panel) : w->lu->mat->mp;
}

/* Is `block` in host memory? After the last panel b is too, for the
 * back-substitution. */
static bool is_in_host_memory(const weighted_sum_t *w, int64_t block)
{
    const hyb_lu_t *lu = w->lu;

    return hyb_homes_in_host_memory(&lu->homes, block) ||
           (block == lu->ledger.b && w->panels == lu->range.panels);
}

/* Compute one member's rows of `z` over the columns in host memory. */
static void weigh_share(void *context, int member)
{
    const weighted_sum_t *w = context;
    hyb_lu_t *lu = w->lu;
    int64_t mp = lu->mat->mp, members = hyb_team_size(lu->resources.team);
    int64_t from = mp * member / members, to = mp * (member + 1) / members;

    for (int64_t b = 0; b < lu->ledger.check; b++)
        if (hyb_place_number(&lu->homes, b) == w->place &&
            is_in_host_memory(w, b))
            sweep(lu, from, Mmin(to, rows_of(w, b)),
                  hyb_ledger_columns(&lu->ledger, hyb_one_block(b)), w->z);
}

static void weigh_on_device(const weighted_sum_t *w, int64_t block)
{
    hyb_lu_t *lu = w->lu;
    hyb_place_t *home = hyb_place_of(&lu->homes, block);
    hyb_run_t run = hyb_ledger_columns(&lu->ledger, hyb_one_block(block));
    hpl_product_t product = {.m = (int)rows_of(w, block),
                             .n = (int)run.count,
                             .a = Mptr(lu->mat->A, 0, run.from, lu->mat->ld),
                             .lda = lu->mat->ld};

    for (int which = 0; which < BOTH && product.m > 0; which++) {
        product.x = lu->check->weight[which] + run.from;
        product.y = w->z + which * lu->mat->mp;
        home->subtract(home, &product);
    }
}

static void weigh(hyb_lu_t *lu, int place, int panels, double *z)
{
    weighted_sum_t w = {lu, place, panels, z};

    memset(z, 0, BOTH * (size_t)lu->mat->mp * sizeof(*z));
    hyb_team_run(lu->resources.team, weigh_share, &w);
    for (int64_t b = 0; b < lu->ledger.check; b++) {
        if (hyb_place_number(&lu->homes, b) != place)
            continue;
        if (!is_in_host_memory(&w, b))
            weigh_on_device(&w, b);
        for (int which = 0; which < BOTH && panel_of(lu, b) < panels; which++)
            subtract_diagonal(lu, b, lu->check->weight[which],
                              z + which * lu->mat->mp);
    }
}

/* Copy the check columns of place to `c` (HYB_SAVE) or from `c` (HYB_RESTORE).
 */
static void move_columns(hyb_lu_t *lu, int place, int way, double *c)
{
    hyb_place_t *home = lu->homes.place[place];
    int64_t column = hyb_ledger_first(&lu->ledger, lu->homes.check[place]);

    if (lu->mat->mp > 0)
        home->copy(home, 0, column, way,
                   (xh_view_t){c, lu->mat->mp, BOTH, lu->mat->mp});
}

/* Return the mean magnitude of the elements of `c`. */
static double mean(const double *c, int64_t rows)
{
    double sum = 0.0;

    for (int64_t i = 0; i < rows; i++)
        sum += fabs(c[i]);
    return sum / Mmax(rows, 1);
}

/* Return the global number of the first row for which the check columns of
 * `place` are not maintained. The team's end with its last column, as panels
 * that devices factor are not copied to the host for check columns alone. */
static int64_t end_of(const hyb_lu_t *lu, int place)
{
    int64_t blocks = lu->homes.team_end;

    return place > 0 || blocks > lu->ledger.b || lu->grid->npcol > 1
               ? INT64_MAX
               : blocks * lu->mat->nb;
}

static void sum(hyb_lu_t *lu, int place, int panels)
{
    struct hyb_check_columns *c = lu->check;

    weigh(lu, place, panels, c->work);
    for (int64_t i = 0; i < BOTH * (int64_t)lu->mat->mp; i++)
        c->work[i] = -c->work[i];
    move_columns(lu, place, HYB_RESTORE, c->work);
    c->place[place].right_until = panels;
    c->place[place].ratio = 3.0;
    c->place[place].end = end_of(lu, place);
    c->place[place].scale = mean(c->work, lu->mat->mp);
}

void hyb_check_columns_sum(hyb_lu_t *lu, int panels)
{
    for (int i = 0; lu->check != NULL && i < lu->homes.places; i++)
        if (lu->homes.check[i] >= 0)
            sum(lu, i, panels);
    if (lu->check != NULL)
        lu->check->has_sums = true;
}

void hyb_check_columns_begin(hyb_lu_t *lu)
{
    if (lu->check != NULL && !lu->check->has_sums)
        hyb_check_columns_sum(lu, lu->range.first);
}

void hyb_check_columns_difference(hyb_lu_t *lu, int place, int panels,
                                  double *z)
{
    int64_t count = BOTH * (int64_t)lu->mat->mp;
    double *columns = z + count;

    weigh(lu, place, panels, z);
    move_columns(lu, place, HYB_SAVE, columns);
    for (int64_t i = 0; i < count; i++)
        z[i] += columns[i];
}

/* ---- the team's columns, in the loop ------------------------------------- */

bool hyb_check_columns_are_uniform(const hyb_lu_t *lu, int k)
{
    hyb_group_t group = lu->groups.of[k];

    return group.end == group.first + 1 &&
           hyb_lu_trailing(lu, k - 1).from >= lu->homes.guests;
}

bool hyb_check_columns_due(const hyb_lu_t *lu, int k)
{
    return lu->check != NULL && (k + 1) % lu->check->every == 0 &&
           k >= lu->range.first && k + 1 < hyb_lu_end(lu) &&
           hyb_check_columns_are_uniform(lu, k + 1);
}

/* Does the team sweep its columns in iteration k? If some columns visit
 * devices, it does not, as no thread has them in cache. */
static bool team_sweeps(const hyb_lu_t *lu, int k)
{
    return hyb_check_columns_due(lu, k) && lu->homes.check[0] >= 0 &&
           lu->visits == NULL;
}

static double *sweep_of(const hyb_lu_t *lu, int member, int k)
{
    return lu->check->sweeps +
           (int64_t)(member * SWEEPS + k % SWEEPS) * BOTH * lu->mat->mp;
}

void hyb_check_columns_add_run(hyb_worker_t *me, int k, hyb_run_t run)
{
    hyb_lu_t *lu = me->lu;
    double *z;

    if (!team_sweeps(lu, k))
        return;
    z = sweep_of(lu, me->member, k);
    if (lu->check->sweep_iteration[me->member * SWEEPS + k % SWEEPS] != k)
        memset(z, 0, BOTH * (size_t)lu->mat->mp * sizeof(*z));
    lu->check->sweep_iteration[me->member * SWEEPS + k % SWEEPS] = k;
    sweep(lu, hyb_lu_rows_above(lu, k + 1), lu->mat->mp, run, z);
}

const double *hyb_check_columns_swept(hyb_lu_t *lu, int k)
{
    struct hyb_check_columns *c = lu->check;
    int64_t count = BOTH * (int64_t)lu->mat->mp;

    if (k < 0 || !team_sweeps(lu, k))
        return NULL;
    memset(c->work, 0, (size_t)count * sizeof(*c->work));
    for (int m = 0; m < hyb_team_size(lu->resources.team); m++)
        for (int64_t i = 0; i < count; i++)
            if (c->sweep_iteration[m * SWEEPS + k % SWEEPS] == k)
                c->work[i] += sweep_of(lu, m, k)[i];
    return c->work;
}
