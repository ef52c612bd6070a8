/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include "hybrid/cpu/eliminate.h"

const hyb_eliminate_t *hyb_eliminate_find(xh_isa_t isa)
{
    switch (isa) {
    case XH_ISA_AVX512:
        return hyb_eliminate_avx512;
    case XH_ISA_AVX2:
        return hyb_eliminate_avx2;
    case XH_ISA_PORTABLE:
        return hyb_eliminate_portable;
    default:
        return NULL;
    }
}
