/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
/* The picture of who computed which tile, and the table of rates. */
#include <math.h>
#include "testing/unit/node/node_fixture.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/runs.h"

static char text[1 << 18];

static const xdg_executors_t two = {2, {"host", "emu:0"}, {{.index = 0}}};

static int occurrences(const char *word)
{
    int count = 0;

    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        count++;
    return count;
}

/* The picture of a 100 x 60 matrix in text. */
static void draw(const hyb_report_t *report)
{
    FILE *out = fmemopen(text, sizeof(text), "w");

    assert_non_null(out);
    xdg_tile_map_write(report, &two, (xh_view_t){NULL, 100, 60, 100}, out);
    fclose(out);
}

static hyb_report_t shared(int16_t *owner)
{
    hyb_tiling_request_t request = {100, 60, 8, UINT64_C(1) << 30, 20, 20, 3};
    hyb_report_t report = {.seconds = 2.0, .share = 0.4, .owner = owner};

    assert_ok(hyb_tiling_plan(&request, &report.tiling));
    assert_int_equal(hyb_tiling_count(&report.tiling), 15);
    for (int i = 0; i < 15; i++)
        owner[i] = i < 6;
    report.team = (hyb_work_t){.tiles = 9, .flop = 9.0, .compute_seconds = 1.5};
    report.device[0] = (hyb_work_t){
        .tiles = 6, .flop = 6.0, .compute_seconds = 0.75, .span_seconds = 1.0};
    return report;
}

TEST(every_tile_is_a_box_in_its_executors_colour)
{
    int16_t owner[15];
    hyb_report_t report = shared(owner);

    draw(&report);
    assert_int_equal(occurrences("fill=\"#b8b8b8\""), 9 + 1); /* and legend */
    assert_int_equal(occurrences("fill=\"#4e79a7\""), 6 + 1);
    assert_int_equal(occurrences("<svg "), 1);
    assert_int_equal(occurrences("</svg>"), 1);
    report = (hyb_report_t){.seconds = 1.0}; /* without tiles */
    draw(&report);
    assert_int_equal(occurrences("fill=\"#b8b8b8\""), 1 + 1);
    assert_int_equal(occurrences("tiles of"), 0);
}

TEST(idle_is_what_is_left_of_the_span)
{
    int16_t owner[15];
    hyb_report_t report = shared(owner);

    assert_true(fabs(xdg_work_idle(&report, 1) - 0.25) < 1e-12);
    assert_true(fabs(xdg_work_idle(&report, 0) - 0.25) < 1e-12);
    report.device[0] = (hyb_work_t){0};
    assert_true(isnan(xdg_work_idle(&report, 1)));
}

/* ---- the table ---------------------------------------------------------- */

/* Rates of host 2, emu:0 4 and both 5 flop/s for a product of 10 Gflop. */
TEST(the_table_has_the_sum_of_those_alone)
{
    static const double seconds[] = {5.0, 2.5, 2.0};
    xdg_problem_t problem = {.product = {.c = {NULL, 1000, 1000, 1000},
                                         .a = {NULL, 1000, 5000, 1000},
                                         .b = {NULL, 5000, 1000, 5000}}};
    hyb_report_t report[3];
    xdg_rates_t rates = {
        .gemm = GEMM("devices=none"), .problem = &problem, .count = 3};
    FILE *out;

    rates.gemm->executors = two;
    for (int i = 0; i < 3; i++) {
        report[i] = (hyb_report_t){.seconds = seconds[i]};
        rates.series[i] =
            (xdg_series_t){.name = i < 2 ? two.name[i] : "together",
                           .count = 1,
                           .report = &report[i],
                           .median = &report[i],
                           .rate = 10e9 / seconds[i]};
    }
    assert_true(xdg_rates_sum(&rates) == 6e9);
    assert_true(xdg_rates_together(&rates)->rate == 5e9);
    out = fmemopen(text, sizeof(text), "w");
    xdg_rates_print(&rates, out);
    fclose(out);
    gemm_shut(rates.gemm);
    assert_int_equal(occurrences("host                 2.00"), 1);
    assert_int_equal(occurrences("emu:0                4.00"), 1);
    assert_int_equal(occurrences("together             5.00"), 1);
    assert_int_equal(occurrences("efficiency         0.8333"), 1);
}
