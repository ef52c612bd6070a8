/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/multiplier.h"

#include <string.h>
#include "base/blas_library.h"
#include "base/settings.h"

hyb_multiplier_t hyb_multiplier_of_setting(const hyb_kernel_t *kernel)
{
    const char *setting = xh_settings_text("kernel");
    hyb_kernels_t tried;

    if (strcmp(setting, "blas") == 0)
        return HYB_BY_BLAS;
    if (strcmp(setting, "auto") != 0 || xh_blas_library_identify().threads != 1)
        return HYB_BY_KERNEL;
    tried = hyb_kernels_of_setting();
    return hyb_kernels_prefer_blas(&tried, kernel) ? HYB_BY_BLAS
                                                   : HYB_BY_KERNEL;
}
