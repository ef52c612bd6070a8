/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/means.h"

#include "base/integers.h"
#include "hybrid/cpu/update/chunk.h"

/* The rows of U of a run leave room for L2 in the second cache. The BLAS
 * library packs L2 for each run, which wide ones make up for. */
int64_t hyb_means_run_columns(const hyb_means_t *means, int64_t nb)
{
    enum { MOST_OF_BLAS = 512 };

    return means->multiplier == HYB_BY_BLAS
               ? hyb_chunk_part(means->kernel, nb, MOST_OF_BLAS)
               : hyb_chunk_cols(means->kernel, nb);
}

/* The BLAS library is too slow for very few columns. */
int64_t hyb_means_narrow_columns(const hyb_means_t *means, int64_t nb)
{
    enum { PANELS_OF_B = 4 };
    int64_t unit = means->kernel->cols, run = hyb_means_run_columns(means, nb);
    int members = hyb_team_size(means->team);

    if (means->multiplier == HYB_BY_BLAS)
        return xh_whole_units(xh_larger(run / members, 1), unit);
    return xh_smaller(PANELS_OF_B * unit, run);
}

bool hyb_means_need_columns(const hyb_means_t *means)
{
    return means->multiplier == HYB_BY_BLAS ||
           hyb_machine_devices(means->machine) > 0;
}
