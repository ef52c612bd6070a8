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

double hyb_model_local(const hpl_shape_t *test, int64_t first, int64_t n,
                       int processes, int me)
{
    hpl_map_t map = hpl_map(test->nb, processes, me);

    return first < n
               ? (double)(hpl_map_count(&map, n) - hpl_map_count(&map, first))
               : 0.0;
}

double hyb_model_rows(const hyb_model_t *model, int64_t first, int p)
{
    const hpl_shape_t *test = &model->test;

    if (p == HYB_MODEL_TALLEST || model->rows < test->nprow)
        p = (int)(first / test->nb % test->nprow);
    return hyb_model_local(test, first, test->n, test->nprow, p);
}
