/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/split.h"

#include "testing/unit/capture.h"
#include "testing/unit/unit.h"

static const hyb_split_t ratio = {HYB_SPLIT_RATIO, 0.0};
static const hyb_split_t steal = {HYB_SPLIT_STEAL, 0.0};

static hyb_split_t fixed(double share)
{
    return (hyb_split_t){HYB_SPLIT_FIXED, share};
}

/* ---- the setting ----------------------------------------------------------
 */

TEST(every_policy_is_read)
{
    hyb_split_t split;

    assert_ok(hyb_split_parse("ratio", &split));
    assert_int_equal(split.policy, HYB_SPLIT_RATIO);
    assert_ok(hyb_split_parse("steal", &split));
    assert_int_equal(split.policy, HYB_SPLIT_STEAL);
    assert_ok(hyb_split_parse("fixed:0.75", &split));
    assert_int_equal(split.policy, HYB_SPLIT_FIXED);
    assert_true(split.share == 0.75);
    assert_ok(hyb_split_parse("fixed:0", &split));
    assert_true(split.share == 0.0);
    assert_ok(hyb_split_parse("fixed:1", &split));
    assert_true(split.share == 1.0);
}

TEST(a_word_that_is_none_is_refused_with_the_nearest)
{
    static const char *const bad[] = {
        "",          "rato",      "ratio ",     "Steal",   "fixed",
        "fixed:",    "fixed:1.1", "fixed:-0.1", "fixed:x", "fixed:0.5x",
        "fixed:nan", "fixed:inf", "fixed:1e400"};
    enum { BAD = COUNT_OF(bad) };
    hyb_split_t split = {HYB_SPLIT_STEAL, 0.125};
    int refused = 0, lines;
    const char *said;

    capture_begin();
    for (int i = 0; i < BAD; i++)
        refused += hyb_split_parse(bad[i], &split) == XH_ERR_INPUT;
    said = capture_end(&lines);
    assert_int_equal(refused, BAD);
    assert_int_equal(lines, BAD);
    assert_int_equal(split.policy, HYB_SPLIT_STEAL);
    assert_true(split.share == 0.125);
    assert_non_null(strstr(said, "'rato'"));
    assert_non_null(strstr(said, "did you mean ratio?"));
    assert_non_null(strstr(said, "did you mean fixed:0.5?"));
}

/* ---- policies ------------------------------------------------------------ */

TEST(the_first_grab_is_the_share_and_the_second_of_what_is_left)
{
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 0, 100, 100), 25);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 0, 100, 60), 25);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 0, 100, 20), 20);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 1, 100, 8), 2);
    assert_int_equal(hyb_split_team_tiles(&ratio, 2.0 / 3.0, 0, 3, 3), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.9, 0, 30, 30), 3);
}

TEST(then_come_single_tiles_while_two_remain)
{
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 2, 100, 8), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 7, 100, 2), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 7, 100, 1), 0);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 1, 100, 2), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.75, 1, 100, 1), 0);
}

TEST(a_slow_team_does_not_make_the_devices_wait)
{
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.98, 0, 10, 10), 0);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.98, 2, 1000, 40), 0);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.98, 2, 1000, 50), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 1.0, 0, 1000, 1000), 0);
    assert_int_equal(hyb_split_team_tiles(&ratio, 1.0, 2, 1000, 1000), 0);
}

TEST(a_team_alone_takes_all)
{
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.0, 0, 7, 7), 7);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.0, 3, 7, 1), 1);
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.0, 0, 0, 0), 0);
}

TEST(devices_without_half_a_tile_are_left_out)
{
    hyb_split_t split = fixed(0.1);

    assert_true(hyb_split_uses_devices(&ratio, 0.5, 1));
    assert_true(hyb_split_uses_devices(&ratio, 0.01, 50));
    assert_false(hyb_split_uses_devices(&ratio, 0.01, 49));
    assert_int_equal(hyb_split_team_tiles(&ratio, 0.01, 0, 49, 49), 49);
    assert_false(hyb_split_uses_devices(&ratio, 1.0, 0));
    assert_true(hyb_split_uses_devices(&steal, 0.0, 1));
    assert_false(hyb_split_uses_devices(&split, 1.0, 4));
    assert_int_equal(hyb_split_team_tiles(&split, 1.0, 0, 4, 4), 4);
    assert_true(hyb_split_uses_devices(&split, 0.0, 5));
}

TEST(stealing_is_one_tile_to_the_last)
{
    assert_int_equal(hyb_split_team_tiles(&steal, 0.9, 0, 100, 100), 1);
    assert_int_equal(hyb_split_team_tiles(&steal, 0.9, 50, 100, 1), 1);
    assert_int_equal(hyb_split_team_tiles(&steal, 0.9, 50, 100, 0), 0);
}

TEST(fixed_means_fixed)
{
    hyb_split_t split;

    for (int x = 0; x <= 10; x++) {
        split = fixed(x / 10.0);
        assert_int_equal(hyb_split_team_tiles(&split, 0.5, 0, 10, 10), 10 - x);
        assert_int_equal(hyb_split_team_tiles(&split, 0.5, 1, 10, x), 0);
    }
    split = fixed(0.5);
    assert_int_equal(hyb_split_team_tiles(&split, 0.0, 0, 100, 30), 30);
}

/* ---- a member of the team alone ------------------------------------------ */

TEST(a_member_as_fast_as_half_the_devices_takes_the_last_tile)
{
    assert_int_equal(hyb_split_tiles_to_keep(&ratio, 2.0, 1.0), 0);
    assert_int_equal(hyb_split_tiles_to_keep(&ratio, 1.0, 1.0), 0);
    assert_int_equal(hyb_split_tiles_to_keep(&ratio, 1e9, 5e10), 0);
    assert_int_equal(hyb_split_tiles_to_keep(&steal, 1e9, 5e10), 0);
}

/* One left is kept exactly if the devices would be done with it, and with one
 * before, ere the member is. */
TEST(a_member_is_done_before_the_devices_are)
{
    static const hyb_split_t *const policies[] = {&ratio, &steal};
    static const double rates[] = {0.5, 1.5, 2.5, 3.0, 10.0, 99.9, 1000.0};

    for (size_t i = 0; i < 2 * COUNT_OF(rates); i++)
        for (int64_t left = 1; left < 1200; left++) {
            double rate = rates[i / 2];
            int64_t kept =
                hyb_split_tiles_to_keep(policies[i % 2], 3 * rate, 3.0);

            assert_int_equal(left > kept, (double)(left + 1) >= rate);
        }
}

TEST(without_rates_a_member_leaves_all_to_the_devices)
{
    const hyb_split_t half = fixed(0.5);

    assert_true(hyb_split_tiles_to_keep(&ratio, 0.0, 1.0) == INT64_MAX);
    assert_true(hyb_split_tiles_to_keep(&steal, 1.0, 0.0) == INT64_MAX);
    assert_true(hyb_split_tiles_to_keep(&steal, 0.0, 0.0) == INT64_MAX);
    assert_true(hyb_split_tiles_to_keep(&ratio, 1e300, 1e-300) == INT64_MAX);
    assert_true(hyb_split_tiles_to_keep(&half, 1.0, 1.0) == INT64_MAX);
}

/* ---- together ------------------------------------------------------------ */

/* One device and the team, each until it finds nothing: nobody is late. */
static void play(double device_seconds, double team_seconds, int64_t total)
{
    double share = team_seconds / (device_seconds + team_seconds);
    double ideal = (double)total * device_seconds * share;
    double device_at = 0.0, team_at = 0.0;
    bool device = hyb_split_uses_devices(&ratio, share, total);
    bool willing = true, team;
    int64_t remaining = total, taken;
    int grab = 0;

    while (remaining > 0) {
        team = !device || (willing && team_at <= device_at);
        taken = 1;
        if (team) {
            taken =
                hyb_split_team_tiles(&ratio, share, grab++, total, remaining);
            assert_in_range(taken, !device, remaining);
        }
        *(team ? &team_at : &device_at) +=
            (double)taken * (team ? team_seconds : device_seconds);
        willing = willing && taken > 0;
        remaining -= taken;
    }
    assert_true(team_at <= ideal + 3.0 * device_seconds + 1e-9);
    assert_true(device_at <= ideal + team_seconds + device_seconds + 1e-9);
}

TEST(both_end_together_whatever_their_speeds)
{
    static const double seconds[] = {0.01, 0.1, 0.5, 1.0, 3.0, 7.7, 100.0};

    for (size_t i = 0; i < COUNT_OF(seconds); i++)
        for (int64_t total = 1; total < 300; total++)
            play(1.0, seconds[i], total);
}

TEST_MAIN()
