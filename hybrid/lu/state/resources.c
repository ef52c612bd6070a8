/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/state/resources.h"

#include <string.h>
#include "base/integers.h"
#include "base/settings.h"
#include "hybrid/cpu/update/run.h"

bool hyb_resources_by_blas(const hyb_kernels_t *tried,
                           const hyb_kernel_t *kernel)
{
    const char *setting = xh_settings_text("kernel");

    return strcmp(setting, "blas") == 0 ||
           (strcmp(setting, "auto") == 0 &&
            hyb_kernels_prefer_blas(tried, kernel));
}

const char *hyb_resources_panel(const hyb_resources_t *resources)
{
    return resources->panel != NULL ? resources->panel
                                    : xh_settings_text("panel");
}

/* The rows of U of a run leave room for L2 in the L2 cache. The BLAS library
 * packs L2 for each run, which wide runs make up for. */
int64_t hyb_resources_run_columns(const hyb_resources_t *resources, int64_t nb)
{
    enum { MOST_OF_BLAS = 512 };

    return resources->by_blas
               ? hyb_run_part(resources->kernel, nb, MOST_OF_BLAS)
               : hyb_run_cols(resources->kernel, nb);
}

/* The BLAS library is too slow for very few columns. */
int64_t hyb_resources_narrow_columns(const hyb_resources_t *resources,
                                     int64_t nb)
{
    enum { PANELS_OF_B = 4 };
    int64_t unit = resources->kernel->cols,
            run = hyb_resources_run_columns(resources, nb);
    int members = hyb_team_size(resources->team);

    if (resources->by_blas)
        return xh_whole_units(xh_larger(run / members, 1), unit);
    return xh_smaller(PANELS_OF_B * unit, run);
}

bool hyb_resources_need_columns(const hyb_resources_t *resources)
{
    return resources->by_blas || hyb_machine_devices(resources->machine) > 0;
}
