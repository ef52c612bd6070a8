/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "testing/unit/unit.h"

#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#include "base/cpu.h"
#include "hybrid/node/team.h"

enum { MOST = 64 };

typedef struct {
    int calls[MOST];         /* by member: each writes its own */
    pid_t threads[MOST];     /* who ran it */
    cpu_set_t allowed[MOST]; /* and where it might */
} record_t;

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

TEST(every_member_runs_the_function_once)
{
    int sizes[] = {1, 2, 3, 8, MOST};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        hyb_team_t *team = team_of(sizes[i]);
        record_t record = {0};

        hyb_team_run(team, take_note, &record);
        for (int member = 0; member < MOST; member++)
            assert_int_equal(record.calls[member], member < sizes[i]);
        hyb_team_destroy(team);
    }
}

TEST(the_same_threads_serve_run_after_run)
{
    hyb_team_t *team = team_of(4);
    record_t first = {0}, record = {0};

    hyb_team_run(team, take_note, &first);
    for (int run = 0; run < 1000; run++)
        hyb_team_run(team, take_note, &record);
    for (int member = 0; member < 4; member++) {
        assert_int_equal(record.calls[member], 1000);
        assert_int_equal(record.threads[member], first.threads[member]);
    }
    assert_int_equal(record.threads[0], gettid());
    hyb_team_destroy(team);
}

TEST(sleeping_members_wake_up)
{
    hyb_team_t *team = team_of(4);
    record_t record = {0};

    for (int run = 0; run < 20; run++) {
        usleep(2000);
        hyb_team_run(team, take_note, &record);
    }
    for (int member = 0; member < 4; member++)
        assert_int_equal(record.calls[member], 20);
    hyb_team_destroy(team);
}

TEST(member_i_is_pinned_to_core_i)
{
    hyb_team_t *team = team_of(5);
    record_t record = {0};

    hyb_team_run(team, take_note, &record);
    for (int member = 0; member < 5; member++) {
        size_t cpu = (size_t)cpus[member % cpu_count];

        assert_int_equal(CPU_COUNT(&record.allowed[member]), 1);
        assert_true(CPU_ISSET(cpu, &record.allowed[member]));
    }
    hyb_team_destroy(team);
}

TEST(the_caller_gets_its_affinity_back)
{
    cpu_set_t before, after;

    sched_getaffinity(0, sizeof(before), &before);
    hyb_team_destroy(team_of(3));
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
}

TEST(a_team_of_one_pins_nothing)
{
    hyb_team_t *team = team_of(1);
    record_t record = {0};
    cpu_set_t before;

    sched_getaffinity(0, sizeof(before), &before);
    hyb_team_run(team, take_note, &record);
    assert_true(CPU_EQUAL(&before, &record.allowed[0]));
    assert_int_equal(record.threads[0], gettid());
    hyb_team_start(team, 1, take_note, &record);
    hyb_team_join(team);
    assert_int_equal(record.calls[0], 1);
    hyb_team_destroy(team);
}

TEST(a_start_reaches_the_members_from_first_on)
{
    hyb_team_t *team = team_of(4);
    record_t record = {0}, own = {0};

    for (int first = 1; first <= 4; first++) {
        hyb_team_start(team, first, take_note, &record);
        take_note(&own, 0);
        hyb_team_join(team);
    }
    for (int member = 0; member < 4; member++)
        assert_int_equal(record.calls[member], member);
    assert_int_equal(own.calls[0], 4);
    hyb_team_destroy(team);
}

TEST(a_join_without_a_start_returns)
{
    hyb_team_t *team = team_of(3);
    record_t record = {0};

    hyb_team_join(team);
    hyb_team_run(team, take_note, &record);
    hyb_team_join(team);
    assert_int_equal(record.calls[2], 1);
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

TEST(impossible_teams_are_refused)
{
    int absent[] = {cpus[0], 8000}, negative[] = {-1};
    cpu_set_t before, after;
    hyb_team_t *team = NULL;

    sched_getaffinity(0, sizeof(before), &before);
    assert_int_equal(hyb_team_create(cpus, 0, 1, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(cpus, cpu_count, 0, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(negative, 1, 2, &team), XH_ERR_ARG);
    assert_int_equal(hyb_team_create(absent, 2, 3, &team), XH_ERR_ARG);
    assert_null(team);
    sched_getaffinity(0, sizeof(after), &after);
    assert_true(CPU_EQUAL(&before, &after));
    hyb_team_destroy(NULL);
}

TEST_MAIN()
