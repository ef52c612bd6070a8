/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: threads */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include "testing/unit/base/capture.h"
#include "testing/unit/unit.h"

enum {
    THREADS = 4,
    LINES = 20 /* of each thread */
};

TEST(without_a_name_the_message_stands_alone)
{
    assert_string_equal(heard(xh_log_error("%d of %s", 3, "four")),
                        "xhpl: error: 3 of four\n");
}

TEST(errors_and_warnings_name_rank_and_host)
{
    xh_log_identify("prog", 3, "node17");
    capture_begin();
    xh_log_error("cannot allocate %.1f GiB", 81.25);
    xh_log_warning("slow");
    xh_log_info("matrix generated");
    assert_string_equal(
        capture_end(NULL),
        "prog: error: rank 3 on node17: cannot allocate 81.2 GiB\n"
        "prog: warning: rank 3 on node17: slow\n"
        "prog: matrix generated\n");
}

TEST(a_message_is_one_line_in_one_write)
{
    int writes;
    const char *text;

    capture_begin();
    xh_log_info("a value of\nthe user's\r\t\033[31m");
    text = capture_end(&writes);
    assert_int_equal(writes, 1);
    assert_string_equal(text, "prog: a value of?the user's???[31m\n");
}

TEST(a_long_message_is_cut_and_still_ends_its_line)
{
    static char long_text[10000];
    int writes;
    const char *text;

    memset(long_text, 'x', sizeof(long_text) - 1);
    capture_begin();
    errno = ENOSPC;
    xh_log_error("%s", long_text);
    assert_int_equal(errno, ENOSPC);
    text = capture_end(&writes);
    assert_int_equal(writes, 1);
    assert_int_equal(strlen(text), 4096);
    assert_ptr_equal(strchr(text, '\n'), text + 4095);
}

TEST(messages_below_the_limit_are_dropped)
{
    capture_begin();
    xh_log_limit(XH_LOG_WARNING);
    xh_log_info("i");
    xh_log_warning("w");
    xh_log_limit(XH_LOG_ERROR);
    xh_log_warning("v");
    xh_log_error("e");
    xh_log_limit(XH_LOG_INFO);
    assert_string_equal(capture_end(NULL),
                        "prog: warning: rank 3 on node17: w\n"
                        "prog: error: rank 3 on node17: e\n");
}

static void *log_lines(void *argument)
{
    for (int i = 0; i < LINES; i++)
        xh_log_info("%s", (const char *)argument);
    return NULL;
}

TEST(lines_of_several_threads_do_not_mix)
{
    static char word[] = "a word that is the same in every line";
    pthread_t threads[THREADS];
    const char *text;
    char expected[128];
    int writes;

    capture_begin();
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, log_lines, word);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    text = capture_end(&writes);
    snprintf(expected, sizeof(expected), "prog: %s\n", word);
    assert_int_equal(writes, THREADS * LINES);
    for (int i = 0; i < THREADS * LINES; i++, text += strlen(expected))
        assert_memory_equal(text, expected, strlen(expected));
}

TEST(a_live_line_is_replaced_and_gives_way_to_messages)
{
    xh_log_identify("prog", -1, "");
    capture_begin();
    xh_log_live("50% done");
    xh_log_live("51%");
    xh_log_info("note");
    xh_log_live("52%");
    xh_log_live("");
    xh_log_live("");
    assert_string_equal(capture_end(NULL), "\r50% done\r51%     \r   \r"
                                           "prog: note\n\r52%\r   \r");
}

static char said[64];

static void hear(xh_log_level_t level, const char *text)
{
    snprintf(said, sizeof(said), "%d %s", (int)level, text);
}

TEST(an_error_of_another_form_stays_as_it_is_and_is_heard)
{
    int writes;
    const char *text;

    xh_log_identify("prog", 3, "node17");
    xh_log_listen(hear);
    capture_begin();
    xh_log_error_as_is("LIB ERROR: 5%d");
    text = capture_end(&writes);
    xh_log_listen(NULL);
    assert_int_equal(writes, 1);
    assert_string_equal(text, "LIB ERROR: 5%d\n");
    assert_string_equal(said, "0 LIB ERROR: 5%d");
}

TEST(a_message_beside_a_live_line_takes_that_away)
{
    char expected[128];

    xh_log_identify("prog", -1, "");
    snprintf(expected, sizeof(expected), "\r%79s\rprog: one\nprog: two\n", "");
    capture_begin();
    xh_log_beside_live(true);
    xh_log_info("one");
    xh_log_beside_live(false);
    xh_log_info("two");
    assert_string_equal(capture_end(NULL), expected);
}
