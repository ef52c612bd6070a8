/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"
#include "testing/xdgemm/tune.h"

/* A search among made-up rates. */

enum { KNOBS = 3 };

static const hyb_knob_t knobs[KNOBS] = {
    {"a", 5, {1, 2, 4, 8, 16}},
    {"b", 3, {10, 20, 30}},
    {"c", 2, {0, 1}},
};
enum { CUTS = 5 * 3 * 2 };

typedef struct {
    double (*rate)(const hyb_cut_t *cut);
    int64_t asked, most; /* times */
    int seen[17][31][2]; /* how often each cut */
} course_t;

static double rate_of(void *context, const hyb_cut_t *cut)
{
    course_t *c = context;
    const int *v = cut->values;

    if (c->asked == c->most)
        return -1;
    c->asked++;
    c->seen[v[0]][v[1]][v[2]]++;
    return c->rate(cut);
}

static const hyb_cut_t start = {{1, 10, 0}};

static xdg_search_t search(double (*rate)(const hyb_cut_t *), int64_t most,
                           uint64_t random)
{
    course_t course = {.rate = rate, .most = most};
    xdg_search_t found;

    assert_ok(
        xdg_search(knobs, KNOBS, &start, random, rate_of, &course, &found));
    assert_int_equal(found.trials, course.asked);
    for (int a = 0; a < 17; a++)
        for (int b = 0; b < 31; b++)
            assert_true(course.seen[a][b][0] <= 1 && course.seen[a][b][1] <= 1);
    return found;
}

/* One peak, where each knob for itself leads: a = 8, b = 20, c = 1. */
static double hill(const hyb_cut_t *cut)
{
    const int *v = cut->values;

    return 100 - (v[0] - 8) * (v[0] - 8) - (v[1] - 20) * (v[1] - 20) / 10.0 +
           v[2];
}

TEST(one_knob_after_the_other_leads_to_the_peak)
{
    const xdg_search_t found = search(hill, 1 + 4 + 2 + 1, 1);

    assert_memory_equal(&found.best, (&(hyb_cut_t){{8, 20, 1}}),
                        sizeof(found.best));
    assert_true(found.rate == 101);
}

/* Far from the start, behind cuts that cannot be. */
static double island(const hyb_cut_t *cut)
{
    const int *v = cut->values;

    return v[0] == 1 && v[1] == 10 ? 5 : v[0] == 16 && v[1] == 30 ? 50 : 0;
}

TEST(what_no_single_knob_reaches_is_found_at_random)
{
    const xdg_search_t found = search(island, 1000, 7);

    assert_int_equal(found.best.values[0], 16);
    assert_int_equal(found.best.values[1], 30);
}

TEST_CALL(when_all_cuts_were_tried_it_ends,
          assert_int_equal(search(island, 1000, 3).trials, CUTS))

TEST(when_time_is_up_the_best_so_far_counts)
{
    const xdg_search_t found = search(hill, 3, 1);

    assert_int_equal(found.trials, 3);
    assert_int_equal(found.best.values[0], 4);
    assert_int_equal(search(hill, 0, 1).trials, 0);
    assert_true(search(hill, 0, 1).rate == 0);
}
