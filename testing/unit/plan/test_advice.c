/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model.h"
#include "testing/planner/advice.h"
#include "testing/unit/plan/model_rates.h"

static double bytes(const hpl_shape_t *shape)
{
    return 8.0 * shape->n * shape->n / shape->nprow / shape->npcol;
}

/* PMAP for 16 processes in rows rows, each per node, with by_rank B/s between
 * neighbours by rank, and 10 MB/s between neighbours by row. */
static int order_with(double by_rank, int rows, int each)
{
    hyb_model_rates_t rates = usual();
    xhpl_job_t job = {.rates = &rates, .bytes = bytes};
    xhpl_extent_t planned = {
        .nodes = 16 / each, .ranks_per_node = each, .processes = 16};
    hpl_shape_t test = {
        .n = 20000, .nb = 100, .nprow = rows, .npcol = 16 / rows};
    xhpl_choice_t best, before;
    int pmap;

    rates.row = (hyb_model_link_t){1e-6, by_rank};
    rates.column = (hyb_model_link_t){1e-6, 1e7};
    best = before = xhpl_choices_predict(&job, test, 1);
    pmap = xhpl_advice_order(&job, &planned, &best);
    assert_true(pmap == 1 ? best.gflops > before.gflops
                          : best.gflops == before.gflops);
    return pmap;
}

TEST(the_order_of_processes_is_what_the_links_make_faster)
{
    assert_int_equal(order_with(1e10, 8, 4), 1); /* most goes along columns */
    assert_int_equal(order_with(1e10, 2, 4), 0);
    assert_int_equal(order_with(1e7, 8, 4), 0);
    assert_int_equal(order_with(1e10, 8, 1), 0);  /* all neighbours are far */
    assert_int_equal(order_with(1e10, 8, 16), 0); /* all are near */
}

TEST(an_estimate_that_is_higher_or_as_good_says_so)
{
    assert_string_equal(xhpl_advice_estimate(0.5), "");
    assert_string_equal(xhpl_advice_estimate(1.09), "; this plan is as good");
    assert_string_equal(xhpl_advice_estimate(1.72), ", higher than this plan");
}
