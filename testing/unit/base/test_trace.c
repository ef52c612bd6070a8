/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "base/trace.h"
#include <math.h>
#include <pthread.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

/* The events, valid until the next call. */
static const char *events(int process, double zero)
{
    static char *text;
    size_t size = 0;

    free(text);
    text = NULL;
    assert_ok(xh_trace_text(process, zero, &text, &size));
    assert_int_equal(strlen(text), size);
    return text;
}

static int count(const char *text, const char *word)
{
    int found = 0;

    for (; (text = strstr(text, word)) != NULL; text++)
        found++;
    return found;
}

TEST(nothing_is_recorded_before_open_and_after_close)
{
    assert_false(xh_trace_on());
    xh_trace_name_actor(0, "thread 0");
    xh_trace_span(0, "panel", 0, 1.0, 2.0);
    xh_trace_open(2, 8);
    assert_true(xh_trace_on());
    assert_int_equal(xh_trace_kept(), 0);
    xh_trace_span(1, "panel", 0, 1.0, 2.0);
    assert_int_equal(xh_trace_kept(), 1);
    xh_trace_close();
    assert_false(xh_trace_on());
    xh_trace_span(1, "panel", 0, 1.0, 2.0);
    assert_int_equal(xh_trace_kept(), 0);
    assert_int_equal(xh_trace_lost(), 0);
    assert_null(strstr(events(0, 0.0), "panel"));
}

TEST(a_span_is_an_event_in_microseconds_from_zero)
{
    const char *text;

    xh_trace_open(3, 8);
    xh_trace_name_actor(2, "device 0");
    xh_trace_span(2, "update", 17, 100.5, 100.75);
    xh_trace_span(0, "panel", 0, 103.0, 102.0); /* which has no length */
    text = events(4, 100.0);
    xh_trace_close();
    assert_in(text,
              "{\"name\":\"update\",\"ph\":\"X\",\"pid\":4,\"tid\":2,"
              "\"ts\":500000.000,\"dur\":250000.000,\"args\":{\"iteration\":17}"
              "}");
    assert_in(text, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":4,"
                    "\"tid\":2,\"args\":{\"name\":\"device 0\"}}");
    assert_in(text, "\"ts\":3000000.000,\"dur\":0.000");
    assert_in(text, "\"args\":{\"name\":\"process 4\"}");
    assert_null(strstr(text, "lost"));
}

TEST(the_newest_spans_are_kept_and_the_lost_ones_counted)
{
    char word[32];
    const char *text;

    xh_trace_open(2, 10);
    for (int i = 0; i < 25; i++)
        xh_trace_span(0, "panel", i, i, i + 0.5);
    xh_trace_span(1, "swap", 99, 0.0, 1.0);
    assert_int_equal(xh_trace_kept(), 11);
    assert_int_equal(xh_trace_lost(), 15);
    text = events(0, 0.0);
    xh_trace_close();
    assert_int_equal(count(text, "\"panel\""), 10);
    for (int i = 0; i < 25; i++) {
        snprintf(word, sizeof(word), "\"iteration\":%d}", i);
        assert_int_equal(count(text, word), i >= 15);
    }
    assert_true(strstr(text, "\"iteration\":15}") <
                strstr(text, "\"iteration\":24}"));
    assert_in(text, "\"labels\":\"15 spans lost\"");
}

TEST(what_cannot_be_kept_is_counted_as_lost)
{
    xh_trace_open(2, 4);
    xh_trace_span(2, "panel", 0, 1.0, 2.0);
    xh_trace_span(-1, "panel", 0, 1.0, 2.0);
    xh_trace_span(0, "panel", 0, NAN, 2.0);
    xh_trace_span(0, "panel", 0, 1.0, INFINITY);
    xh_trace_name_actor(7, "nobody");
    assert_int_equal(xh_trace_kept(), 0);
    assert_int_equal(xh_trace_lost(), 4);
    assert_null(strstr(events(0, 0.0), "panel"));
    xh_trace_close();
}

TEST(any_name_makes_valid_json)
{
    char longest[100], first[40];

    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    snprintf(first, sizeof(first), "\"%.31s\"", longest);
    xh_trace_open(3, 4);
    xh_trace_name_actor(0, "a \"quoted\" \\ actor\n\x01");
    xh_trace_name_actor(1, longest);
    xh_trace_span(0, "\"\\\t", 0, 1.0, 2.0);
    xh_trace_span(1, "swap", 0, 1.0, 2.0);
    xh_trace_span(2, "swap", 0, 1.0, 2.0);
    assert_in(events(0, 0.0), "a \\\"quoted\\\" \\\\ actor\\u000a\\u0001\"");
    assert_in(events(0, 0.0), "\"name\":\"\\\"\\\\\\u0009\"");
    assert_in(events(0, 0.0), first);
    assert_in(events(0, 0.0), "\"unnamed\"");
    xh_trace_close();
}

TEST(a_trace_of_nobody_stays_off_and_says_so)
{
    bool on;

    capture_begin();
    xh_trace_open(0, 4);
    on = xh_trace_on();
    xh_trace_open(1, 0);
    on = on || xh_trace_on();
    assert_int_equal(count(capture_end(NULL), "no trace of"), 2);
    assert_false(on);
}

enum { THREADS = 4, SPANS = 5000, KEPT = 1000 };

static void *record(void *context)
{
    int actor = *(int *)context;

    for (int i = 0; i < SPANS; i++)
        xh_trace_span(actor, "update", i, i, i + 1);
    return NULL;
}

TEST(threads_record_beside_each_other)
{
    pthread_t thread[THREADS];
    int actor[THREADS];
    const char *text;

    xh_trace_open(THREADS, KEPT);
    for (int i = 0; i < THREADS; i++) {
        actor[i] = i;
        assert_int_equal(pthread_create(&thread[i], NULL, record, &actor[i]),
                         0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    assert_int_equal(xh_trace_kept(), THREADS * KEPT);
    assert_int_equal(xh_trace_lost(), THREADS * (SPANS - KEPT));
    text = events(0, 0.0);
    xh_trace_close();
    assert_int_equal(count(text, "\"update\""), THREADS * KEPT);
    assert_int_equal(count(text, "\"iteration\":4999}"), THREADS);
    assert_int_equal(count(text, "\"tid\":3,\"ts\""), KEPT);
}
