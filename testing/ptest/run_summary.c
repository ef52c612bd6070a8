/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/run_summary.h"

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
    int runs;    /* of each test; of this one so far: */
    int counted;
    double sum, least, most; /* flop/s */
} tally;

void xhpl_summary_begin(int64_t tests, int runs)
{
    pthread_mutex_lock(&lock);
    tally.tests = tests;
    tally.begun = tally.ended = 0;
    tally.rate = 0.0;
    tally.runs = runs;
    tally.counted = 0;
    pthread_mutex_unlock(&lock);
}

int64_t xhpl_summary_start(const xhpl_test_t *test)
{
    int64_t number;

    pthread_mutex_lock(&lock);
    number = ++tally.begun;
    tally.now = *test;
    pthread_mutex_unlock(&lock);
    return number;
}

static void append_test(const xhpl_test_t *test, char *text, size_t size)
{
    xh_text_append(text, size, "N = %d, NB = %d, %d x %d processes", test->n,
                   test->nb, test->nprow, test->npcol);
}

/* Under the lock: a run of rate > 0 counts. */
static void count_run(double rate)
{
    tally.least = tally.counted > 0 && tally.least < rate ? tally.least : rate;
    tally.most = tally.counted > 0 && tally.most > rate ? tally.most : rate;
    tally.sum = (tally.counted > 0 ? tally.sum : 0.0) + rate;
    tally.counted++;
}

/* Under the lock: all runs of a test are over. */
static void say_runs(void)
{
    double mean = tally.counted > 0 ? tally.sum / tally.counted : 0.0;
    char text[LINE] = "";

    append_test(&tally.now, text, sizeof(text));
    if (tally.counted > 0)
        xh_log_info("%d runs of %s: mean %s Gflop/s, %s to %s, spread %.1f%%",
                    tally.counted, text, xh_text_plain(1e-9 * mean, 4).text,
                    xh_text_plain(1e-9 * tally.least, 4).text,
                    xh_text_plain(1e-9 * tally.most, 4).text,
                    100.0 * (tally.most - tally.least) / mean);
    tally.counted = 0;
}

void xhpl_summary_end(double rate)
{
    pthread_mutex_lock(&lock);
    tally.ended++;
    if (rate > 0.0)
        count_run(rate);
    if (tally.runs > 1 && tally.ended % tally.runs == 0)
        say_runs();
    if (rate > tally.rate) {
        tally.rate = rate;
        tally.best = tally.now;
    }
    pthread_mutex_unlock(&lock);
}

static void append_best(char *text, size_t size)
{
    append_test(&tally.best, text, size);
    xh_text_append(text, size, ": %s Gflop/s",
                   xh_text_plain(1e-9 * tally.rate, 4).text);
}

void xhpl_summary_say_best(double ceiling)
{
    char text[LINE] = "best: ";

    pthread_mutex_lock(&lock);
    append_best(text, sizeof(text));
    if (ceiling > 0.0)
        xh_text_append(text, sizeof(text),
                       ", %.0f%% of the %s that these cores reach in "
                       "multiply-adds alone",
                       100.0 * tally.rate / ceiling,
                       xh_text_plain(1e-9 * ceiling, 4).text);
    if (tally.rate > 0.0 && (tally.tests > 1 || ceiling > 0.0))
        xh_log_info("%s", text);
    tally.tests = 0; /* the run is over */
    pthread_mutex_unlock(&lock);
}

void xhpl_summary_say_interrupted(void)
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
