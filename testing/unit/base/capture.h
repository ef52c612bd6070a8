/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Collect what is written to stderr between begin and end, at most 64 KiB,
 * instead of showing it. Assert after end: a failed assertion leaves the case.
 */
void capture_begin(void);

/*
 * The text, valid until the next begin, and how often write was called for
 * it if writes_p is not NULL.
 */
const char *capture_end(int *writes_p);

/* How many lines text has. */
int capture_lines(const char *text);

/* What doing this writes to stderr, valid until the next begin. */
#define heard(...) (capture_begin(), (void)(__VA_ARGS__), capture_end(NULL))

/* Do this, and do not show what it writes to stderr. */
#define unheard(...) ((void)heard(__VA_ARGS__))

/* call returns status, and what it writes to stderr contains words. */
#define assert_said(call, status, words)                                       \
    do {                                                                       \
        xh_status_t is_;                                                       \
        const char *said_ = heard(is_ = (call));                               \
                                                                               \
        assert_int_equal(is_, status);                                         \
        assert_in(said_, words);                                               \
    } while (0)
