/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#define _GNU_SOURCE
#include "testing/unit/unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/clock.h"
#include "testing/unit/node/small_team.h"

enum { MOST = 64, MEMBERS = 16, ROUNDS = 500 };

typedef struct {
    int calls[MOST];         /* by member: each writes its own */
    pid_t threads[MOST];     /* who ran it */
    cpu_set_t allowed[MOST]; /* and where it might */
} record_t;

static hyb_team_t *team_of(int size)
{
    hyb_team_t *team = small_team(size);

    assert_int_equal(hyb_team_size(team), size);
    return team;
}

static void take_note(void *argument, int member)
{
    record_t *record = argument;

    record->calls[member]++;
    record->threads[member] = gettid();
    sched_getaffinity(0, sizeof(cpu_set_t), &record->allowed[member]);
}

TEST(every_member_runs_the_function_once_in_each_run)
{
    int sizes[] = {1, 2, 3, 8, MOST};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        hyb_team_t *team = team_of(sizes[i]);
        record_t record = {0};

        for (int run = 0; run < 5; run++) {
            usleep(2000); /* they sleep, and wake up */
            hyb_team_run(team, take_note, &record);
        }
        for (int member = 0; member < MOST; member++)
            assert_int_equal(record.calls[member], member < sizes[i] ? 5 : 0);
        hyb_team_destroy(team);
    }
}

TEST(member_i_is_pinned_to_core_i)
{
    int cpus[MOST], cores = xh_cpu_core_ids("", cpus, MOST);
    hyb_team_t *team = team_of(5);
    record_t record = {0};

    hyb_team_run(team, take_note, &record);
    for (int member = 0; member < 5; member++) {
        size_t cpu = (size_t)cpus[member % (cores < MOST ? cores : MOST)];

        assert_int_equal(CPU_COUNT(&record.allowed[member]), 1);
        assert_true(CPU_ISSET(cpu, &record.allowed[member]));
    }
    hyb_team_destroy(team);
}

/* The caller gets its affinity back, and a team of one pins nothing. */
TEST(the_caller_stays_where_it_is)
{
    cpu_set_t before, after;
    record_t record = {0};
    hyb_team_t *team;

    sched_getaffinity(0, sizeof(before), &before);
    hyb_team_destroy(team_of(3));
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
    team = team_of(1);
    hyb_team_run(team, take_note, &record);
    assert_true(CPU_EQUAL(&before, &record.allowed[0]));
    assert_int_equal(record.threads[0], gettid());
    hyb_team_destroy(team);
}

static void add_one(void *argument, int member)
{
    (void)member;
    atomic_fetch_add((atomic_int *)argument, 1);
}

TEST(a_team_outnumbered_by_helpers_still_runs)
{
    hyb_team_t *team = team_of(3);
    atomic_int sum = 0;

    hyb_team_add_helpers(team, 1000);
    for (int run = 0; run < 50; run++)
        hyb_team_run(team, add_one, &sum);
    hyb_team_add_helpers(team, -1000);
    for (int run = 0; run < 50; run++)
        hyb_team_run(team, add_one, &sum);
    assert_int_equal(atomic_load(&sum), 300);
    hyb_team_destroy(team);
}

TEST(impossible_teams_and_barriers_are_refused)
{
    hyb_barrier_t *barrier = NULL;
    int here = sched_getcpu(), absent[] = {here, 8000}, negative[] = {-1};
    cpu_set_t before, after;
    hyb_team_t *team = NULL;

    sched_getaffinity(0, sizeof(before), &before);
    assert_int_equal(hyb_team_create(&here, 0, 1, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(&here, 1, 0, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(negative, 1, 2, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(absent, 2, 3, &team), XH_ERR_ARG);
    assert_null(team);
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
    hyb_team_destroy(NULL);
    team = team_of(2);
    assert_int_equal(hyb_barrier_create(team, 3, &barrier), XH_ERR_ARG);
    assert_int_equal(hyb_barrier_create(team, 0, &barrier), XH_ERR_ARG);
    assert_null(barrier);
    hyb_barrier_destroy(NULL);
    hyb_team_destroy(team);
}

/* ---- barriers ------------------------------------------------------------ */

typedef struct {
    hyb_team_t *team;
    hyb_barrier_t *barrier;
    int rounds;
    int members;
    int marks[MEMBERS]; /* plain: only the barrier orders them */
    int wrong[MEMBERS];
    int offset; /* of the sub-team's first member */
} meeting_t;

static meeting_t meeting_of(hyb_team_t *team, int members, int rounds)
{
    meeting_t meeting = {.team = team, .members = members, .rounds = rounds};

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

static void close_meeting(const meeting_t *meeting)
{
    for (int member = 0; member < meeting->members; member++) {
        assert_int_equal(meeting->marks[member], meeting->rounds);
        assert_int_equal(meeting->wrong[member], 0);
    }
    hyb_barrier_destroy(meeting->barrier);
}

TEST(all_see_what_each_wrote_before)
{
    int sizes[] = {1, 2, 3, 4, MEMBERS};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        hyb_team_t *team = team_of(sizes[i]);
        meeting_t meeting = meeting_of(team, sizes[i], ROUNDS);

        hyb_team_run(team, meet, &meeting);
        close_meeting(&meeting);
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
    close_meeting(&halves[0]);
    close_meeting(&halves[1]);
    hyb_team_destroy(team);
}

static void meet_or_help(void *argument, int member)
{
    meeting_t *meeting = argument;

    for (int i = 0; member == 0 && i < 100; i++) {
        hyb_team_add_helpers(meeting->team, i % 2 == 0 ? 100 : -100);
        usleep(10);
    }
    if (member > 0)
        meet(meeting, member);
}

TEST(helpers_may_come_and_go_meanwhile)
{
    hyb_team_t *team = team_of(3);
    meeting_t meeting = meeting_of(team, 2, ROUNDS);

    meeting.offset = 1;
    hyb_team_run(team, meet_or_help, &meeting);
    close_meeting(&meeting);
    hyb_team_destroy(team);
}

/* Member 1 works for a while. */
static void work_beside_others(void *argument, int member)
{
    const double seconds = *(double *)argument;
    double end = xh_clock_wall() + seconds;

    while (member == 1 && xh_clock_wall() < end)
        ;
}

TEST(a_team_knows_the_processor_time_of_its_members)
{
    hyb_team_t *team = team_of(3);
    double nap = 1e-3, one, two, wall = xh_clock_wall();

    for (int i = 0; i < 200; i++)
        hyb_team_run(team, work_beside_others, &nap);
    wall = xh_clock_wall() - wall;
    one = hyb_team_seconds(team, 1); /* it spins for the others' end */
    two = hyb_team_seconds(team, 2);
    assert_true(0.0 < one && one < two / 2 && two <= wall / 2);
    hyb_team_destroy(team);
}
