/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/integers.h"
#include "hpl.h"
#include "hpl/comm/waits.h"
#include "hpl/pgesv/factor_matrix.h"
#include "hpl/pgesv/progress.h"

/* The factorization and its panels in flight; panel k is ring[k % size]. */
typedef struct {
    HPL_T_grid *grid;
    HPL_T_palg *algo;
    HPL_T_pmat *mat;
    HPL_T_panel *ring; /* zeroed until opened */
    int panels;        /* block columns of A */
    int depth;         /* panels factored ahead, at most `panels` */
    int size;          /* depth + 1 */
    hpl_progress_t progress;
} lu_t;

static HPL_T_panel *panel_of(const lu_t *lu, int k)
{
    return &lu->ring[k % lu->size];
}

/* Number of columns of panel k, without b, even if b is in its block. */
static int width(const lu_t *lu, int k)
{
    return Mmin(lu->mat->nb, lu->mat->n - k * lu->mat->nb);
}

static void open_panel(const lu_t *lu, int k)
{
    enum { TAGS = 32768 }; /* the lowest limit of tags that MPI guarantees */
    HPL_T_pmat *mat = lu->mat;
    int first = k * mat->nb;

    HPL_pdpanel_init(lu->grid, lu->algo, mat->n - first, mat->n + 1 - first,
                     width(lu, k), mat, first, first, k % TAGS,
                     panel_of(lu, k));
}

/* Wait for panel k and note its first zero pivot. */
static HPL_T_panel *arrived(const lu_t *lu, int k)
{
    HPL_T_panel *panel = panel_of(lu, k);

    HPL_bwait(panel);
    if (lu->mat->info == 0)
        lu->mat->info = (int)*panel->DINFO;
    return panel;
}

/* Apply the panels before k that are still in flight to k's own columns. */
static void catch_up(const lu_t *lu, int k)
{
    if (panel_of(lu, k)->pcol != lu->grid->mycol)
        return;
    for (int j = Mmax(0, k - lu->depth); j < k; j++)
        lu->algo->upfun(NULL, NULL, arrived(lu, j), width(lu, k));
}

/* Apply panel k to all columns to which it has not been applied; meanwhile poll
 * the broadcast of panel `ahead`. */
static void update_rest(const lu_t *lu, int k, int ahead)
{
    HPL_T_panel *panel = arrived(lu, k), *next = NULL;
    int state = HPL_SUCCESS;

    if (ahead > k && ahead < lu->panels) {
        next = panel_of(lu, ahead);
        HPL_bcast(next, &state);
    }
    lu->algo->upfun(next, &state, panel, panel->nq);
}

/*
 * Step `ahead` factors panel `ahead` and updates with panel k = ahead - depth;
 * the first `depth` steps only factor, the last `depth` steps only update.
 */
static void run(lu_t *lu)
{
    int k;

    for (int ahead = 0; ahead < lu->panels + lu->depth; ahead++) {
        k = ahead - lu->depth;
        if (ahead < lu->panels) {
            open_panel(lu, ahead);
            catch_up(lu, ahead);
            HPL_pdfact(panel_of(lu, ahead));
            HPL_binit(panel_of(lu, ahead));
        }
        hpl_waits_step();
        if (k >= 0) {
            update_rest(lu, k, ahead);
            hpl_progress_say(&lu->progress,
                             lu->mat->n - (int64_t)(k + 1) * lu->mat->nb);
        }
    }
}

void hpl_factor_matrix(HPL_T_grid *grid, HPL_T_palg *algo, HPL_T_pmat *mat)
{
    lu_t lu = {.grid = grid, .algo = algo, .mat = mat};

    mat->info = 0;
    lu.panels = (int)xh_units(mat->n, mat->nb);
    lu.depth = Mmin(algo->depth, lu.panels);
    lu.size = lu.depth + 1;
    lu.ring = calloc((size_t)lu.size, sizeof(*lu.ring));
    if (lu.ring == NULL)
        HPL_pabort(__LINE__, "hpl_factor_matrix", "out of memory");
    lu.progress = hpl_progress_begin(grid, mat->n);
    run(&lu);
    for (int k = 0; k < lu.size; k++)
        HPL_pdpanel_free(&lu.ring[k]);
    free(lu.ring);
}
