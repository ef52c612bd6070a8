/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/hpl/exchange_fixture.h"

#include "hpl/panel/panel.h"
#include "hpl/pauxil/map.h"
#include "testing/unit/unit.h"

void exchange_setting_open(exchange_setting_t *s, uint64_t *random)
{
    int i, ia = s->k * s->nb;
    int jb = Mmin(Mmax(s->wide, 1) * s->nb, s->n - ia);
    size_t entries = (size_t)s->n * ((size_t)s->n + 1);
    int *pivot = malloc((size_t)jb * sizeof(*pivot));

    s->whole = malloc(entries * sizeof(double));
    assert_true(s->whole != NULL && pivot != NULL);
    small_fill(random, s->whole, entries);
    s->mat = small_distribute(&s->grid, s->n, s->nb, s->whole);
    HPL_pdpanel_new(&s->grid, &s->algo, s->n - ia, s->n + 1 - ia, jb, &s->mat,
                    ia, ia, s->k, &s->panel);
    for (i = 0; i < jb; i++) {
        pivot[i] = ia + i + small_random(random, s->n - ia - i);
        s->panel->DPIV[i] = pivot[i];
    }
    small_interchange(s->whole, s->n, ia, jb, pivot, ia + jb, s->n + 1);
    free(pivot);
}

void exchange_setting_close(exchange_setting_t *s)
{
    HPL_pdpanel_disp(&s->panel);
    small_release(&s->mat);
    free(s->whole);
}

double exchange_expected(const exchange_setting_t *s, int64_t i, int j)
{
    hpl_map_t columns = hpl_map(s->nb, s->grid.npcol, s->grid.mycol);

    return s->whole[i + hpl_map_global(&columns, j) * s->n];
}

int exchange_wrong_rows(const exchange_setting_t *s, int columns)
{
    hpl_map_t rows = hpl_map(s->nb, s->grid.nprow, s->grid.myrow);
    int errors = 0;

    for (int j = 0; j < columns; j++)
        for (int i = hpl_panel_top_rows(s->panel); i < s->panel->mp; i++)
            errors +=
                *Mptr(s->panel->A, i, j, s->panel->lda) !=
                exchange_expected(s, hpl_map_global(&rows, s->panel->ii + i),
                                  s->panel->jj + j);
    return errors;
}
