/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/tile_model.h"

#include <math.h>
#include "base/integers.h"

static const double call_seconds = 5e-5; /* of a tile's calls */

double hyb_tile_model_seconds(const hyb_tile_model_t *model,
                              const hyb_rate_table_t *rates, int64_t size)
{
    int64_t rows = xh_smaller(size, model->m);
    int64_t cols = xh_smaller(size, model->n);
    double elements = (double)rows * (double)cols;
    double bytes = sizeof(double) * elements;
    double tiles =
        (double)model->m * (double)model->n / model->executors / elements;
    double multiply = 2.0 * (double)model->k * elements /
                      hyb_rate_table_rate(rates, rows, cols, model->k);
    double out = bytes / rates->link_rate, in = model->reads_c ? out : 0.0;
    double commit = model->commit_rate > 0.0 ? bytes / model->commit_rate : 0.0;
    double way = in + multiply + out + commit + call_seconds, pace;

    if (rates->link_rate == 0.0)
        return (tiles + 1.0) * multiply;
    pace = fmax(fmax(multiply, out), fmax(commit, way / model->slots)) +
           call_seconds;
    tiles += 1.0 - 1.0 / model->executors;
    return tiles * pace + way;
}

int64_t hyb_tile_model_best(const hyb_tile_model_t *model,
                            const hyb_rate_table_t *rates, int64_t fallback)
{
    int64_t best = fallback;
    double least = INFINITY;
    int s;

    for (s = 0; s < HYB_RATE_SIZES && rates->rate[0][s] > 0.0; s++) {
        double time = hyb_tile_model_seconds(model, rates, hyb_rate_size(s));

        if (time < least) {
            least = time;
            best = hyb_rate_size(s);
        }
    }
    return xh_smaller(best, xh_larger(model->m, model->n));
}
