/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/system/back_substitution.h"

#include <string.h>
#include "hpl/pgesv/back_substitution.h"
#include "hybrid/observe/watchdog.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"

typedef struct {
    hyb_lu_t *lu;
    hyb_phase_t phase;
    double *second; /* with check columns: memory of a second result */
} solve_t;

/* Return the number of the place whose memory has the columns of product `p`.
 */
static int number_of(const solve_t *s, const hpl_product_t *p)
{
    const hyb_homes_t *homes = &s->lu->homes;
    const HPL_T_pmat *mat = s->lu->mat;
    int64_t column = (p->a - mat->A) / mat->ld;
    int64_t b = hyb_ledger_block(&s->lu->ledger, column);

    return hyb_homes_in_host_memory(homes, b) ? 0 : hyb_place_number(homes, b);
}

/* Compute the product on a device twice, and compare the results: nothing later
 * would notice an error. */
static void subtract_twice(const solve_t *s, int place, const hpl_product_t *p)
{
    hyb_place_t *home = s->lu->homes.place[place];
    hpl_product_t repeat = *p;

    repeat.y = s->second;
    memcpy(repeat.y, p->y, (size_t)p->m * sizeof(*p->y));
    home->subtract(home, p);
    home->subtract(home, &repeat);
    hyb_check_columns_compare_products(s->lu->check, place, p, repeat.y);
}

static void subtract(void *context, const hpl_product_t *p)
{
    solve_t *s = context;
    int place = number_of(s, p);
    hyb_place_t *home = s->lu->homes.place[place];

    hyb_phase_step(&s->phase);
    if (s->second != NULL && place > 0)
        subtract_twice(s, place, p);
    else
        home->subtract(home, p);
}

void hyb_back_substitution(hyb_lu_t *lu)
{
    solve_t solve = {.lu = lu,
                     .second = lu->check != NULL ? lu->check->work : NULL};
    hpl_subtract_t how = {.subtract = subtract, .context = &solve};

    hyb_phase_begin(&solve.phase, "in the back-substitution");
    hpl_back_substitution(lu->grid, lu->mat, &how);
    /* Compare the rows of U that were read. */
    hyb_check_columns_compare(lu->check, lu->range.panels);
    hyb_phase_end(&solve.phase);
}
