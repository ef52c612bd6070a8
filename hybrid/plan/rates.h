/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/lu/state/resources.h"

/* The measured times of parts of the solver, from which predictions are made.
 */
enum {
    HYB_MODEL_CURVE_MOST = 6,  /* points of a curve */
    HYB_MODEL_WIDTHS_MOST = 8, /* widths of panels with known rates */
};

/*
 * Seconds as a function of rows: linear between points, and never negative.
 * Beyond the last point the line continues with the slope from the first point
 * to the last, which noise in two neighbours changes little, or level if that
 * slope is negative. Points are sorted by rows. A curve without points is 0;
 * any other curve has at least two points.
 */
typedef struct {
    int count;
    double rows[HYB_MODEL_CURVE_MOST], seconds[HYB_MODEL_CURVE_MOST];
} hyb_model_curve_t;

/*
 * The curves of a panel width: their names, and how their seconds grow with the
 * width: WORK is proportional to the width, PANEL to its square, MESSAGE is
 * constant.
 */
#define HYB_MODEL_CURVES(X)                                                    \
    X(update, WORK)   /* rows swapped or placed, U solved, C updated */        \
    X(prepare, WORK)  /* part of update: all but the update of C */            \
    X(pack, WORK)     /* rows copied for other processes, if one process       \
                         had to send all of them */                            \
    X(narrow, WORK)   /* update in the narrow runs of the next panel's         \
                         columns; no point: as update */                       \
    X(alone, PANEL)   /* a panel, loaded and factored by one thread */         \
    X(team, PANEL)    /* ... and by all threads, over the panel's rows */      \
    X(pivot, MESSAGE) /* one round of the agreement on a pivot */              \
    X(devices, WORK)  /* C updated by all devices of a process; no point:      \
                         there are none */                                     \
    X(resident, WORK) /* rows swapped, U solved, C updated by all devices      \
                         in their memory; no point: they cannot */             \
    X(transfer, WORK) /* a panel from a device to the host and back, over      \
                         its rows */                                           \
    X(peers, WORK)    /* L2 from a device to all other ones, by rows;          \
                         no point: no access */                                \
    X(factor, PANEL)  /* a panel factored by a device, over its rows; no       \
                         point: devices cannot */                              \
    X(subtract, WORK) /* y - A x on a device, A as wide as a panel */

/* The seconds of work with panels of nb columns, on a process whose threads are
 * all busy. Curves are seconds per column, over C's rows, except those of
 * panels, pivots and copies. */
typedef struct {
    int nb;
#define HYB_MODEL_CURVE(name, kind) hyb_model_curve_t name;
    HYB_MODEL_CURVES(HYB_MODEL_CURVE)
#undef HYB_MODEL_CURVE
} hyb_model_width_t;

/* A link between neighbours, while all processes send. */
typedef struct {
    double latency;   /* s of a short message */
    double bandwidth; /* bytes/s each way; 0: messages take no time */
} hyb_model_link_t;

/* The measured rates, each of the slowest process. */
typedef struct {
    int threads;    /* threads per process */
    double ceiling; /* flop/s of FMA of all processes together */
    double process; /* highest flop/s that a process reached; predictions for
                       cores do not exceed it; 0: unknown */
    double others;  /* fraction of the time that other programs took */
    double sweep; /* bytes/s at which each process reads the matrix; 0: reading
                     takes no time */
    hyb_model_link_t row;            /* within a process row */
    hyb_model_link_t column;         /* within a process column */
    const char *home;                /* the setting `home` */
    hyb_residence_figures_t figures; /* what decides for home = auto */
    bool device_panels;  /* only devices factor panels of their columns, not the
                            faster one; without a curve only threads do */
    const double *speed; /* speed of each process column, relative to the rates;
                            columns are dealt by it; NULL: all are 1 */
    bool has_fixed_share; /* devices get `share` of an update; if false, the
                             share that balances */
    double share;         /* 0 to 1 */
    int widths;           /* number of widths, at least 1; nb ascends */
    hyb_model_width_t width[HYB_MODEL_WIDTHS_MOST];
} hyb_model_rates_t;

/* Change rates to those of processes with 1 / factor of the measured cores: all
 * work takes `factor` times as long; messages do not. */
void hyb_model_slow_down(hyb_model_rates_t *rates, double factor);

/*
 * Change rates to those of processes with `part` times the measured cores and
 * threads. This is an estimate, because memory and caches may not scale alike.
 * Panels by all threads follow Amdahl's law.
 */
void hyb_model_share_out(hyb_model_rates_t *rates, double part);

/* Return the seconds of a curve at `rows`. */
double hyb_model_curve_at(const hyb_model_curve_t *curve, double rows);

/*
 * Return the rates of panels of nb columns: measured rates, or those of the
 * nearest width, scaled by the work.
 */
hyb_model_width_t hyb_model_of_width(const hyb_model_rates_t *rates, int nb);

/* Multiply the seconds of WORK curves by `work`, and those of PANEL curves by
 * `panels`. */
void hyb_model_width_scale(hyb_model_width_t *width, double work,
                           double panels);

/* Return the seconds of one message of `bytes` bytes. */
double hyb_messages_transfer(const hyb_model_link_t *link, double bytes);

/*
 * Return the seconds until a message of `bytes` bytes, broadcast as BCAST says,
 * has arrived at the process `distance` columns after the root.
 */
double hyb_messages_broadcast(const hyb_model_link_t *link, int bcast,
                              int npcol, int distance, double bytes);

/* Return the number of rounds until all processes know what each knew, if in
 * every round a process doubles what it knows. */
int hyb_messages_rounds(int processes);

/* Return how often the process `distance` columns after the root sends or
 * receives a whole panel in broadcast `bcast`. */
int hyb_messages_copies(int bcast, int npcol, int distance);
