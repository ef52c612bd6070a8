/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>
#include "hybrid/plan/model.h"
#include "testing/unit/unit.h"

/* Rates whose predictions can be computed by hand. */

/* Processes of two threads: a column takes 1 ns a row, a panel 1 us. */
static const hyb_model_curve_t nothing;
static const hyb_model_curve_t usual_column = {2, {100, 1000}, {1e-7, 1e-6}};
static const hyb_model_curve_t usual_panel = {2, {100, 1000}, {1e-4, 1e-3}};
static const hyb_model_curve_t halved = {2, {100, 1000}, {0.5e-4, 0.5e-3}};

static const hyb_model_link_t slow_link = {.latency = 1e-5, .bandwidth = 1e8};

static inline hyb_model_rates_t
rates_by(hyb_model_curve_t update, hyb_model_curve_t one, hyb_model_curve_t all)
{
    return (hyb_model_rates_t){
        .threads = 2,
        .widths = 1,
        .width[0] = {.nb = 100, .update = update, .alone = one, .team = all}};
}

static inline hyb_model_rates_t usual(void)
{
    return rates_by(usual_column, usual_panel, halved);
}

static inline hyb_model_rates_t without_panels(hyb_model_rates_t rates)
{
    rates.width[0].alone = rates.width[0].team = nothing;
    return rates;
}

/* Columns that take so many ns a row. */
static inline hyb_model_curve_t curve_of(double ns)
{
    return (hyb_model_curve_t){2, {100, 1000}, {ns * 1e-7, ns * 1e-6}};
}

/*
 * The usual with devices that take so many ns a row for a column, of which the
 * threads take 0.2 ns to prepare it, and 0.8 to update it.
 */
static inline hyb_model_rates_t with_devices(double ns)
{
    hyb_model_rates_t rates = usual();

    rates.width[0].prepare = curve_of(0.2);
    rates.width[0].devices = curve_of(ns);
    return rates;
}

static inline double at_depth(int depth, hyb_model_rates_t rates, int n, int p,
                              int q)
{
    const hpl_shape_t test = {
        .n = n, .nb = 100, .nprow = p, .npcol = q, .depth = depth};

    return hyb_model_seconds(&rates, &test, 1);
}

static inline double seconds(hyb_model_rates_t rates, int n, int p, int q)
{
    return at_depth(2, rates, n, p, q);
}

/* Work of all iterations on columns, b's included. */
static inline double work_of(int n)
{
    double sum = 0.0;

    for (int m = n - 100; m > 0; m -= 100)
        sum += (m + 1.0) * m * 1e-9;
    return sum;
}

static inline double panels_of(int n, hyb_model_curve_t curve)
{
    double sum = 0.0;

    for (int rows = 100; rows <= n; rows += 100)
        sum += hyb_model_curve_at(&curve, rows);
    return sum;
}

static inline void assert_near(double value, double wanted)
{
    assert_true(fabs(value - wanted) <= 1e-9 * fabs(wanted));
}
