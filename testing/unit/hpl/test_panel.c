/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 6 */
#include "testing/unit/unit_mpi.h"

#include "hpl.h"
#include "hpl/panel/panel.h"
#include "testing/unit/hpl/small_system.h"

enum { MOST = 40 };

typedef struct {
    HPL_T_grid grid;
    HPL_T_palg algo;
    HPL_T_pmat mat;
    double whole[MOST * (MOST + 1)];
} setting_t;

/* A matrix whose entry (i, j) is 1000 i + j; false outside the grid. */
static bool setting_open(setting_t *s, int nprow, int npcol, int n, int nb)
{
    for (int j = 0; j <= n; j++)
        for (int i = 0; i < n; i++)
            *Mptr(s->whole, i, j, n) = 1000.0 * i + j;
    s->algo = small_algorithm(SMALL_L1_N, HPL_CROUT, HPL_CROUT);
    if (!small_grid_open(&s->grid, nprow, npcol))
        return false;
    s->mat = small_distribute(&s->grid, n, nb, s->whole);
    return true;
}

static void setting_close(setting_t *s)
{
    small_release(&s->mat);
    small_grid_close(&s->grid);
}

static int width(const setting_t *s, int first)
{
    return Mmin(s->mat.nb, s->mat.n - first);
}

static void init(setting_t *s, int first, HPL_T_panel *panel)
{
    HPL_pdpanel_init(&s->grid, &s->algo, s->mat.n - first, s->mat.n + 1 - first,
                     width(s, first), &s->mat, first, first, 1, panel);
}

/* Rows (or columns) below first that process me of nprocs holds, by counting.
 */
static int held(int first, int nb, int nprocs, int me)
{
    int count = 0;

    for (int i = 0; i < first; i++)
        count += i / nb % nprocs == me;
    return count;
}

/* What is wrong with where the panel at first is said to be. */
static int misplaced(const setting_t *s, const HPL_T_panel *p, int first)
{
    const HPL_T_grid *grid = &s->grid;
    int nb = s->mat.nb, errors = 0;
    int ii = held(first, nb, grid->nprow, grid->myrow);
    int jj = held(first + p->jb, nb, grid->npcol, grid->mycol);

    errors += p->prow != first / nb % grid->nprow;
    errors += p->pcol != first / nb % grid->npcol;
    errors += p->ii != ii || p->mp != s->mat.mp - ii;
    errors += p->jj != jj || p->nq != s->mat.nq - jj;
    if (p->mp > 0 && p->nq > 0)
        errors += p->A != Mptr(s->mat.A, ii, jj, s->mat.ld);
    if (p->mp > 0 && grid->mycol == p->pcol)
        errors += p->top != Mptr(s->mat.A, ii, jj - p->jb, s->mat.ld);
    return errors;
}

/* Parts of WORK that overlap, leave a gap or travel when they need not. */
static int badly_laid_out(const setting_t *s, const HPL_T_panel *p)
{
    int below = p->mp - hpl_panel_top_rows(p), errors = 0;
    size_t l2 = s->grid.npcol > 1 ? (size_t)below * (size_t)p->jb : 0;
    size_t jb = (size_t)p->jb;

    errors += p->length != hpl_panel_doubles(below, p->jb, s->grid.npcol);
    errors += p->length != l2 + jb * jb + jb + 1;
    errors += p->L1 != p->WORK + l2;
    errors += p->DPIV != p->L1 + jb * jb;
    errors += p->DINFO != p->DPIV + jb || *p->DINFO != 0.0;
    errors += p->capacity < p->length;
    if (s->grid.npcol > 1)
        errors += p->L2 != p->WORK || p->ldl2 < Mmax(below, 1);
    else if (below > 0)
        errors +=
            p->L2 != p->top + hpl_panel_top_rows(p) || p->ldl2 != s->mat.ld;
    return errors;
}

typedef int (*judge_t)(setting_t *s);

/* On several grids, orders and widths: b alone in its block, in the last
 * panel's block, processes without rows or columns. */
static void judge_everywhere(judge_t judge)
{
    static const int shapes[][2] = {{MOST, 7}, {36, 6}, {5, 9}, {3, 1}, {1, 4}};
    static const int grids[][2] = {{1, 1}, {2, 1}, {1, 3}, {2, 3}, {3, 2}};
    static setting_t s;
    int errors = 0;

    for (size_t g = 0; g < COUNT_OF(grids); g++)
        for (size_t k = 0; k < COUNT_OF(shapes); k++) {
            if (grids[g][0] * grids[g][1] > unit_processes())
                continue;
            if (setting_open(&s, grids[g][0], grids[g][1], shapes[k][0],
                             shapes[k][1]))
                errors += judge(&s);
            setting_close(&s);
        }
    assert_int_equal(errors, 0);
}

static int judge_places(setting_t *s)
{
    HPL_T_panel panel = {.grid = NULL};
    int errors = 0;

    for (int first = 0; first < s->mat.n; first += s->mat.nb) {
        init(s, first, &panel);
        errors += misplaced(s, &panel, first);
        errors += badly_laid_out(s, &panel);
    }
    HPL_pdpanel_free(&panel);
    return errors;
}

TEST_CALL(a_panel_knows_where_it_lies, judge_everywhere(judge_places))

static int judge_reuse(setting_t *s)
{
    HPL_T_panel panel = {.grid = NULL};
    double *memory;
    size_t capacity;
    int errors;

    init(s, 0, &panel);
    memory = panel.WORK;
    capacity = panel.capacity;
    for (int first = 0; first < s->mat.n; first += s->mat.nb)
        init(s, first, &panel);
    errors = panel.WORK != memory || panel.capacity != capacity;
    errors += HPL_pdpanel_free(&panel) != HPL_SUCCESS;
    errors += panel.WORK != NULL || panel.U != NULL || panel.capacity != 0;
    init(s, 0, &panel); /* usable again */
    errors += misplaced(s, &panel, 0) + badly_laid_out(s, &panel);
    HPL_pdpanel_free(&panel);
    return errors;
}

TEST_CALL(later_panels_use_the_memory_of_the_first,
          judge_everywhere(judge_reuse))
