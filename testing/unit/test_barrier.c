/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/unit.h"

#include <unistd.h>
#include "base/clock.h"
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
    assert_int_equal(hyb_team_create(cpus, cpu_count, size, &team), XH_OK);
    return team;
}

static meeting_t meeting_of(hyb_team_t *team, int members, int rounds)
{
    meeting_t meeting = {.members = members, .rounds = rounds};

    assert_int_equal(hyb_barrier_create(team, members, &meeting.barrier),
                     XH_OK);
    return meeting;
}

/* Each writes, all meet, each reads what all wrote, all meet. */
static void meet(void *argument, int member)
{
    meeting_t *meeting = argument;
    int round, other;

    member -= meeting->offset;
    for (round = 1; round <= meeting->rounds; round++) {
        meeting->marks[member] = round;
        hyb_barrier_wait(meeting->barrier);
        for (other = 0; other < meeting->members; other++)
            meeting->wrong[member] += meeting->marks[other] != round;
        hyb_barrier_wait(meeting->barrier);
    }
}

static void check_meeting(const meeting_t *meeting)
{
    int member;

    for (member = 0; member < meeting->members; member++) {
        assert_int_equal(meeting->marks[member], meeting->rounds);
        assert_int_equal(meeting->wrong[member], 0);
    }
}

static void all_see_what_each_wrote_before(void **state)
{
    int sizes[] = {1, 2, 3, 4, MOST};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
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

static void sub_teams_meet_apart(void **state)
{
    hyb_team_t *team = team_of(4);
    meeting_t halves[2];

    (void)state;
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

static void helpers_may_come_and_go_meanwhile(void **state)
{
    hyb_team_t *team = team_of(3);
    meeting_t meeting = meeting_of(team, 2, ROUNDS);
    int i;

    (void)state;
    meeting.offset = 1;
    hyb_team_start(team, 1, meet, &meeting);
    for (i = 0; i < 100; i++) {
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

static void a_late_member_finds_the_others_waiting(void **state)
{
    hyb_team_t *team = team_of(2);
    meeting_t meeting = meeting_of(team, 2, 1);
    int i;

    (void)state;
    for (i = 0; i < 5; i++)
        hyb_team_run(team, meet_late, &meeting);
    check_meeting(&meeting);
    hyb_barrier_destroy(meeting.barrier);
    hyb_team_destroy(team);
}

static void wait_often(void *argument, int member)
{
    meeting_t *meeting = argument;
    int round;

    for (round = 0; round < meeting->rounds; round++)
        hyb_barrier_wait(meeting->barrier);
    meeting->marks[member] = round;
}

static void say_what_a_barrier_costs(void **state)
{
    int sizes[] = {2, 4};
    int i, part;

    (void)state;
    for (i = 0; i < 2; i++) {
        hyb_team_t *team = team_of(sizes[i]);
        meeting_t meeting = meeting_of(team, sizes[i], ROUNDS);
        double best = 1;

        for (part = 0; part < 10; part++) {
            double begin = xh_clock_wall();

            hyb_team_run(team, wait_often, &meeting);
            begin = (xh_clock_wall() - begin) / ROUNDS;
            best = begin < best ? begin : best;
        }
        print_message("# a barrier of %d threads on %d cores: %.2f us\n",
                      sizes[i], cpu_count, best * 1e6);
        check_meeting(&meeting);
        hyb_barrier_destroy(meeting.barrier);
        hyb_team_destroy(team);
    }
}

static void a_barrier_larger_than_the_team_is_refused(void **state)
{
    hyb_team_t *team = team_of(2);
    hyb_barrier_t *barrier = NULL;

    (void)state;
    assert_int_equal(hyb_barrier_create(team, 3, &barrier), XH_ERR_ARG);
    assert_int_equal(hyb_barrier_create(team, 0, &barrier), XH_ERR_ARG);
    assert_null(barrier);
    hyb_barrier_destroy(NULL);
    hyb_team_destroy(team);
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test(all_see_what_each_wrote_before),
    cmocka_unit_test(sub_teams_meet_apart),
    cmocka_unit_test(helpers_may_come_and_go_meanwhile),
    cmocka_unit_test(a_late_member_finds_the_others_waiting),
    cmocka_unit_test(say_what_a_barrier_costs),
    cmocka_unit_test(a_barrier_larger_than_the_team_is_refused),
};

UNIT_MAIN(cases)
