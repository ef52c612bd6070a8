/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_FORECAST_H
#define XHPL_FORECAST_H

#include "testing/ptest/plan.h"

/* What tests should take; all zero: nobody knows. */
typedef struct {
    /* Seconds of the timed phase of test. */
    double (*seconds)(const void *context, const xhpl_test_t *test);
    const void *context;
    double ceiling; /* flop/s of FMA on all cores when that was measured */
} xhpl_forecast_t;

#endif
