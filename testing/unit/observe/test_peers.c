/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/health.h"

#include <math.h>
#include "base/log.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

enum { COUNT = 4 };

/* Processes that tell what they did each tenth of a second. */
typedef struct {
    hyb_peers_t *peers;
    double now;
    hyb_health_report_t report[COUNT];
} group_t;

static group_t group;

UNIT_STEP(begin)
{
    group = (group_t){.peers = hyb_peers_create(COUNT, 2)};
    assert_non_null(group.peers);
    for (int i = 0; i < COUNT; i++) {
        group.report[i] = (hyb_health_report_t){
            .rank = 10 + i, .mhz = 3000.0, .celsius = NAN, .column = i % 2};
        snprintf(group.report[i].host, sizeof(group.report[i].host), "node%d",
                 i / 2);
    }
    xh_log_identify("xhpl", 0, "here");
    capture_begin();
}

#define TEST_OF_GROUP(name) TEST_WITH(name, begin, NULL)

/* All work for seconds: each with such a share of its rate, while its processor
 * was at work for such a share of the time. */
static void advance(const double rate[COUNT], const double cpu[COUNT],
                    double seconds)
{
    double end = group.now + seconds;

    for (; group.now < end; group.now += 0.1)
        for (int i = 0; i < COUNT; i++) {
            hyb_health_report_t *t = &group.report[i];

            t->time = group.now;
            t->flop += 4e9 * rate[i];
            t->cpu += 0.08 * cpu[i];
            t->seconds += 0.08;
            t->leader[HYB_MULTIPLY] += 0.08;
            hyb_peers_add(group.peers, i, t);
            if (i == 0)
                hyb_peers_judge(group.peers, group.now);
        }
}

/* Share of its time each was not stopped. */
static void work(const double share[COUNT], double seconds)
{
    advance(share, share, seconds);
}

static const char *end(void)
{
    hyb_peers_destroy(group.peers);
    return capture_end(NULL);
}

static const double all_well[COUNT] = {1.0, 0.95, 1.0, 0.9};
static const double third_stops[COUNT] = {1.0, 0.95, 0.5, 1.0};
static const double first_stops[COUNT] = {0.5, 1.0, 1.0, 1.0};
static const double most_stop[COUNT] = {0.5, 0.5, 1.0, 0.45};
static const double all_stop[COUNT] = {0.5, 0.45, 0.55, 0.5};

TEST_OF_GROUP(a_slow_process_is_named_once_and_when_it_keeps_up)
{
    work(third_stops, 30.0);
    work(all_well, 30.0);
    assert_string_equal(
        end(),
        "xhpl: warning: rank 12 on node1: slow: it updates at 50% of the rate "
        "of the others, 25 Gflops per thread; its clock is 3000 MHz, at best "
        "it was 3000\nxhpl: all processes keep up with each other again\n");
}

TEST_OF_GROUP(a_moment_is_not_spoken_of_nor_who_does_well)
{
    work(all_well, 30.0);
    work(third_stops, 0.2);
    work(all_well, 3.0);
    assert_string_equal(end(), "");
}

TEST_OF_GROUP(another_slow_process_is_named_after_ten_seconds)
{
    const char *text;

    work(third_stops, 3.0);
    work(first_stops, 6.0);
    work(third_stops, 3.0);
    work(first_stops, 6.0);
    text = end();
    assert_in(text, "rank 12 on node1: slow");
    text = strchr(text, '\n') + 1;
    assert_in(text, "rank 10 on node0: slow");
    assert_string_equal(strchr(text, '\n'), "\n");
}

/* Their processors are at work all the time, and slower. */
TEST_OF_GROUP(who_stays_throttled_does_not_become_usual)
{
    static const double always[COUNT] = {1.0, 1.0, 1.0, 1.0};
    const char *text;

    advance(always, always, 5.0);
    advance(all_stop, always, 60.0);
    text = end();
    assert_in(text, "xhpl: warning: throttling: all processes");
    assert_string_equal(strchr(text, '\n'), "\n");
}

TEST_OF_GROUP(most_slow_are_counted_and_the_slowest_named)
{
    work(most_stop, 30.0);
    work(all_well, 30.0);
    assert_string_equal(
        end(),
        "xhpl: warning: throttling: 3 of 4 processes update at 50% of what "
        "they usually do; the slowest is rank 13 on node1; its clock is 3000 "
        "MHz, at best it was 3000\n"
        "xhpl: all processes update as fast as usual again\n");
}

TEST_OF_GROUP(less_than_predicted_is_slow_from_the_beginning)
{
    const char *text;

    for (int i = 0; i < COUNT; i++)
        group.report[i].planned = 100e9;
    work(all_well, 5.0);
    text = end();
    assert_in(text, "xhpl: warning: slow: all processes update at "
                    "49% of what was predicted");
    assert_null(strstr(text, "rank"));
}

/* Programs that come and go are reported once. */
TEST_OF_GROUP(who_has_others_on_its_cores_is_named_once)
{
    for (int step = 0; step < 300; step++) {
        group.report[2].run_delay += step % 100 < 50 ? 0.08 : 0.0;
        work(all_well, 0.1);
    }
    assert_string_equal(
        end(), "xhpl: warning: rank 12 on node1: crowded: threads wait for "
               "cores 50% of the time. Other programs use the cores, there "
               "are more threads than cores, or a control group limits "
               "their time\n");
}

/* Half of the time goes by with messages, most of rank 13's. */
static void check_slow_messages(hyb_activity_t activity)
{
    const char *text;

    begin(NULL);
    for (int step = 0; step < 50; step++) {
        for (int i = 0; i < COUNT; i++)
            group.report[i].leader[activity] += i == 3 ? 0.06 : 0.05;
        work(all_well, 0.1);
    }
    text = end();
    assert_in(text, "xhpl: warning: communication is slow: ");
    assert_in(text, "rank 13 on node1\n");
}

/* Including messages that MPI waits for by itself. */
TEST(messages_that_are_slow_are_told_from_processes)
{
    check_slow_messages(HYB_WAIT_PANEL);
    check_slow_messages(HYB_WAIT_ROWS);
    check_slow_messages(HYB_BROADCAST);
    check_slow_messages(HYB_EXCHANGE);
}
