/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>

/*
 * A backend whose GEMM is a template has tuning parameters, each with a list of
 * values worth trying. A configuration has one value per parameter; unused
 * values are 0. There is one configuration for each of HYB_GEMM_DEPTHS depths
 * k; a product uses that of the nearest depth.
 */
enum { HYB_GEMM_PARAMETERS = 12, HYB_GEMM_VALUES = 12, HYB_GEMM_DEPTHS = 5 };

typedef struct {
    const char *name;
    int count, values[HYB_GEMM_VALUES];
} hyb_gemm_parameter_t;

typedef struct {
    int values[HYB_GEMM_PARAMETERS];
} hyb_gemm_config_t;

static inline int64_t
hyb_gemm_config_depth(int d) /* of configuration d, 0 .. HYB_GEMM_DEPTHS - 1 */
{
    return (int64_t)128 << d;
}
