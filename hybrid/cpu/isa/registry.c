/* SPDX-License-Identifier: BSD-3-Clause */
#include <stddef.h>
#include "hybrid/cpu/isa/kernel.h"

/* Each instruction set has a table in a file of its own; tables for other
 * processors are not linked. */
#define DECLARE(NAME, name)                                                    \
    extern const hyb_kernel_t hyb_kernel_##name __attribute__((weak));
XH_EACH_ISA(DECLARE)

#define ADDRESS(NAME, name) &hyb_kernel_##name,
static const hyb_kernel_t *const kernels[] = {XH_EACH_ISA(ADDRESS)};

const hyb_kernel_t *hyb_kernel_find(xh_isa_t isa)
{
    return xh_cpu_has(isa) ? kernels[isa] : NULL;
}
