/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <stdbool.h>
#include "base/status.h"
#include "base/view.h"
#include "hybrid/cpu/trial/trial.h"
#include "testing/ptest/record_parts.h"

/* All kernels take the model's time, so none is tried. */
hyb_kernels_t __wrap_hyb_kernels_of_setting(void)
{
    return (hyb_kernels_t){.set = 1u << XH_ISA_PORTABLE};
}

xh_status_t __wrap_hyb_kernel_of_setting(const hyb_kernel_t **kernel_p)
{
    *kernel_p = hyb_kernel_find(XH_ISA_PORTABLE);
    return XH_OK;
}

/* There is no BLAS library. */

bool __wrap_hyb_blas_present(void)
{
    return false;
}

xh_status_t __wrap_hyb_blas_gemm(const xh_gemm_t *product)
{
    return XH_ERR_INTERNAL;
}

xh_status_t __wrap_xhpl_blas_report(void)
{
    return XH_OK;
}

/* Never sample: a thread would wait by the system's clock for simulated times.
 */

xh_status_t __real_xhpl_phase_open(const char *root, double first,
                                   double between, xhpl_phase_t **phase_p);

xh_status_t __wrap_xhpl_phase_open(const char *root, double first,
                                   double between, xhpl_phase_t **phase_p)
{
    const double never = 1e15;

    return __real_xhpl_phase_open(root, never, never, phase_p);
}
