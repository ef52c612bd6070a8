/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include <math.h>
#include "base/clock.h"
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"

/* What crosses a device's link, and what time its model takes. */

static const xdg_participants_t device_only = {false, 1};

/* A product of zeros by the device alone, which may be dry. */
static hyb_report_t multiply(xdg_gemm_t *gemm, int64_t m, int64_t n, int64_t k,
                             double beta)
{
    xh_gemm_t p = {.alpha = 1.0,
                   .beta = beta,
                   .a = {NULL, m, k, m},
                   .b = {NULL, k, n, k},
                   .c = {NULL, m, n, m}};
    hyb_report_t report = {0};
    xh_status_t status;

    p.a.data = calloc((size_t)(m * k), sizeof(double));
    p.b.data = calloc((size_t)(k * n), sizeof(double));
    p.c.data = calloc((size_t)(m * n), sizeof(double));
    assert_true(p.a.data != NULL && p.b.data != NULL && p.c.data != NULL);
    status = xdg_gemm(gemm, &p, device_only, &report);
    free(p.a.data);
    free(p.b.data);
    free(p.c.data);
    assert_ok(status);
    assert_int_equal(report.device[0].tiles, hyb_tiling_count(&report.tiling));
    free(report.owner);
    return report;
}

/* ---- time ---------------------------------------------------------------- */

/*
 * The clock stands still, so times are the model's alone: a tile of 32 x 32 x
 * 64 takes 131 ns at 1 Tflop/s, its part of C 8 KiB, a strip of A or B 16 KiB.
 */
static double standing_clock(void *context)
{
    (void)context;
    return 0.0;
}

static hyb_report_t modelled(const char *link, int64_t k)
{
    xdg_gemm_t *gemm;
    hyb_report_t report;

    xh_clock_install(standing_clock, NULL);
    gemm = GEMM("devices=emu", "emu_dry=on", "emu_memory=1", "tile=32", link,
                "stall_seconds=60", "emu_rate=1000");
    report = multiply(gemm, 512, 512, k, 1.0);
    gemm_shut(gemm);
    xh_clock_install(NULL, NULL);
    return report;
}

static double idle(const hyb_report_t *r)
{
    return 1.0 - r->device[0].compute_seconds / r->device[0].span_seconds;
}

static void assert_close(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-6 * expected))
        fail_msg("%g instead of %g", value, expected);
}

static void check_times(const hyb_report_t *r)
{
    const hyb_work_t *w = &r->device[0];

    assert_close(w->flop, 2.0 * 512 * 512 * (double)r->tiling.k);
    assert_close(w->compute_seconds, w->flop / 1e12);
    assert_close(w->in_seconds, (double)w->bytes_in / 200e9);
    assert_close(w->out_seconds, (double)w->bytes_out / 200e9);
}

/* The first column needs 24 KiB a tile, which take 123 ns: the link just feeds
 * the device. */
TEST(times_are_work_over_rates)
{
    hyb_report_t r = modelled("emu_link=200", 64);

    assert_int_equal(r.tiling.chunks, 1);
    check_times(&r);
    assert_true(idle(&r) >= 0.0);
    assert_true(idle(&r) < 0.05);
}
