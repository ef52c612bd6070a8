/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/back_substitution.h"

#include "hpl_misc.h"
#include "hpl/pgesv/back_substitution.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/verify/carried.h"

enum {
    LINE = 8,          /* rows of a cache line, which members do not share */
    TILE = 1 << 14,    /* rows of y that stay in a core's own cache */
    WORTH_IT = 1 << 14 /* entries of a for which members are called */
};

typedef struct {
    hyb_lu_t *lu;
    const hpl_product_t *product;
    int64_t share; /* rows of each member */
    hyb_phase_t phase;
} solve_t;

/* The same in pieces that are still in a core's cache when their bits are
 * summed. */
static void subtract_and_check(const solve_t *s, int64_t from, int64_t end)
{
    enum { ROWS = 1 << 12, COLS = 8 };
    const hpl_product_t *p = s->product;

    for (int64_t i = from; i < end; i += ROWS)
        for (int64_t j = 0; j < p->n; j += COLS) {
            hyb_sweep_t piece = {.a = p->a + i + j * p->lda,
                                 .rows = Mmin(ROWS, end - i),
                                 .cols = Mmin(COLS, p->n - j),
                                 .ld = p->lda,
                                 .x = p->x + j};

            s->lu->means.kernel->subtract(&piece, p->y + i);
            hyb_carried_read(s->lu, piece.a, piece.rows, piece.cols);
        }
}

static void subtract_share(void *argument, int member)
{
    const solve_t *s = argument;
    const hpl_product_t *p = s->product;
    hyb_sweep_t tile = {.cols = p->n, .ld = p->lda, .x = p->x};
    int64_t i = member * s->share, end = Mmin(i + s->share, p->m);

    if (s->lu->carried != NULL) {
        subtract_and_check(s, i, end);
        return;
    }
    for (; i < end; i += TILE) {
        tile.a = p->a + i;
        tile.rows = Mmin(TILE, end - i);
        s->lu->means.kernel->subtract(&tile, p->y + i);
    }
}

/* Whose memory has these columns. Guests have gone home. */
static hyb_place_t *home_of(const solve_t *s, const hpl_product_t *p)
{
    hyb_homes_t *homes = &s->lu->homes;
    const HPL_T_pmat *mat = s->lu->mat;
    int64_t column = (p->a - mat->A) / mat->ld;
    int64_t b = hyb_ledger_block(&s->lu->ledger, column);

    return hyb_homes_is_guest(homes, b) ? &homes->host : hyb_home_of(homes, b);
}

static void subtract(void *context, const hpl_product_t *p)
{
    solve_t *s = context;
    int size = hyb_team_size(s->lu->means.team);
    hyb_place_t *home = home_of(s, p);

    hyb_phase_step(&s->phase);
    if (home->subtract != NULL) {
        home->subtract(home, p);
        return;
    }
    s->product = p;
    s->share = p->m;
    if ((int64_t)p->m * p->n < WORTH_IT) {
        subtract_share(s, 0);
        return;
    }
    s->share = (p->m / size + LINE) / LINE * LINE;
    hyb_team_run(s->lu->means.team, subtract_share, s);
}

void hyb_back_substitution(hyb_lu_t *lu)
{
    solve_t solve = {.lu = lu};
    hpl_subtract_t how = {.subtract = subtract, .context = &solve};

    hyb_phase_begin(&solve.phase, "in the back-substitution",
                    hyb_watchdog_patience());
    hyb_carried_begin_read(lu);
    hpl_back_substitution(lu->grid, lu->mat, &how);
    hyb_carried_end_read(lu);
    hyb_phase_end(&solve.phase);
}
