/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pgesv/progress.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "base/text.h"
#include "hpl.h"

enum { LINE = 160, WIDTH = 80 };

/* Least seconds, and least share of the work, between two lines. */
static const struct {
    double seconds, share;
} apart[] = {[HPL_SILENT] = {INFINITY, 1.0},
             [HPL_SELDOM] = {10.0, 0.02},
             [HPL_OFTEN] = {0.25, 0.02},
             [HPL_LIVE] = {0.25, 0.0}};

static const double lately = 3.0; /* s; the current rate covers 3 to 6 s */

static hpl_expected_t next_expected;

void hpl_progress_expect(const hpl_expected_t *expected)
{
    next_expected = *expected;
}

static hpl_speech_t speech_of_setting(void)
{
    const char *setting = xh_settings_text("progress");

    if (strcmp(setting, "off") == 0)
        return HPL_SILENT;
    if (strcmp(setting, "live") == 0 || isatty(STDERR_FILENO) != 0)
        return HPL_LIVE;
    return strcmp(setting, "on") == 0 ? HPL_OFTEN : HPL_SELDOM;
}

void hpl_progress_phase(const HPL_T_grid *grid, int n, const char *what)
{
    const double large = 5e8; /* bytes per process: phases take 1 s or more */
    hpl_speech_t speech = speech_of_setting();

    if (grid->iam > 0 || speech == HPL_SILENT ||
        8.0 * n * n / grid->nprocs < large)
        return;
    if (speech == HPL_LIVE)
        xh_log_live(what != NULL ? what : "");
    else if (what != NULL)
        xh_log_info("progress: %s", what);
}

hpl_progress_t hpl_progress_begin(const HPL_T_grid *grid, int n)
{
    double now = xh_clock_now();
    hpl_progress_mark_t start = {.time = now, .share = 0.0};
    hpl_speech_t speech = speech_of_setting();
    bool first = grid->iam == 0;
    hpl_progress_t progress = {.n = n,
                               .speech = first ? speech : HPL_SILENT,
                               .beside_live = !first && speech == HPL_LIVE,
                               .expected = next_expected,
                               .started = now,
                               .said = start,
                               .mark = {start, start}};

    next_expected = (hpl_expected_t){0};
    if (progress.beside_live)
        xh_log_beside_live(true);
    return progress;
}

/* ---- the line ------------------------------------------------------------ */

/* Write a duration as "1h02" or "2:03". */
static void duration_text(double seconds, char *text, size_t size)
{
    int64_t s = (int64_t)(seconds + 0.5);

    if (s >= 3600)
        snprintf(text, size, "%" PRId64 "h%02d", s / 3600, (int)(s / 60 % 60));
    else
        snprintf(text, size, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

/* Four digits, or all digits before the point. */
static double flop(const hpl_progress_t *p)
{
    return 2.0 / 3.0 * p->n * (double)p->n * p->n;
}

double hpl_progress_expected(const hpl_progress_t *progress)
{
    double seconds = progress->expected.seconds;

    return seconds > 0.0 ? flop(progress) / seconds : 0.0;
}

/* flop/s between two marks; 0: unknown. */
static double rate_of(const hpl_progress_t *p, hpl_progress_mark_t from,
                      hpl_progress_mark_t to)
{
    return to.time > from.time
               ? (to.share - from.share) * flop(p) / (to.time - from.time)
               : 0.0;
}

/* Write ", 98% of plan". More than 100% needs a reason. */
static const char *compared(const hpl_progress_t *p, double rate, char *text,
                            size_t size)
{
    double planned = hpl_progress_expected(p);
    double part = planned > 0.0 ? rate / planned : 0.0;

    if (planned > 0.0 && p->expected.disturbed)
        return ", planned under load";
    if (part > 1.005)
        return ", ahead of plan";
    if (planned > 0.0)
        snprintf(text, size, ", %.0f%% of plan", 100.0 * part);
    return text;
}

/* Write ", devices 87%": the fraction of the time in which devices multiplied.
 */
static void devices_text(const hpl_progress_t *p, hpl_progress_mark_t at,
                         char *text, size_t size)
{
    double all = p->devices * (at.time - p->started);

    if (all > 0.0)
        snprintf(text, size, ", devices %.0f%%",
                 100.0 * fmin(p->at_work / all, 1.0));
}

/* Write a line that fits a terminal of 80 columns. */
void hpl_progress_text(const hpl_progress_t *p, int64_t left,
                       hpl_progress_mark_t at, char *text, size_t size)
{
    double rate = rate_of(p, (hpl_progress_mark_t){p->started, 0.0}, at);
    double seconds = (at.time - p->started) * (1.0 - at.share) / at.share;
    double now = rate_of(p, p->mark[0], at);
    char rest[64] = "", prediction[32] = "", test[64] = "", job[32] = "";
    char devices[32] = "";
    int length;

    if (at.share > 0.0 && seconds < 1e15) {
        memcpy(rest, ", ", sizeof(", "));
        duration_text(seconds, rest + 2, sizeof(rest) - 2);
    }
    if (p->expected.tests > 1)
        snprintf(test, sizeof(test), "test %" PRId64 " of %" PRId64 ": ",
                 p->expected.test, p->expected.tests);
    if (p->expected.flop_after > 0.0 && rest[0] != '\0' && rate > 0.0) {
        memcpy(job, ", job ", sizeof(", job "));
        duration_text(seconds + p->expected.flop_after / rate, job + 6,
                      sizeof(job) - 6);
    }
    length = snprintf(
        text, size,
        "%s%.1f%% done, %" PRId64 " columns%s left%s, %s Gflops, mean %s%s",
        test, 100.0 * at.share, left, rest, job,
        xh_text_plain(1e-9 * now, 4).text, xh_text_plain(1e-9 * rate, 4).text,
        compared(p, rate, prediction, sizeof(prediction)));
    devices_text(p, at, devices, sizeof(devices));
    if (length + (int)strlen(devices) < WIDTH)
        snprintf(text + length, size - (size_t)length, "%s", devices);
}

/* ---- printing ------------------------------------------------------------ */

/* Is it time for a line? The end is reported only after other lines, or if
 * lines are frequent. */
static bool is_to_speak(const hpl_progress_t *p, int64_t left,
                        hpl_progress_mark_t at)
{
    if (left <= 0)
        return p->speech == HPL_OFTEN || p->said.time > p->started;
    return at.time >= p->said.time + apart[p->speech].seconds &&
           at.share >= p->said.share + apart[p->speech].share;
}

void hpl_progress_say(hpl_progress_t *p, int64_t left)
{
    double n = p->n, rest = (double)Mmax(left, 0);
    hpl_progress_mark_t at;
    char line[LINE];

    if (p->beside_live && left <= 0)
        xh_log_beside_live(false);
    if (p->speech == HPL_SILENT)
        return;
    at.time = xh_clock_now();
    at.share = n > 0.0 ? 1.0 - rest * rest * rest / (n * n * n) : 1.0;
    if (at.time >= p->mark[1].time + lately) {
        p->mark[0] = p->mark[1];
        p->mark[1] = at;
    }
    if (is_to_speak(p, left, at)) {
        hpl_progress_text(p, Mmax(left, 0), at, line, sizeof(line));
        if (p->speech == HPL_LIVE)
            xh_log_live(line);
        else
            xh_log_info("progress: %s", line);
        p->said = at;
    }
    if (left <= 0 && p->speech == HPL_LIVE)
        xh_log_live("");
}
