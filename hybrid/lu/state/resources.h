/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include "base/integers.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/device/machine.h"
#include "hybrid/device/rates.h"
#include "hybrid/lu/state/observer.h"

/*
 * What decides where columns live: for each figure the value of the process
 * that has least. If some process has no device that can keep columns, all are
 * zero. All are doubles, so that one reduction makes them equal everywhere.
 */
typedef struct {
    double devices;               /* per process */
    double memory;                /* bytes of each, for columns and panels */
    double link;                  /* B/s each way of each; huge if unknown */
    double rate[HYB_RATE_DEPTHS]; /* flop/s of each in products of depth
                                     hyb_rate_depth(d) */
    double threads;               /* per process */
    double thread_rate;           /* flop/s of one in products */
    double panel_rows; /* largest P with which devices factor panels of their
                          columns faster than the team */
    double peers;      /* 1: devices of a process read each other's memory */
    double device_mpi; /* 1: MPI sends and receives rows in device memory */
} hyb_residence_figures_t;

/* What a factorization computes with. All pointers are borrowed. */
typedef struct {
    hyb_machine_t *machine;
    hyb_team_t *team;           /* the machine's team */
    const hyb_kernel_t *kernel; /* the same on all processes */
    bool by_blas; /* the same on all processes: the BLAS library computes C - L2
                     U, called by each thread for itself, and the kernel all
                     else */
    bool offloads; /* some process has devices */
    /* For the decision whether columns live on devices. */
    hyb_residence_figures_t figures;
    bool resident;     /* columns live on the devices of each process */
    bool checked;      /* there are check columns, and room for them behind b */
    bool device_mpi;   /* MPI takes device memory, as a trial has shown */
    const char *panel; /* who factors panels of columns on devices; NULL: as the
                          setting says */
    const char *self_test; /* the executor that computes in the self-test, where
                              an alarm ends nothing; NULL: a test runs */
    hyb_observer_t observer;
} hyb_resources_t;

/* Doubles of working memory, rounded up to whole pages. */
static inline size_t hyb_whole_pages(int64_t doubles)
{
    enum { PAGE = 512 };

    return (size_t)xh_whole_units(doubles, PAGE);
}

/*
 * Lay out the next doubles of `memory`, in whole pages, and advance *at behind
 *         them. If `memory` is NULL, the result is NULL, and *at tells how much
 *         memory is needed.
 */
static inline double *hyb_next_pages(double *memory, size_t *at,
                                     int64_t doubles)
{
    size_t from = *at;

    *at += hyb_whole_pages(doubles);
    return memory != NULL ? memory + from : NULL;
}

/*
 * Does the BLAS library multiply? The setting `kernel` says so; with auto it
 * does where a trial on all processes found it clearly faster than `kernel`.
 */
bool hyb_resources_by_blas(const hyb_kernels_t *tried,
                           const hyb_kernel_t *kernel);

/* Who factors panels of columns that live on devices: auto, host or device. */
const char *hyb_resources_panel(const hyb_resources_t *resources);

/* Columns of a run, at most, for panels of width nb. */
int64_t hyb_resources_run_columns(const hyb_resources_t *resources, int64_t nb);

/*
 * Columns of a run of the next panel's columns. The runs are narrow, as the
 * panel waits for the last of them, and some members come late from the
 * iteration before.
 */
int64_t hyb_resources_narrow_columns(const hyb_resources_t *resources,
                                     int64_t nb);

/* Does anything here read L2 and U in columns: devices, or the BLAS library? */
bool hyb_resources_need_columns(const hyb_resources_t *resources);
