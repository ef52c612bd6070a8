/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/cuda_model/model.h"

/* A launch of one of our kernels: launch.c reads its arguments, kernels.c runs
 * it. */
enum { MODEL_BLOCKS = 5 };

/* Parameters: b a pointer and a block's part, w a word, d how rows or columns
 * are dealt out, s a step, p a pointer. */
typedef struct {
    const char *name, *parameters;
    model_op_t op;
    unsigned items; /* of a group */
} model_kernel_t;

typedef struct { /* as a kernel gets it: a pointer, and what follows */
    char *memory;
    int64_t offset, rows, cols, ld;
} model_block_t;

typedef struct {
    int64_t first, nb, process, processes;
} model_dealt_t;

typedef struct {
    int64_t column, next, end, done, rows_of_group, above;
} model_step_t;

typedef struct {
    const model_kernel_t *kernel;
    struct dim3 grid, group;
    model_block_t block[MODEL_BLOCKS];
    uint64_t word[2];
    model_dealt_t dealt[2];
    model_step_t step;
    char *pointer[1];
    bool outside; /* an element that there is not was touched */
    double nowhere;
} model_launch_t;

/* NULL: there is none of that name. */
const model_kernel_t *model_kernel(const char *name);

cudaError_t model_run(int device, model_launch_t launch);
