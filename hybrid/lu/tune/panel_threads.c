/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tune/panel_threads.h"

#include <math.h>
#include <stdbool.h>

static const double serial_part = 0.1;  /* fraction of one thread's time */
static const double panel_speed = 0.25; /* of a thread's update rate */
static const double pace_jump = 1.5; /* clocks and noise change paces by less */

static bool is_positive(double x)
{
    return isfinite(x) && x > 0.0;
}

static int at_most(int threads)
{
    return threads < HYB_REGROUP_MOST ? threads : HYB_REGROUP_MOST;
}

/* The nearest measured number of threads, searching from t in direction `step`;
 * 0: none. */
static int measured_from(const hyb_panel_threads_t *regroup, int t, int step)
{
    for (; t >= 1 && t <= HYB_REGROUP_MOST; t += step)
        if (regroup->pace[t] > 0.0)
            return t;
    return 0;
}

/* The pace of t threads, scaled from the pace of `known` threads. */
static double scaled(double pace, int known, int t)
{
    return pace * (serial_part + (1.0 - serial_part) / t) /
           (serial_part + (1.0 - serial_part) / known);
}

static double pace_of(const hyb_panel_threads_t *r, int t)
{
    int below = measured_from(r, t, -1), above = measured_from(r, t, 1);
    double weight;

    if (below == 0 && above == 0)
        return scaled(1.0 / (panel_speed * r->thread_rate), 1, t);
    if (below == 0 || above == 0)
        return scaled(r->pace[below + above], below + above, t);
    if (below == above)
        return r->pace[t];
    weight = (1.0 / t - 1.0 / above) / (1.0 / below - 1.0 / above);
    return weight * r->pace[below] + (1.0 - weight) * r->pace[above];
}

int hyb_panel_threads_panel(const hyb_panel_threads_t *r, int64_t rows,
                            int64_t cols, int64_t nb, double before)
{
    double flop = 2.0 * (double)rows * (double)cols * (double)nb;
    double rate = r->device_rate + r->threads * r->thread_rate;
    double least = INFINITY;
    int best = 1;

    for (int t = 1; t <= at_most(r->threads); t++) {
        double panel = pace_of(r, t) * (double)rows * (double)nb * (double)nb;
        double lost = r->thread_rate * (t * panel + r->broadcast);
        double time = fmax(before + panel + r->broadcast, (flop + lost) / rate);

        if (time < least) {
            least = time;
            best = t;
        }
    }
    return best;
}

void hyb_panel_threads_learn(hyb_panel_threads_t *regroup, int threads,
                             int64_t rows, int64_t nb, double seconds)
{
    double now = seconds / ((double)rows * (double)nb * (double)nb);
    double *pace;

    if (threads < 1 || rows < 1 || nb < 1 || !is_positive(now))
        return;
    pace = &regroup->pace[at_most(threads)];
    if (now > *pace * pace_jump || *pace > now * pace_jump)
        *pace = now;
    else
        *pace = (*pace + now) / 2.0;
}
