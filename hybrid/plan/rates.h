/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hybrid/lu/state/resources.h"

/* What parts of the solver take on their own, as measured: what a prediction is
 * made of. */
enum {
    HYB_MODEL_CURVE_MOST = 6,  /* points of a curve */
    HYB_MODEL_WIDTHS_MOST = 8, /* widths of panels that rates are known of */
};

/*
 * Seconds over rows: linear between points, and never less than nothing. Beyond
 * the last point they go on as from the first to the last, which noise in two
 * neighbours changes little, and never fall. Rows ascend; no point: always 0;
 * never one alone.
 */
typedef struct {
    int count;
    double rows[HYB_MODEL_CURVE_MOST], seconds[HYB_MODEL_CURVE_MOST];
} hyb_model_curve_t;

/*
 * The curves of a width: their names, and by what their seconds grow where
 * panels are wider: WORK as their columns, PANEL as these squared, MESSAGE not
 * at all.
 */
#define HYB_MODEL_CURVES(X)                                                    \
    X(update, WORK)   /* rows swapped or placed, U solved, C updated */        \
    X(prepare, WORK)  /* of that, all but C updated */                         \
    X(pack, WORK)     /* rows copied for other processes, where one had all    \
                         of them to send */                                    \
    X(narrow, WORK)   /* update in the narrow runs of the next panel's         \
                         columns; no point: the same */                        \
    X(alone, PANEL)   /* a panel, loaded and factored by one thread */         \
    X(team, PANEL)    /* ... and by all of them, over its rows */              \
    X(pivot, MESSAGE) /* one round of the agreement on a pivot */              \
    X(devices, WORK)  /* C updated by all devices of a process; no point:      \
                         there are none */                                     \
    X(resident, WORK) /* rows swapped, U solved, C updated by all of them in   \
                         their memory; no point: they cannot */                \
    X(transfer, WORK) /* a panel from there to the host and back, over its     \
                         rows */                                               \
    X(peers, WORK)    /* L2 from one of them to all others, over its rows; no  \
                         point: they do not reach each other */                \
    X(factor, PANEL)  /* a panel there, over its rows; no point: they          \
                         cannot */                                             \
    X(subtract, WORK) /* y - A x there, A as wide as a panel */

/* What work with panels of nb columns takes a process, all threads busy. All
 * but panels, pivots and ways are seconds of a column, over C's rows. */
typedef struct {
    int nb;
#define HYB_MODEL_CURVE(name, kind) hyb_model_curve_t name;
    HYB_MODEL_CURVES(HYB_MODEL_CURVE)
#undef HYB_MODEL_CURVE
} hyb_model_width_t;

/* Between neighbours; what all send at the same time is counted in. */
typedef struct {
    double latency;   /* s of a short message */
    double bandwidth; /* B/s each way; 0: messages take no time */
} hyb_model_link_t;

/* What was measured: of the slowest process each. */
typedef struct {
    int threads;    /* of each process */
    bool aside;     /* messages take no time of any of them */
    double ceiling; /* flop/s of FMA of all processes, at that time */
    double process; /* ... the most that was measured, a process: no prediction
                       of a test on cores passes that; 0: unknown */
    double others;  /* part of that time in which others had the cores */
    double sweep;   /* B/s of reading the matrix, each process; 0: no time */
    hyb_model_link_t row;            /* within a process row, ... */
    hyb_model_link_t column;         /* ... within a process column */
    const char *home;                /* where columns live: as asked for, ... */
    hyb_residence_figures_t figures; /* ... and as these decide */
    bool there;          /* only devices factor panels of their columns,
                            not who is quicker; no curve: only threads */
    const double *speed; /* of each process column of the test: so many times
                            that of what was measured, and columns are dealt by
                            it; NULL: equally many columns */
    bool fixed;   /* devices always get the same share of an update, not ... */
    double share; /* ... what balances: 0 to 1 */
    int widths;   /* at least 1, nb ascending */
    hyb_model_width_t width[HYB_MODEL_WIDTHS_MOST];
} hyb_model_rates_t;

/* Rates of processes that have one factor-th of the cores they were measured
 * with: all of their work takes so many times as long, messages do not. */
void hyb_model_slow_down(hyb_model_rates_t *rates, double factor);

/*
 * Rates of processes that have part times the cores they were measured with,
 * and as many threads: an estimate, as memory and caches may not grow alike.
 * Panels by all threads follow Amdahl's law.
 */
void hyb_model_share_out(hyb_model_rates_t *rates, double part);

/* The curve at rows. */
double hyb_model_curve_at(const hyb_model_curve_t *curve, double rows);

/*
 * Rates of panels of nb columns: measured, or those of the nearest width,
 * scaled by the work.
 */
hyb_model_width_t hyb_model_of_width(const hyb_model_rates_t *rates, int nb);

/* Multiply the seconds of work on columns and rows, and those of panels. */
void hyb_model_width_scale(hyb_model_width_t *width, double work,
                           double panels);

/* Seconds of one message of so many bytes. */
double hyb_messages_transfer(const hyb_model_link_t *link, double bytes);

/*
 * Seconds until a message of so many bytes has come, by the broadcast that
 * BCAST names, to the process of the row that is distance behind the root.
 */
double hyb_messages_broadcast(const hyb_model_link_t *link, int bcast,
                              int npcol, int distance, double bytes);

/* Rounds until all processes know what each knows, twice as many in each. */
int hyb_messages_rounds(int processes);

/* How often the process that is distance behind the root of that broadcast
 * sends or receives all of a panel. */
int hyb_messages_copies(int bcast, int npcol, int distance);
