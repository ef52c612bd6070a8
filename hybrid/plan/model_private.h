/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/plan/model.h"

/* The model's internals: model.c, model_host.c for rows and panels of the host,
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
    double m, n;       /* rows and columns of C on this process */
    double host;       /* columns of the team */
    double update;     /* all work of the team on columns */
    double prepare;    /* part of update: work before C is updated */
    double exchange;   /* messages of rows, all ... */
    double group;      /* ... and those of the first parcel */
    double first;      /* work on the next panel's columns before ... */
    double product;    /* ... and while C is updated */
    double copy;       /* copying L2 for devices */
    double divisible;  /* part of update that devices may take ... */
    double devices;    /* ... and their seconds for all of it */
    double resident;   /* devices' work on columns that live on them */
    double next_panel; /* part of resident: the next panel's columns ... */
    double down, up;   /* ... copying them to the host; copying the panel before
                          to devices */
} hyb_model_step_t;

typedef struct {
    const hyb_model_rates_t *rates;
    hpl_shape_t test; /* with the nb of a run */
    int bcast;
    hyb_model_width_t width;
    hyb_overlap_t mode;
    double host_part, guest_part; /* fractions of the columns that live on the
                                     host; that are guests of devices */
    double team_part; /* the team's fraction of the columns on devices */
    int group;        /* panels in the widest group for guests */
    int rows;         /* process rows that are computed separately */
    int64_t panels;   /* panels, or runs of `run` panels, taken as one */
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

/* Return the columns of process column q from `first` on, which begins a panel;
 * b counts. */
double hyb_model_columns(const hyb_model_t *model, int64_t first, int q);

/* Return the speed of process column q relative to the measured rates. */
double hyb_model_speed(const hyb_model_t *model, int q);

/* Return the rows of process row p from `first` on, which begins a block. For
 * HYB_MODEL_TALLEST, or if process rows are not told apart, return those of the
 * process row that has most. */
enum { HYB_MODEL_TALLEST = -1 };
double hyb_model_rows(const hyb_model_t *model, int64_t first, int p);

/* ---- model_devices.c ----------------------------------------------------- */

/* Set where columns live: on devices, as far as they have room. */
void hyb_model_take_homes(hyb_model_t *model);

/* Return how many of n columns to the right of a panel are the team's: the left
 * ones, or a fraction of all. */
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

/* Return the seconds until panel 0 is factored and the host has all that other
 * processes and devices need. */
double hyb_model_first_panel(const hyb_model_t *model);

/*
 * Add the devices' products with columns of the host to a step: with columns
 * behind the next panel's, and with the next panel's, too, if devices finish a
 * column of tiles before the threads finish those.
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
 * ahead    in  how many of the next panel's columns live on devices
 */
void hyb_model_reside(const hyb_model_t *model, int64_t k, bool is_mine,
                      double ahead, hyb_model_step_t *step);

/*
 * Return the seconds that devices save threads with `host` seconds of work
 * while products run, all products included. Threads and devices end together;
 * if the devices' share is fixed, each ends by itself. The result is negative
 * if devices take longer for the columns that live on them.
 */
double hyb_model_savings(const hyb_model_t *model, const hyb_model_step_t *step,
                         double host);
