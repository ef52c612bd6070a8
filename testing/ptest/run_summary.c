/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/run_summary.h"

#include <inttypes.h>
#include <pthread.h>
#include "base/log.h"
#include "base/text.h"

enum { LINE = 400 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { /* protected by lock */
    int64_t tests, started, finished;
    xhpl_test_t current, best;
    double rate; /* of the best; 0: no valid result */
    int runs;    /* of each test; the members below are of the current test */
    int valid_runs;
    double sum, least, most; /* flop/s */
} summary;

void xhpl_summary_begin(int64_t tests, int runs)
{
    pthread_mutex_lock(&lock);
    summary.tests = tests;
    summary.started = summary.finished = 0;
    summary.rate = 0.0;
    summary.runs = runs;
    summary.valid_runs = 0;
    pthread_mutex_unlock(&lock);
}

int64_t xhpl_summary_start(const xhpl_test_t *test)
{
    int64_t number;

    pthread_mutex_lock(&lock);
    number = ++summary.started;
    summary.current = *test;
    pthread_mutex_unlock(&lock);
    return number;
}

static void append_test(const xhpl_test_t *test, char *text, size_t size)
{
    xh_text_append(text, size, "N = %d, NB = %d, %d x %d processes", test->n,
                   test->nb, test->nprow, test->npcol);
}

/* Add a valid run. Order: under the lock. */
static void add_run(double rate)
{
    summary.least =
        summary.valid_runs > 0 && summary.least < rate ? summary.least : rate;
    summary.most =
        summary.valid_runs > 0 && summary.most > rate ? summary.most : rate;
    summary.sum = (summary.valid_runs > 0 ? summary.sum : 0.0) + rate;
    summary.valid_runs++;
}

/* All runs of a test have ended. Order: under the lock. */
static void report_runs(void)
{
    double mean =
        summary.valid_runs > 0 ? summary.sum / summary.valid_runs : 0.0;
    char text[LINE] = "";

    append_test(&summary.current, text, sizeof(text));
    if (summary.valid_runs > 0)
        xh_log_info("%d runs of %s: mean %s Gflop/s, %s to %s, spread %.1f%%",
                    summary.valid_runs, text,
                    xh_text_plain(1e-9 * mean, 4).text,
                    xh_text_plain(1e-9 * summary.least, 4).text,
                    xh_text_plain(1e-9 * summary.most, 4).text,
                    100.0 * (summary.most - summary.least) / mean);
    summary.valid_runs = 0;
}

void xhpl_summary_end(double rate)
{
    pthread_mutex_lock(&lock);
    summary.finished++;
    if (rate > 0.0)
        add_run(rate);
    if (summary.runs > 1 && summary.finished % summary.runs == 0)
        report_runs();
    if (rate > summary.rate) {
        summary.rate = rate;
        summary.best = summary.current;
    }
    pthread_mutex_unlock(&lock);
}

static void append_best(char *text, size_t size)
{
    append_test(&summary.best, text, size);
    xh_text_append(text, size, ": %s Gflop/s",
                   xh_text_plain(1e-9 * summary.rate, 4).text);
}

void xhpl_summary_report_best(double ceiling)
{
    char text[LINE] = "best: ";

    pthread_mutex_lock(&lock);
    append_best(text, sizeof(text));
    if (ceiling > 0.0)
        xh_text_append(text, sizeof(text),
                       ", %.0f%% of the %s that these cores reach in "
                       "multiply-adds alone",
                       100.0 * summary.rate / ceiling,
                       xh_text_plain(1e-9 * ceiling, 4).text);
    if (summary.rate > 0.0 && (summary.tests > 1 || ceiling > 0.0))
        xh_log_info("%s", text);
    summary.tests = 0; /* the run is over */
    pthread_mutex_unlock(&lock);
}

void xhpl_summary_report_interrupted(void)
{
    char text[LINE] = "interrupted: ";

    pthread_mutex_lock(&lock);
    xh_text_append(text, sizeof(text),
                   "%" PRId64 " of %" PRId64 " tests finished",
                   summary.finished, summary.tests);
    if (summary.started > summary.finished) {
        xh_text_append(text, sizeof(text),
                       ", test %" PRId64 " under way: ", summary.started);
        append_test(&summary.current, text, sizeof(text));
    }
    if (summary.rate > 0.0) {
        xh_text_append(text, sizeof(text), "; the best: ");
        append_best(text, sizeof(text));
    }
    if (summary.tests > 0)
        xh_log_info("%s", text);
    pthread_mutex_unlock(&lock);
}
