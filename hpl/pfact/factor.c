/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdbool.h>
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hpl/pfact/pivot.h"

/*
 * The factorization of a panel, written once for all variants. Columns c ..
 * c+n-1 are processed in parts; each part is updated, factored, and applied to
 * other columns:
 *
 *     left-looking    before a part: solve its rows of U, update it
 *     Crout           before: update it; after: the part's rows of U
 *     right-looking   after: the part's rows of U, update all columns right
 *
 * A part is one column in the base variants; in the recursive ones it is
 * factored by recursion, or by the base variant once narrow enough.
 */
typedef struct {
    HPL_T_panel *panel;
    hpl_matrix_t l1;
    double *work;
    HPL_T_FACT variant;
    int begin, end; /* the columns being factored */
} stage_t;

/* Factor the n columns from c on, of which I hold m rows. */
typedef void (*part_fn_t)(const stage_t *s, int m, int n, int c);

/* The matrix below rows 0 .. c - 1 of the top, from column j on. */
static hpl_matrix_t below(const stage_t *s, int c, int j)
{
    const HPL_T_panel *panel = s->panel;
    int first = hpl_panel_top_rows(panel) > 0 ? c : 0;

    return (hpl_matrix_t){Mptr(panel->top, first, j, panel->lda), panel->lda,
                          HplNoTrans};
}

/* U(p, j) := L(p, p)^-1 U(p, j), for w rows from p and n columns from j on */
static void solve(const stage_t *s, int p, int w, int j, int n)
{
    hpl_matrix_trsm_unit_lower(w, n, hpl_matrix_at(s->l1, p, p),
                               hpl_matrix_at(s->l1, p, j));
}

/* Update columns p .. p+w-1 before they are factored; m is the number of my
 * rows from row p on. */
static void look_back(const stage_t *s, int m, int p, int w)
{
    int done = p - s->begin;

    if (s->variant == HPL_RIGHT_LOOKING || done == 0)
        return;
    if (s->variant == HPL_LEFT_LOOKING)
        solve(s, s->begin, done, p, w);
    hpl_matrix_gemm(m, w, done, below(s, p, s->begin),
                    hpl_matrix_at(s->l1, s->begin, p), below(s, p, p));
}

/* Apply columns p .. q-1 after they are factored; m is the number of my rows
 * from row q on. */
static void push(const stage_t *s, int m, int p, int q)
{
    int w = q - p, right = s->end - q;

    if (s->variant == HPL_LEFT_LOOKING || right == 0)
        return;
    if (s->variant == HPL_CROUT)
        hpl_matrix_gemm(
            w, right, p - s->begin, hpl_matrix_at(s->l1, p, s->begin),
            hpl_matrix_at(s->l1, s->begin, q), hpl_matrix_at(s->l1, p, q));
    solve(s, p, w, q, right);
    if (s->variant == HPL_RIGHT_LOOKING)
        hpl_matrix_gemm(m, right, w, below(s, q, p), hpl_matrix_at(s->l1, p, q),
                        below(s, q, q));
}

static void factor(const stage_t *s, int m, int part, part_fn_t factor_part)
{
    bool top = hpl_panel_top_rows(s->panel) > 0;
    int q;

    for (int p = s->begin; p < s->end; p = q) {
        q = Mmin(p + part, s->end);
        look_back(s, m, p, q - p);
        factor_part(s, m, q - p, p);
        m -= top ? q - p : 0;
        push(s, m, p, q);
    }
}

static void column_part(const stage_t *s, int m, int n, int c)
{
    (void)n;
    hpl_pivot_column(s->panel, m, c, s->l1, s->work);
}

static void recursive_part(const stage_t *s, int m, int n, int c)
{
    s->panel->algo->rffun(s->panel, m, n, c, s->work);
}

/* Columns per part: whole blocks of nbmin, dealt evenly to nbdiv parts. */
static int part_width(const HPL_T_palg *algo, int n)
{
    int blocks = (n - 1) / algo->nbmin + 1;

    return ((blocks - 1) / algo->nbdiv + 1) * algo->nbmin;
}

static void factor_columns(stage_t s, int m)
{
    HPL_ptimer(HPL_TIMING_PFACT);
    factor(&s, m, 1, column_part);
    HPL_ptimer(HPL_TIMING_PFACT);
}

static void factor_recursively(stage_t s, int m)
{
    const HPL_T_palg *algo = s.panel->algo;
    int n = s.end - s.begin;

    if (n <= algo->nbmin)
        algo->pffun(s.panel, m, n, s.begin, s.work);
    else
        factor(&s, m, part_width(algo, n), recursive_part);
}

#define VARIANT(name, factor_fn, variant, form)                                \
    void name(HPL_T_panel *PANEL, int M, int N, int ICOFF, double *WORK)       \
    {                                                                          \
        hpl_matrix_t l1 = {PANEL->L1, PANEL->jb, form};                        \
                                                                               \
        factor_fn((stage_t){PANEL, l1, WORK, variant, ICOFF, ICOFF + N}, M);   \
    }

VARIANT(HPL_pdpanllN, factor_columns, HPL_LEFT_LOOKING, HplNoTrans)
VARIANT(HPL_pdpanllT, factor_columns, HPL_LEFT_LOOKING, HplTrans)
VARIANT(HPL_pdpancrN, factor_columns, HPL_CROUT, HplNoTrans)
VARIANT(HPL_pdpancrT, factor_columns, HPL_CROUT, HplTrans)
VARIANT(HPL_pdpanrlN, factor_columns, HPL_RIGHT_LOOKING, HplNoTrans)
VARIANT(HPL_pdpanrlT, factor_columns, HPL_RIGHT_LOOKING, HplTrans)
VARIANT(HPL_pdrpanllN, factor_recursively, HPL_LEFT_LOOKING, HplNoTrans)
VARIANT(HPL_pdrpanllT, factor_recursively, HPL_LEFT_LOOKING, HplTrans)
VARIANT(HPL_pdrpancrN, factor_recursively, HPL_CROUT, HplNoTrans)
VARIANT(HPL_pdrpancrT, factor_recursively, HPL_CROUT, HplTrans)
VARIANT(HPL_pdrpanrlN, factor_recursively, HPL_RIGHT_LOOKING, HplNoTrans)
VARIANT(HPL_pdrpanrlT, factor_recursively, HPL_RIGHT_LOOKING, HplTrans)

/*
 * Copy L1 to the top rows of the matrix, where back-substitution reads U, and
 * L2 into the message if it travels.
 */
static void store(const HPL_T_panel *panel, enum HPL_TRANS form)
{
    int top_rows = hpl_panel_top_rows(panel);
    hpl_matrix_t l1 = {panel->L1, panel->jb, form};
    hpl_matrix_t top = {panel->top, panel->lda, HplNoTrans};

    if (top_rows > 0)
        hpl_matrix_copy(panel->jb, panel->jb, l1, top);
    if (panel->L2 != panel->top + top_rows)
        HPL_dlacpy(panel->mp - top_rows, panel->jb, panel->top + top_rows,
                   panel->lda, panel->L2, panel->ldl2);
}

void HPL_pdfact(HPL_T_panel *PANEL)
{
    HPL_T_RFA_FUN factor_panel = PANEL->algo->rffun;
    bool transposed = factor_panel == HPL_pdrpanllT ||
                      factor_panel == HPL_pdrpancrT ||
                      factor_panel == HPL_pdrpanrlT;
    double *work;

    if (PANEL->grid->mycol != PANEL->pcol)
        return;
    work = malloc(hpl_proposal_doubles(PANEL->jb) * sizeof(double));
    if (work == NULL)
        HPL_pabort(__LINE__, "HPL_pdfact", "out of memory");
    HPL_ptimer(HPL_TIMING_RPFACT);
    factor_panel(PANEL, PANEL->mp, PANEL->jb, 0, work);
    store(PANEL, transposed ? HplTrans : HplNoTrans);
    HPL_ptimer(HPL_TIMING_RPFACT);
    free(work);
}
