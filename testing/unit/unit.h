/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A unit test is a file test_<object>.c of cases, each a sentence:
 *
 *     TEST(an_empty_list_is_refused)
 *     {
 *         assert_int_equal(parse(""), XH_ERR_INPUT);
 *     }
 *
 * They run in the order of their lines. Results leave as TAP, one line a case.
 * A test that needs processes includes unit_mpi.h instead and names their
 * numbers in the second line of its file.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define assert_ok(call) assert_int_equal(call, XH_OK)

/* text contains words. */
#define assert_in(text, words)                                                 \
    do {                                                                       \
        const char *in_ = (text), *words_ = (words);                           \
                                                                               \
        if (strstr(in_, words_) == NULL)                                       \
            fail_msg("no \"%s\" in: %s", words_, in_);                         \
    } while (0)

/* Elements of an array. */
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* One more case of this program. */
void unit_add(struct CMUnitTest added);

/* Run all: the exit status. What a program does whose test has no main. */
int unit_run(void);

/* A case, between setup and teardown; either may be NULL. */
#define TEST_WITH(name, setup, teardown)                                       \
    static void name(void **);                                                 \
    __attribute__((constructor(1000 + __LINE__))) static void name##_added(    \
        void)                                                                  \
    {                                                                          \
        unit_add((struct CMUnitTest){#name, name, setup, teardown, NULL});     \
    }                                                                          \
    static void name(__attribute__((unused)) void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A set-up or a teardown, whose assertions hold. */
#define UNIT_STEP(name)                                                        \
    static void name##_step(void);                                             \
    static int name(__attribute__((unused)) void **state)                      \
    {                                                                          \
        name##_step();                                                         \
        return 0;                                                              \
    }                                                                          \
    static void name##_step(void)

/* A case that is one call. */
#define TEST_CALL(name, ...)                                                   \
    TEST(name)                                                                 \
    {                                                                          \
        __VA_ARGS__;                                                           \
    }
