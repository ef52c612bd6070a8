/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <unistd.h>
#include "base/cpu.h"
#include "hybrid/node/team.h"

enum { MOST = 16, ROUNDS = 500 };

typedef struct {
    hyb_barrier_t *barrier;
    int rounds;
    int members;
    int marks[MOST]; /* plain: only the barrier orders them */
    int wrong[MOST];
    int offset; /* of the sub-team's first member */
} meeting_t;

static int cpus[MOST];
static int cpu_count;

static hyb_team_t *team_of(int size)
{
    hyb_team_t *team = NULL;

    if (cpu_count == 0)
        cpu_count = xh_cpu_core_ids("", cpus, MOST);
    cpu_count = cpu_count < MOST ? cpu_count : MOST;
    assert_true(cpu_count > 0);
    assert_ok(hyb_team_create(cpus, cpu_count, size, &team));
    return team;
}

static meeting_t meeting_of(hyb_team_t *team, int members, int rounds)
{
    meeting_t meeting = {.members = members, .rounds = rounds};

    assert_ok(hyb_barrier_create(team, members, &meeting.barrier));
    return meeting;
}

/* Each writes, all meet, each reads what all wrote, all meet. */
static void meet(void *argument, int member)
{
    meeting_t *meeting = argument;

    member -= meeting->offset;
    for (int round = 1; round <= meeting->rounds; round++) {
        meeting->marks[member] = round;
        hyb_barrier_wait(meeting->barrier);
        for (int other = 0; other < meeting->members; other++)
            meeting->wrong[member] += meeting->marks[other] != round;
        hyb_barrier_wait(meeting->barrier);
    }
}

static void check_meeting(const meeting_t *meeting)
{
    for (int member = 0; member < meeting->members; member++) {
        assert_int_equal(meeting->marks[member], meeting->rounds);
        assert_int_equal(meeting->wrong[member], 0);
    }
}

TEST(all_see_what_each_wrote_before)
{
    int sizes[] = {1, 2, 3, 4, MOST};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        hyb_team_t *team = team_of(sizes[i]);
        meeting_t meeting = meeting_of(team, sizes[i], ROUNDS);

        hyb_team_run(team, meet, &meeting);
        check_meeting(&meeting);
        hyb_barrier_destroy(meeting.barrier);
        hyb_team_destroy(team);
    }
}

static void meet_by_halves(void *argument, int member)
{
    meeting_t *halves = argument;

    meet(&halves[member / 2], member);
}

TEST(sub_teams_meet_apart)
{
    hyb_team_t *team = team_of(4);
    meeting_t halves[2];

    halves[0] = meeting_of(team, 2, ROUNDS);
    halves[1] = meeting_of(team, 2, 2 * ROUNDS);
    halves[1].offset = 2;
    hyb_team_run(team, meet_by_halves, halves);
    check_meeting(&halves[0]);
    check_meeting(&halves[1]);
    hyb_barrier_destroy(halves[0].barrier);
    hyb_barrier_destroy(halves[1].barrier);
    hyb_team_destroy(team);
}

TEST(helpers_may_come_and_go_meanwhile)
{
    hyb_team_t *team = team_of(3);
    meeting_t meeting = meeting_of(team, 2, ROUNDS);

    meeting.offset = 1;
    hyb_team_start(team, 1, meet, &meeting);
    for (int i = 0; i < 100; i++) {
        hyb_team_add_helpers(team, i % 2 == 0 ? 100 : -100);
        usleep(10);
    }
    hyb_team_join(team);
    check_meeting(&meeting);
    hyb_barrier_destroy(meeting.barrier);
    hyb_team_destroy(team);
}

static void meet_late(void *argument, int member)
{
    meeting_t *meeting = argument;

    if (member == 0)
        usleep(5000);
    meet(meeting, member);
}

TEST(a_late_member_finds_the_others_waiting)
{
    hyb_team_t *team = team_of(2);
    meeting_t meeting = meeting_of(team, 2, 1);

    for (int i = 0; i < 5; i++)
        hyb_team_run(team, meet_late, &meeting);
    check_meeting(&meeting);
    hyb_barrier_destroy(meeting.barrier);
    hyb_team_destroy(team);
}

TEST(a_barrier_larger_than_the_team_is_refused)
{
    hyb_team_t *team = team_of(2);
    hyb_barrier_t *barrier = NULL;

    assert_int_equal(hyb_barrier_create(team, 3, &barrier), XH_ERR_ARG);
    assert_int_equal(hyb_barrier_create(team, 0, &barrier), XH_ERR_ARG);
    assert_null(barrier);
    hyb_barrier_destroy(NULL);
    hyb_team_destroy(team);
}

TEST_MAIN()
