/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model_private.h"

#include "hpl/pauxil/map.h"

double hyb_model_panel_seconds(const hyb_model_t *model, double rows,
                               int threads)
{
    double alone = hyb_model_curve_at(&model->width.alone, rows);
    double team = hyb_model_curve_at(&model->width.team, rows);
    int most = model->rates->threads;
    double divided = (alone - team) / (1.0 - 1.0 / most);

    if (threads == 1 || most == 1)
        return threads == most ? team : alone;
    return alone - divided + divided / threads;
}

int hyb_model_owner(const hyb_model_t *model, int64_t k)
{
    const hpl_deal_t *deal = model->test.deal;

    return deal != NULL && k < deal->blocks ? deal->owner[k]
                                            : (int)(k % model->test.npcol);
}

double hyb_model_speed(const hyb_model_t *model, int q)
{
    return model->rates->speed != NULL ? model->rates->speed[q] : 1.0;
}

/* Return how many of the indices first .. n - 1 belong to the map's process. */
static double count(const hpl_map_t *map, int64_t first, int64_t n)
{
    return first < n
               ? (double)(hpl_map_count(map, n) - hpl_map_count(map, first))
               : 0.0;
}

double hyb_model_columns(const hyb_model_t *model, int64_t first, int q)
{
    const hpl_shape_t *test = &model->test;
    hpl_map_t map = hpl_map(test->nb, test->npcol, q);

    map.deal = test->deal;
    return count(&map, first, (int64_t)test->n + 1);
}

double hyb_model_rows(const hyb_model_t *model, int64_t first, int p)
{
    const hpl_shape_t *test = &model->test;
    hpl_map_t map;

    if (p == HYB_MODEL_TALLEST || model->rows < test->nprow)
        p = (int)(first / test->nb % test->nprow);
    map = hpl_map(test->nb, test->nprow, p);
    return count(&map, first, test->n);
}
