/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/tally.h"

#include <inttypes.h>
#include <pthread.h>
#include "base/log.h"
#include "base/text.h"

enum { LINE = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { /* under the lock */
    int64_t tests, begun, ended;
    xhpl_test_t now, best;
    double rate; /* of the best; 0: none counts */
} tally;

void xhpl_tally_begin(int64_t tests)
{
    pthread_mutex_lock(&lock);
    tally.tests = tests;
    tally.begun = tally.ended = 0;
    tally.rate = 0.0;
    pthread_mutex_unlock(&lock);
}

int64_t xhpl_tally_start(const xhpl_test_t *test)
{
    int64_t number;

    pthread_mutex_lock(&lock);
    number = ++tally.begun;
    tally.now = *test;
    pthread_mutex_unlock(&lock);
    return number;
}

void xhpl_tally_end(double rate)
{
    pthread_mutex_lock(&lock);
    tally.ended++;
    if (rate > tally.rate) {
        tally.rate = rate;
        tally.best = tally.now;
    }
    pthread_mutex_unlock(&lock);
}

static void append_test(const xhpl_test_t *test, char *text, size_t size)
{
    xh_text_append(text, size, "N = %d, NB = %d, %d x %d processes", test->n,
                   test->nb, test->nprow, test->npcol);
}

static void append_best(char *text, size_t size)
{
    append_test(&tally.best, text, size);
    xh_text_append(text, size, ": %.4g Gflop/s", 1e-9 * tally.rate);
}

void xhpl_tally_say_best(double ceiling)
{
    char text[LINE] = "best: ";

    pthread_mutex_lock(&lock);
    append_best(text, sizeof(text));
    if (ceiling > 0.0)
        xh_text_append(text, sizeof(text),
                       ", %.0f%% of the %.4g that these cores reach in "
                       "multiply-adds alone",
                       100.0 * tally.rate / ceiling, 1e-9 * ceiling);
    if (tally.rate > 0.0 && (tally.tests > 1 || ceiling > 0.0))
        xh_log_info("%s", text);
    tally.tests = 0; /* the run is over */
    pthread_mutex_unlock(&lock);
}

void xhpl_tally_say_interrupted(void)
{
    char text[LINE] = "interrupted: ";

    pthread_mutex_lock(&lock);
    xh_text_append(text, sizeof(text),
                   "%" PRId64 " of %" PRId64 " tests finished", tally.ended,
                   tally.tests);
    if (tally.begun > tally.ended) {
        xh_text_append(text, sizeof(text),
                       ", test %" PRId64 " under way: ", tally.begun);
        append_test(&tally.now, text, sizeof(text));
    }
    if (tally.rate > 0.0) {
        xh_text_append(text, sizeof(text), "; the best: ");
        append_best(text, sizeof(text));
    }
    if (tally.tests > 0)
        xh_log_info("%s", text);
    pthread_mutex_unlock(&lock);
}
