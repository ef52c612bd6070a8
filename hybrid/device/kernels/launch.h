/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include "hybrid/device/device.h"

/*
 * Operations by kernels of this folder, for the plug-ins cuda, hip and opencl:
 * which kernel, with which arguments, in how many groups. A plug-in launches
 * them in its own way, and may have more kernels, behind these.
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
        64, /* of a group, but for panel_column and panel_pivot */
    HYB_LAUNCH_ARGUMENTS = 10,
    HYB_LAUNCH_WORDS = 6 /* of the longest argument */
};

typedef struct {
    int kernel;
    int64_t x, y; /* groups */
    int count;    /* of arguments so far */
    struct {
        size_t bytes;
        int64_t value[HYB_LAUNCH_WORDS];
    } argument[HYB_LAUNCH_ARGUMENTS];
} hyb_launch_t;

/* The next argument, of so many bytes; a block is two: its buffer's memory, and
 * the part of it as block_t of the kernels. */
void hyb_launch_pass(hyb_launch_t *launch, const void *value, size_t bytes);
void hyb_launch_pass_block(hyb_launch_t *launch, hyb_device_view_t block);

/* Groups for so many rows, each an item's, and so many columns. */
hyb_launch_t hyb_launch_of_rows(int kernel, int64_t rows, int64_t cols);

/* what a queue launches kernels with */
typedef struct {
    void *queue;
    xh_status_t (*launch)(void *queue, const hyb_launch_t *launch);
    /* Two vectors of device memory for proposals of pivots, of at least so many
     * doubles each: the same as the last time unless these were too short. */
    xh_status_t (*hold)(void *queue, int64_t doubles, void *vector_p[2]);
    const void *jumps;    /* device memory with xh_jump_digits */
    int64_t panel_groups; /* that share a panel's rows, at most */
} hyb_launcher_t;

/* One of these operations: swap, gather, scatter, generate, checksum, and those
 * of panels. */
xh_status_t hyb_launch_task(const hyb_launcher_t *by, const hyb_task_t *task);

/* ---- panels -------------------------------------------------------------- */

/* panel_step_t of panel.cl */
typedef struct {
    int64_t column, next, end, done, rows_of_group, above;
} hyb_launch_step_t;

/* Doubles of what so many groups propose as the pivot of a panel of nb columns:
 * the current row, and each a row with two numbers. */
int64_t hyb_launch_proposals(int64_t nb, int64_t groups);

/* A step's columns from its first row on, and their pivots. */
hyb_device_view_t hyb_launch_step_columns(const hyb_panel_step_t *step);
hyb_device_view_t hyb_launch_step_pivots(const hyb_panel_step_t *step);

/* After the step's columns: their rows change places in the others, too. */
xh_status_t hyb_launch_step_swap(const hyb_launcher_t *by,
                                 const hyb_panel_step_t *step);
