/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pgesv/progress.h"

#include <inttypes.h>
#include <math.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"

enum { LINE = 160 };

/* Least seconds and share of the work between two lines. */
static const struct {
    double seconds, share;
} apart[] = {[HPL_SILENT] = {INFINITY, 1.0},
             [HPL_SELDOM] = {10.0, 0.02},
             [HPL_OFTEN] = {0.25, 0.02},
             [HPL_LIVE] = {0.25, 0.0}};

static const double lately = 3.0; /* s: the current rate covers 3 to 6 */

static double next_expected;

void hpl_progress_expect(double seconds)
{
    next_expected = seconds;
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

    next_expected = 0.0;
    if (progress.beside_live)
        xh_log_beside_live(true);
    return progress;
}

/* ---- the line ------------------------------------------------------------ */

/* "1h02", "2:03" */
static void duration_text(double seconds, char *text, size_t size)
{
    int64_t s = (int64_t)(seconds + 0.5);

    if (s >= 3600)
        snprintf(text, size, "%" PRId64 "h%02d", s / 3600, (int)(s / 60 % 60));
    else
        snprintf(text, size, "%d:%02d", (int)(s / 60), (int)(s % 60));
}

/* Four digits, or all digits before the point. */
static void rate_text(double rate, char *text, size_t size)
{
    double gflops = rate * 1e-9;

    snprintf(text, size, gflops < 999.95 ? "%.4g" : "%.0f", gflops);
}

/* The line fits a terminal of 80 columns. */
void hpl_progress_text(const hpl_progress_state_t *state, char *text,
                       size_t size)
{
    char left[32] = "", now[32], rate[32], prediction[32] = "";

    rate_text(state->now, now, sizeof(now));
    rate_text(state->rate, rate, sizeof(rate));
    if (state->prediction > 0.0)
        snprintf(prediction, sizeof(prediction), ", %.0f%% of plan",
                 100.0 * state->prediction);
    if (state->seconds >= 0.0 && state->seconds < 1e15) {
        memcpy(left, ", ", sizeof(", "));
        duration_text(state->seconds, left + 2, sizeof(left) - 2);
    }
    snprintf(text, size,
             "%.1f%% done, %" PRId64 " columns%s left, %s Gflops, mean %s%s",
             100.0 * state->share, state->left, left, now, rate, prediction);
}

/* ---- printing ------------------------------------------------------------ */

static double flop(const hpl_progress_t *p)
{
    return 2.0 / 3.0 * p->n * (double)p->n * p->n;
}

double hpl_progress_expected(const hpl_progress_t *progress)
{
    return progress->expected > 0.0 ? flop(progress) / progress->expected : 0.0;
}

static hpl_progress_state_t state_of(const hpl_progress_t *p, int64_t left,
                                     hpl_progress_mark_t at)
{
    double seconds = at.time - p->started;
    double recent = at.time - p->mark[0].time;
    hpl_progress_state_t state = {
        .share = at.share, .left = left, .seconds = -1.0};

    if (seconds > 0.0)
        state.rate = at.share * flop(p) / seconds;
    if (recent > 0.0)
        state.now = (at.share - p->mark[0].share) * flop(p) / recent;
    if (p->expected > 0.0)
        state.prediction = state.rate * p->expected / flop(p);
    if (at.share > 0.0)
        state.seconds = seconds * (1.0 - at.share) / at.share;
    return state;
}

/* The end is reported only after other lines, or if lines are frequent. */
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
    hpl_progress_state_t state;
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
        state = state_of(p, Mmax(left, 0), at);
        hpl_progress_text(&state, line, sizeof(line));
        if (p->speech == HPL_LIVE)
            xh_log_live(line);
        else
            xh_log_info("progress: %s", line);
        p->said = at;
    }
    if (left <= 0 && p->speech == HPL_LIVE)
        xh_log_live("");
}
