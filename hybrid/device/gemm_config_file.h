/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* The best configurations of a device's GEMM, as a tuner has found; plain data.
 */
typedef struct {
    hyb_gemm_config_t config[HYB_GEMM_DEPTHS];
    double rate[HYB_GEMM_DEPTHS]; /* flop/s, as measured */
} hyb_gemm_table_t;

/*
 * Read and write what is kept of model, whose devices have count parameters: in
 * a file of the kind "gemm" (hybrid/device/cache_file.h). Errors of writing as
 * there. Reading returns false without one; or if it is not of this model,
 * whole, with these parameters, which is said as information.
 */
bool hyb_gemm_table_load(const char *model,
                         const hyb_gemm_parameter_t *parameters, int count,
                         hyb_gemm_table_t *table_p);
xh_status_t hyb_gemm_table_save(const char *model,
                                const hyb_gemm_parameter_t *parameters,
                                int count, const hyb_gemm_table_t *table);

/* Set the configurations that are kept of device's model, if they are there and
 * possible. Errors: XH_ERR_DEVICE. Order: while no work is queued. */
xh_status_t hyb_device_load_gemm_configs(hyb_device_t *device);
