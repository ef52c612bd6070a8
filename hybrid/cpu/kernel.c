/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/kernel.h"

#include <stddef.h>
#include <string.h>
#include "base/settings.h"

const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa)
{
    switch (isa) {
    case XH_ISA_AVX512:
        return hyb_kernel_avx512;
    case XH_ISA_AVX2:
        return hyb_kernel_avx2;
    case XH_ISA_PORTABLE:
        return hyb_kernel_portable;
    default:
        return NULL;
    }
}

const hyb_kernel_t *hyb_kernel_best(void)
{
    int isa = (int)xh_cpu_isa();

    while (isa > XH_ISA_PORTABLE && hyb_kernel_find((xh_isa_t)isa) == NULL)
        isa--;
    return hyb_kernel_find((xh_isa_t)isa);
}

const hyb_kernel_t *hyb_kernel_of_setting(void)
{
    const char *name = xh_settings_text("kernel");
    const hyb_kernel_t *kernel;
    int isa;

    if (strcmp(name, "auto") == 0)
        return hyb_kernel_best();
    for (isa = 0; isa <= (int)xh_cpu_isa(); isa++) {
        kernel = hyb_kernel_find((xh_isa_t)isa);
        if (kernel != NULL && strcmp(name, kernel->name) == 0)
            return kernel;
    }
    return NULL;
}
