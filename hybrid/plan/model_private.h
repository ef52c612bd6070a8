/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/plan/model.h"

/* The model's internals: model.c, model_host.c for rows and panels on the host,
 * and model_devices.c for devices. */

/* How far an iteration overlaps the next panel: DEPTH 0, 1 and 2 or more. */
typedef enum {
    HYB_OVERLAP_NOTHING,
    HYB_OVERLAP_PANEL,
    HYB_OVERLAP_PIPELINE
} hyb_overlap_t;

/* One iteration of one process; times are seconds of all of its threads
 * together. */
typedef struct {
    double m, n;      /* local rows and columns of C */
    double host;      /* columns that the team computes */
    double update;    /* all work of the team on columns */
    double prepare;   /* part of `update`: work before C is updated */
    double exchange;  /* all messages of rows */
    double group;     /* messages of the first parcel's rows */
    double first;     /* work on the next panel's columns before C is updated */
    double product;   /* work on them while C is updated */
    double copy;      /* copying L2 for devices */
    double divisible; /* part of `update` that devices may take */
    double devices;   /* devices' seconds for all of it */
    double resident;  /* devices' work on columns that live on them */
    double next_panel; /* part of `resident`: the next panel's columns */
    double down, up; /* copying them to the host; copying the previous panel to
                        devices */
} hyb_model_step_t;

typedef struct {
    const hyb_model_rates_t *rates;
    hpl_shape_t test; /* nb is the width of a run */
    int bcast;
    hyb_model_width_t width;
    hyb_overlap_t mode;
    double host_part, guest_part; /* fractions of the columns: those that live
                                     on the host; guests of devices */
    double team_part; /* the team's fraction of the columns on devices */
    int group;        /* panels in the widest group for guests */
    int rows;         /* process rows that are computed separately */
    int64_t panels;   /* number of panels, or of runs of `run` panels */
    int64_t run;
    struct hyb_model_process *process; /* rows x npcol, row by row */
} hyb_model_t;

/* ---- model_host.c -------------------------------------------------------- */

/* Return the seconds of a panel factored by `threads` threads; a part of the
 * work is serial. */
double hyb_model_panel_seconds(const hyb_model_t *model, double rows,
                               int threads);

/* Return the process column that has panel k. */
int hyb_model_owner(const hyb_model_t *model, int64_t k);

/* Return the columns of process column q from `first` on, b included; `first`
 * begins a panel. */
double hyb_model_columns(const hyb_model_t *model, int64_t first, int q);

/* Return the speed of process column q relative to the measured rates. */
double hyb_model_speed(const hyb_model_t *model, int q);

/* Return the rows of process row p from `first` on, which begins a block. For
 * HYB_MODEL_TALLEST, or if process rows are not computed separately, return the
 * rows of the process row that has most. */
enum { HYB_MODEL_TALLEST = -1 };
double hyb_model_rows(const hyb_model_t *model, int64_t first, int p);

/* ---- model_devices.c ----------------------------------------------------- */

/* Decide which columns live on devices, as far as memory allows. */
void hyb_model_take_homes(hyb_model_t *model);

/* Return how many of n columns to the right of a panel are the team's: the
 * leftmost columns, or a fraction of all. */
double hyb_model_team_columns(const hyb_model_t *model, double n);

/* Return the fraction of all columns that are read from host memory in the
 * back-substitution. */
double hyb_model_read_part(const hyb_model_t *model);

/* Does a device factor panel k? If the faster one should factor, the team
 * factors one panel as a trial. */
bool hyb_model_by_device(const hyb_model_t *model, int64_t k);

/* Return a device's seconds to factor a panel of `rows` rows and to copy L1 to
 * the host. */
double hyb_model_device_panel(const hyb_model_t *model, double rows);

/* Return the seconds until panel 0 is factored and the host has everything that
 * other processes and devices need. */
double hyb_model_first_panel(const hyb_model_t *model);

/*
 * Add the devices' products with columns of the host to a step: with the
 * columns after the next panel's; and also with the next panel's, if devices
 * finish a column of tiles before the threads finish the next panel's columns.
 *
 * ahead    in  columns of the next panel on this process, per panel of a run
 * product  in  seconds of a column's product on the threads
 */
void hyb_model_stream(const hyb_model_t *model, double ahead, double product,
                      hyb_model_step_t *step);

/*
 * Add the columns that live on devices, which are the last ones, to step k.
 *
 * is_mine  in  panel k's columns are this process's
 * ahead    in  number of the next panel's columns on devices
 */
void hyb_model_reside(const hyb_model_t *model, int64_t k, bool is_mine,
                      double ahead, hyb_model_step_t *step);

/*
 * Return the seconds that devices save the threads, whose work while products
 * run, all products included, is `host` seconds. Threads and devices end
 * together, unless the devices' share is fixed. The result is negative if
 * devices take longer for the columns that live on them.
 */
double hyb_model_savings(const hyb_model_t *model, const hyb_model_step_t *step,
                         double host);
