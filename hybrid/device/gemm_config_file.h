/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* The best configurations of a device's GEMM that a tuner found; plain data. */
typedef struct {
    hyb_gemm_config_t config[HYB_GEMM_DEPTHS];
    double rate[HYB_GEMM_DEPTHS]; /* flop/s, measured */
} hyb_gemm_table_t;

/*
 * Load and save the table of `model`, whose devices have `count` parameters, in
 * a file of the kind "gemm" (hybrid/device/cache_file.h). Loading returns false
 * if there is no file, or, after a message at level info, if the file is not a
 * complete table of this model and `parameters`.
 * Errors: saving returns those of hyb_cache_store
 */
bool hyb_gemm_table_load(const char *model,
                         const hyb_gemm_parameter_t *parameters, int count,
                         hyb_gemm_table_t *table_p);
xh_status_t hyb_gemm_table_save(const char *model,
                                const hyb_gemm_parameter_t *parameters,
                                int count, const hyb_gemm_table_t *table);

/*
 * Set the configurations stored for the device's model, if there are any and
 * the device can use them.
 * Order: while no work is queued.
 * Errors: XH_ERR_DEVICE
 */
xh_status_t hyb_device_load_gemm_configs(hyb_device_t *device);
