/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A rate over the time of a torture: the best of a short window at the start,
 * and the mean of the last part. Plain data, fed with times and totals.
 */
enum {
    XDG_PACE_WINDOWS = 10, /* at the start; one more before them warms up */
    XDG_PACE_MARKS = 128
};

typedef struct { /* what was done from the beginning to `time` */
    double time, total;
} xdg_mark_t;

typedef struct {
    double window;  /* seconds */
    double spacing; /* least seconds between two marks */
    double best;    /* highest rate in a window at the start; NaN: unknown */
    int windows;    /* that have passed, the one that warms up included */
    int marks;
    xdg_mark_t window_begin, last, mark[XDG_PACE_MARKS];
} xdg_pace_t;

/* Begin a torture of so many seconds: a window is a fortieth of it, at most a
 * second. */
void xdg_pace_begin(xdg_pace_t *pace, double seconds);

/* Note the total at `time`, in seconds from the beginning; neither falls. */
void xdg_pace_add(xdg_pace_t *pace, double time, double total);

/* The best rate in a window at the start; NaN if none has passed. */
double xdg_pace_start(const xdg_pace_t *pace);

/* The mean rate of the last tenth of the time; NaN if nothing was noted. */
double xdg_pace_end(const xdg_pace_t *pace);
