/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "hybrid/device/device.h"

/*
 * Operations by kernels of this folder, for the plug-ins cuda, hip and opencl:
 * which kernel, with which arguments, in how many groups. A plug-in launches
 * them in its own way, and may append kernels of its own.
 */
#define HYB_LAUNCH_KERNELS(X)                                                  \
    X(SWAP_ROWS, swap_rows)                                                    \
    X(GATHER_ROWS, gather_rows)                                                \
    X(SCATTER_ROWS, scatter_rows)                                              \
    X(GENERATE, generate)                                                      \
    X(CHECKSUM, checksum)                                                      \
    X(PANEL_SWAP, panel_swap)                                                  \
    X(PANEL_COLUMN, panel_column)                                              \
    X(PANEL_PIVOT, panel_pivot)

#define HYB_LAUNCH_NUMBER(kernel, name) HYB_LAUNCH_##kernel,
enum { HYB_LAUNCH_KERNELS(HYB_LAUNCH_NUMBER) HYB_LAUNCH_OWN };

enum {
    HYB_LAUNCH_ITEMS =
        64, /* per group, except in panel_column and panel_pivot */
    HYB_LAUNCH_ARGUMENTS = 10,
    HYB_LAUNCH_WORDS = 6 /* in the longest argument */
};

typedef struct {
    int kernel;
    int64_t x, y; /* number of groups */
    int count;    /* number of arguments so far */
    struct {
        size_t bytes;
        int64_t value[HYB_LAUNCH_WORDS];
    } argument[HYB_LAUNCH_ARGUMENTS];
} hyb_launch_t;

/* Append an argument of `bytes` bytes. A block takes two arguments: its
 * buffer's memory, and its part of the buffer as the kernels' block_t. */
void hyb_launch_pass(hyb_launch_t *launch, const void *value, size_t bytes);
void hyb_launch_pass_block(hyb_launch_t *launch, hyb_device_view_t block);

/* A launch with one item per row, and columns shared by groups. */
hyb_launch_t hyb_launch_of_rows(int kernel, int64_t rows, int64_t cols);

/* What a queue needs to launch kernels. */
typedef struct {
    void *queue;
    xh_status_t (*launch)(void *queue, const hyb_launch_t *launch);
    /* Provide two vectors in device memory for proposed pivots, of at least
     * `doubles` each. They stay the same from call to call unless they were too
     * short. */
    xh_status_t (*hold)(void *queue, int64_t doubles, void *vector_p[2]);
    const void *jump_table; /* device memory filled by xh_jump_digits */
    int64_t panel_groups;   /* groups that share a panel's rows, at most */
} hyb_launcher_t;

/* Launch one of the operations swap, gather, scatter, generate, checksum, and
 * those on panels. */
xh_status_t hyb_launch_task(const hyb_launcher_t *by, const hyb_task_t *task);

/* ---- panels -------------------------------------------------------------- */

/* panel_step_t of panel.cl; see there */
typedef struct {
    int64_t column, next, end, done, rows_of_group, above;
} hyb_launch_step_t;

/* Number of doubles for the proposals of `groups` groups for a panel of nb
 * columns: the current row, and a row with two numbers per group. */
int64_t hyb_launch_proposals(int64_t nb, int64_t groups);

/* The step's columns, from its first row on, and their pivots. */
hyb_device_view_t hyb_launch_step_columns(const hyb_panel_step_t *step);
hyb_device_view_t hyb_launch_step_pivots(const hyb_panel_step_t *step);

/* Exchange rows in the panel's other columns, after all columns of a step. */
xh_status_t hyb_launch_step_swap(const hyb_launcher_t *by,
                                 const hyb_panel_step_t *step);
