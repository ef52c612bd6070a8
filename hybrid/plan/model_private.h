/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/plan/model.h"

/* The model from inside: model.c, model_host.c for rows and panels of the host,
 * and model_devices.c for what devices add. */

/* Iterations that the driver has in flight: one, or also the one before. */
typedef enum {
    HYB_OVERLAP_NOTHING,
    HYB_OVERLAP_PANEL,
    HYB_OVERLAP_PIPELINE
} hyb_overlap_t;

/* One iteration of one process; seconds of all of its threads. */
typedef struct {
    double m, n;     /* C's rows and columns here */
    double host;     /* of these, columns that are the team's */
    double update;   /* all of its work on columns */
    double prepare;  /* of that, before C is updated */
    double exchange; /* messages of rows, in all ... */
    double group;    /* ... and of the first group of columns */
    double first;    /* work on the next panel's columns, before ... */
    double product;  /* ... and while C is updated */
    double copy;     /* of L2, for devices */
    double shared;   /* the part of update that devices may take ... */
    double theirs;   /* ... and what they take for it */
    double resident; /* devices' work on columns that live there */
    double next;     /* of that, on the next panel's ... */
    double down, up; /* ... which goes to the host; the one before comes */
} hyb_model_step_t;

typedef struct {
    const hyb_model_rates_t *rates;
    hpl_shape_t test; /* its nb is a run's */
    int bcast;
    hyb_model_width_t width;
    hyb_overlap_t mode;
    double on_host, guests; /* the parts of the columns that live there; that
                               come to devices from there */
    double share;           /* the team's part of those that devices have */
    int group;              /* panels of the widest group of guests */
    int rows;               /* of processes, that are told apart */
    int64_t panels;         /* or runs of so many panels, each taken as one: */
    int64_t run;
    struct hyb_model_process *process; /* rows x npcol, by rows */
} hyb_model_t;

/* ---- model_host.c -------------------------------------------------------- */

/* A panel by some of the threads: a part of it is serial. */
double hyb_model_panel_seconds(const hyb_model_t *model, double rows,
                               int threads);

/* The process column that has panel k. */
int hyb_model_owner(const hyb_model_t *model, int64_t k);

/* Columns from first on, which begins a panel, of process column q; b counts.
 */
double hyb_model_columns(const hyb_model_t *model, int64_t first, int q);

/* How many times as fast as what was measured process column q is. */
double hyb_model_speed(const hyb_model_t *model, int q);

/* Rows from first on, which begins a block, of process row p; of the one that
 * has most for HYB_MODEL_TALLEST, and where rows are not told apart. */
enum { HYB_MODEL_TALLEST = -1 };
double hyb_model_rows(const hyb_model_t *model, int64_t first, int p);

/* ---- model_devices.c ----------------------------------------------------- */

/* Columns live on devices, as far as these have room. */
void hyb_model_take_homes(hyb_model_t *model);

/* Of n columns behind a panel, those that are the team's: the first ones, or a
 * share of all. */
double hyb_model_team_columns(const hyb_model_t *model, double n);

/* And of all: read from host memory in the end. */
double hyb_model_read_part(const hyb_model_t *model);

/* Does a device factor panel k? Where the quicker one does, the team tries. */
bool hyb_model_by_device(const hyb_model_t *model, int64_t k);

/* A device's seconds for a panel of so many rows, until L1 is on the host. */
double hyb_model_factored_there(const hyb_model_t *model, double rows);

/* Panel 0, until all of it is on the host that others need of it. */
double hyb_model_first_panel(const hyb_model_t *model);

/*
 * The devices' part in a step: products of columns behind the next panel's, and
 * of those, too, where they have a column of tiles sooner than the threads have
 * these.
 *
 * ahead    in  columns of the next panel here, for each panel of a run
 * product  in  a column's, by the threads
 */
void hyb_model_stream(const hyb_model_t *model, double ahead, double product,
                      hyb_model_step_t *step);

/*
 * The columns of step k that live on devices: the last ones.
 *
 * is_mine  in  panel k's columns are this process's
 * ahead    in  of the next panel's columns, those that live there
 */
void hyb_model_reside(const hyb_model_t *model, int64_t k, bool is_mine,
                      double ahead, hyb_model_step_t *step);

/*
 * What devices save threads that have so much to do while products run, all
 * products included: both end together, or, where their share is fixed, each
 * when it ends. Less than nothing where devices take longer for columns that
 * live there.
 */
double hyb_model_saved(const hyb_model_t *model, const hyb_model_step_t *step,
                       double host);
