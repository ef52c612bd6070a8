/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/split.h"

#include "base/settings.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"
#include "testing/xdgemm/team_tiles.h"

static const hyb_split_t ratio = {.policy = HYB_SPLIT_RATIO};
static const hyb_split_t steal = {.policy = HYB_SPLIT_STEAL};
static const hyb_split_t fixed = {.policy = HYB_SPLIT_FIXED};

/* ---- the setting --------------------------------------------------------- */

static xh_status_t read_split(const char *text, hyb_split_t *split_p)
{
    char assignment[32];

    snprintf(assignment, sizeof(assignment), "split=%s", text);
    XH_TRY(xh_settings_assign(assignment));
    return hyb_split_of_setting(split_p);
}

TEST(every_policy_is_read)
{
    static const struct {
        const char *text;
        int policy;
        double share;
    } cases[] = {{"ratio", HYB_SPLIT_RATIO, 0.5},
                 {"steal", HYB_SPLIT_STEAL, 0.5},
                 {"fixed:0.75", HYB_SPLIT_FIXED, 0.75},
                 {"fixed:0", HYB_SPLIT_FIXED, 0.0},
                 {"fixed:1", HYB_SPLIT_FIXED, 1.0}};
    hyb_split_t split;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_ok(read_split(cases[i].text, &split));
        assert_int_equal(split.policy, cases[i].policy);
        assert_true(split.share == cases[i].share);
    }
}

TEST(a_word_that_is_none_is_refused_with_the_nearest)
{
    static const char *const bad[] = {
        "",          "rato",      "ratio ",     "Steal",   "fixed",
        "fixed:",    "fixed:1.1", "fixed:-0.1", "fixed:x", "fixed:0.5x",
        "fixed:nan", "fixed:inf", "fixed:1e400"};
    enum { BAD = COUNT_OF(bad) };
    hyb_split_t split = {.policy = HYB_SPLIT_STEAL, .share = 0.125};
    int refused = 0, lines;
    const char *said;

    capture_begin();
    for (int i = 0; i < BAD; i++)
        refused += read_split(bad[i], &split) == XH_ERR_INPUT;
    said = capture_end(&lines);
    assert_int_equal(refused, BAD);
    assert_int_equal(lines, BAD);
    assert_int_equal(split.policy, HYB_SPLIT_STEAL);
    assert_true(split.share == 0.125);
    assert_in(said, "'rato'");
    assert_in(said, "did you mean ratio?");
    assert_in(said, "did you mean fixed:0.5?");
}

/* ---- tiles of the team --------------------------------------------------- */

TEST(the_team_takes_as_many_tiles_as_the_policy_says)
{
    static const struct {
        const hyb_split_t *split;
        double share;
        int grab;
        int64_t total, remaining, tiles;
    } cases[] = {
        /* the first grab is the share, the second that of what is left, */
        {&ratio, 0.75, 0, 100, 100, 25},
        {&ratio, 0.75, 0, 100, 20, 20},
        {&ratio, 0.75, 1, 100, 8, 2},
        {&ratio, 2.0 / 3.0, 0, 3, 3, 1},
        /* then come single tiles while two remain; */
        {&ratio, 0.75, 2, 100, 8, 1},
        {&ratio, 0.75, 1, 100, 2, 1},
        {&ratio, 0.75, 1, 100, 1, 0},
        /* a slow team does not make the devices wait */
        {&ratio, 0.98, 0, 10, 10, 0},
        {&ratio, 0.98, 2, 1000, 40, 0},
        {&ratio, 0.98, 2, 1000, 50, 1},
        {&ratio, 1.0, 0, 1000, 1000, 0},
        /* a team alone takes all */
        {&ratio, 0.0, 0, 7, 7, 7},
        {&ratio, 0.0, 3, 7, 1, 1},
        {&ratio, 0.0, 0, 0, 0, 0},
        /* devices without half a tile are left out */
        {&ratio, 0.5, 0, 1, 1, 0},
        {&ratio, 0.01, 0, 50, 50, 49},
        {&ratio, 0.01, 0, 49, 49, 49},
        {&ratio, 1.0, 0, 0, 0, 0},
        {&fixed, 0.1, 1, 4, 4, 4},
        {&fixed, 0.1, 1, 5, 5, 0},
        /* stealing is one tile to the last */
        {&steal, 0.0, 0, 1, 1, 1},
        {&steal, 0.9, 0, 100, 100, 1},
        {&steal, 0.9, 50, 100, 0, 0},
        /* fixed means fixed */
        {&fixed, 0.5, 0, 100, 30, 30},
    };

    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(xdg_team_tiles(cases[i].split, cases[i].share,
                                        cases[i].grab, cases[i].total,
                                        cases[i].remaining),
                         cases[i].tiles);
    for (int x = 0; x <= 10; x++) {
        double share = x / 10.0;

        assert_int_equal(xdg_team_tiles(&fixed, share, 0, 10, 10), 10 - x);
        assert_int_equal(xdg_team_tiles(&fixed, share, 1, 10, x), 0);
    }
}

/* ---- a member of the team alone ------------------------------------------ */

/* Without rates it leaves all to the devices. */
TEST(a_member_helps_if_it_is_done_before_the_devices_are)
{
    static const double rates[] = {0.5, 1.5, 2.5, 3.0, 10.0, 99.9, 1000.0};

    for (size_t i = 0; i < COUNT_OF(rates); i++)
        for (double left = 1.0; left < 1200.0; left++)
            assert_int_equal(hyb_split_helps(3.0, 2.0, 3.0 * rates[i], left),
                             2.0 * rates[i] <= left);
    assert_false(hyb_split_helps(0.0, 1.0, 1.0, 1e9));
    assert_false(hyb_split_helps(1.0, 1.0, 0.0, 1e9));
    assert_false(hyb_split_helps(0.0, 1.0, 0.0, 1e9));
    assert_false(hyb_split_helps(1e-300, 1.0, 1e300, 1e9));
}

/* ---- both together ------------------------------------------------------- */

/* One device and the team, each until it finds nothing: nobody is late. */
static void play(double device_seconds, double team_seconds, int64_t total)
{
    double share = team_seconds / (device_seconds + team_seconds);
    double ideal = (double)total * device_seconds * share;
    double device_at = 0.0, team_at = 0.0;
    bool device = share * (double)total >= 0.5;
    bool willing = true, team;
    int64_t remaining = total, taken;
    int grab = 0;

    while (remaining > 0) {
        team = !device || (willing && team_at <= device_at);
        taken = 1;
        if (team) {
            taken = xdg_team_tiles(&ratio, share, grab++, total, remaining);
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
