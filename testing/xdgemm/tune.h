/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>
#include "hybrid/device/gemm_config_file.h"

/* ---- searching ----------------------------------------------------------- */

/* Return the flop/s of products in this configuration. 0: the device cannot use
 * it, or the result is wrong; negative: no time is left. */
typedef double xdg_rate_of_t(void *context, const hyb_gemm_config_t *config);

typedef struct {
    hyb_gemm_config_t best;
    double rate;   /* rate of the configuration; 0: there is none */
    int64_t tried; /* number of configurations tried */
} xdg_search_t;

/*
 * Search for the configuration with the highest rate. Begin at `start`, and
 * then again and again at the best of some random configurations: set one
 * parameter after another to each of its values, keep the best, and repeat
 * until no parameter changes. The search ends when no time is left, or no new
 * configurations are found. None is tried twice.
 *
 * random  in   seed of random configurations; equal seeds give equal results
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xdg_search(const hyb_gemm_parameter_t *parameters, int count,
                       const hyb_gemm_config_t *start, uint64_t random,
                       xdg_rate_of_t *rate_of, void *context,
                       xdg_search_t *search_p);

/* ---- tuning -------------------------------------------------------------- */

/*
 * Tune the products of device in about seconds, m x n with each depth of a
 * hyb_gemm_table_t, or only the one nearest to k > 0. A candidate's product is
 * compared with the host's, element by element. The best one is then measured
 * in turn with the device's own choice, and kept if it is faster. Prints a
 * table to out, and saves the configurations of the device's model.
 *
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_tune(hyb_device_t *device, int64_t m, int64_t n, int64_t k,
                     double seconds, FILE *out);
