/* SPDX-License-Identifier: BSD-3-Clause */
/* Which panels are applied to far columns together, and when. */
#include "hybrid/lu/state/groups.h"
#include "testing/unit/unit.h"

enum { BLOCKS = 2 }; /* of other columns, behind those of panels */

/* A process that has all columns. */
static int applied(const hyb_groups_t *groups, int end, int block, int k)
{
    const hyb_far_t far = {.panel = block,
                           .block = block,
                           .from = hyb_groups_closed(groups, k).end,
                           .blocks = groups->panels + BLOCKS};

    return hyb_groups_applied(groups, end, &far, k);
}

static void check_table(const hyb_groups_t *g, hyb_grouping_t how)
{
    for (int k = 0; k < g->panels; k++) {
        hyb_group_t here = g->of[k];

        assert_true(here.first <= k && k < here.end && here.end <= g->panels);
        assert_true(here.end - here.first <= how.width);
        assert_int_equal(here.number,
                         k == 0 ? 0 : g->of[k - 1].number + (k == here.first));
        if (how.every > 0 && k > 0 && k % how.every == 0 && how.guests == 0)
            assert_true(here.first == k && here.end == k + 1);
    }
    if (how.guests == 0)
        assert_int_equal(g->of[0].end, 1); /* nothing hides the next panel */
    assert_int_equal(g->of[g->panels - 1].first, g->panels - 1);
}

/* To no column a panel is applied that is not known, or its own; none goes
 * back; each is in time; in the end all panels have been applied to all
 * columns. */
static void check_columns(const hyb_groups_t *g, int end)
{
    for (int b = 0; b < g->panels + BLOCKS; b++)
        for (int k = 0, before = 0; k < end && k < b; k++) {
            int now = applied(g, end, b, k);

            assert_true(now >= before && now <= k + 1);
            if (now > before) /* never two groups at a time */
                assert_true(g->of[now - 1].first <= before);
            if (k > 0 && g->of[k].end == g->of[k].first + 1) /* at once */
                assert_true(now == k + 1);
            if (b <= k + HYB_GROUP_LEAD || k + 1 == end)
                assert_int_equal(now, k + 1);
            else /* whole groups */
                assert_true(now == 0 || g->of[now - 1].end == now);
            before = now;
        }
}

TEST(all_panels_are_applied_in_time)
{
    hyb_groups_t g;

    for (int panels = 1; panels < 70; panels += 7)
        for (int width = 1; width <= HYB_GROUP_MOST; width++)
            for (int i = 0; i < 6; i++) {
                hyb_grouping_t how = {
                    .width = width, .every = i / 2 * 5, .guests = i % 2 * 20};

                assert_ok(hyb_groups_create(panels, how, &g));
                check_table(&g, how);
                for (int end = 1; end <= panels; end = g.of[end - 1].end + 1)
                    check_columns(&g, g.of[end - 1].end);
                hyb_groups_destroy(&g);
            }
}

/* They do not come for one panel. */
TEST(guests_meet_a_whole_group_first)
{
    enum { PANELS = 60 };
    const hyb_grouping_t how = {.width = 4, .every = 10, .guests = 13};
    hyb_groups_t g;

    assert_ok(hyb_groups_create(PANELS, how, &g));
    assert_int_equal(g.of[0].end, 4);
    assert_int_equal(g.of[10].first, 8);
    assert_int_equal(g.of[20].end, 21); /* the last guest has gone */
    hyb_groups_destroy(&g);
}

/* A column that visits devices comes for its last group and stays. */
TEST(a_last_group_is_applied_just_before_the_first_single_panel)
{
    enum { PANELS = 60 };
    hyb_groups_t g;

    assert_ok(hyb_groups_create(PANELS, (hyb_grouping_t){.width = 8}, &g));
    for (int b = 12; b < g.of[20].end; b++) {
        int near = b - HYB_GROUP_LEAD, closed = g.of[b].first;

        if (near - 2 >= closed)
            assert_true(applied(&g, PANELS, b, near - 2) < closed);
        if (near > closed)
            assert_int_equal(applied(&g, PANELS, b, near - 1), closed);
        assert_int_equal(applied(&g, PANELS, b, near), near + 1);
    }
    hyb_groups_destroy(&g);
}

/* A quarter of the columns in each of four iterations. */
TEST(a_group_is_applied_in_parts)
{
    enum { PANELS = 101 };
    hyb_groups_t g;
    int closed, first, count = 0;

    assert_ok(hyb_groups_create(PANELS, (hyb_grouping_t){.width = 4}, &g));
    closed = g.of[10].end;
    for (int k = closed - 1; k < closed + 3; k++) {
        first = count;
        count = 0;
        for (int b = k + HYB_GROUP_LEAD + 1; b < PANELS; b++)
            count += applied(&g, PANELS, b, k) == closed;
        assert_true(count - first > 17 && count - first < 27);
    }
    assert_int_equal(count, PANELS - (closed + 2) - HYB_GROUP_LEAD - 1);
    hyb_groups_destroy(&g);
}
