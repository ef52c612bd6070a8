/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A model of the parts of CUDA's libraries that hybrid/device/cuda/ uses, on
 * the host, so that tests run that backend where there is no GPU. It does what
 * NVIDIA documents: device memory that the host cannot read, errors that stay,
 * copies that block where host memory is not pinned. Work runs in the thread
 * that queues it, as it is queued; behind a stall nothing runs. It tells
 * nothing about speed.
 *
 * From the environment, when it is loaded:
 *
 *     CUDA_MODEL_DEVICES   how many, 0 to 4; else 1
 *     CUDA_MODEL_VISIBLE   which of four this process sees, in place of
 *                          CUDA_MODEL_DEVICES: "01/23" the first two in the
 *                          first process of a node, the others in the second
 *     CUDA_MODEL_MEMORY    MiB of each; else 256
 *     CUDA_MODEL_PEERS     0: no device reaches the memory of another; else
 *                          each may
 *     CUDA_MODEL_PROCESSORS  so many groups of a device can wait for each
 *                          other, 0: none can; else 4
 *     CUDA_MODEL_DRIVER    version that the driver is for, 0: there is none;
 *                          else as new as the headers
 *     CUDA_MODEL_CONTEXT   MiB that a process takes of each device; else 0
 *     CUDA_MODEL_SHARED    a file: processes with it have one memory of each
 *                          device, else each has its own
 *     CUDA_MODEL_PINNABLE  MiB of host memory that can be pinned; else all
 *     CUDA_MODEL_MATH      native: cuBLAS cannot emulate double precision, as
 *                          before CUDA 13; emulated: it does nothing else
 *     CUDA_MODEL_FAULT     faults, see below
 *     CUDA_MODEL_REPORT    if set, what was not given back is said at the end
 *
 * Faults are a comma-separated list of [device:]kind@op:nth. The nth call of
 * op, counted from 1 on each device, or on that one only, then
 *
 *     fail    fails when it runs, and with it all that device does later
 *     refuse  is refused: it has done nothing, and the device goes on
 *     oom     is refused for lack of memory
 *     stall   never ends; a call that waits for all of that device, or for
 *             one of its streams, then ends the program
 *
 * where op is one of malloc, register, stream, handle, load, record, wait,
 * copy_in, copy_out, gemm, copy, fill, trsm, gemv, swap_rows, gather_rows,
 * scatter_rows, generate, checksum, panel_column, panel_pivot, panel_swap and
 * panel_step; from record on they can fail or stall.
 */
typedef struct { /* what there is of each, of all devices */
    int contexts, memory, pinned, streams, events, handles, libraries;
    int urgent_streams;    /* of the highest priority, among streams */
    unsigned flags;        /* of the context that was made last */
    int unpinned_copies;   /* that had host memory which is not pinned */
    int emulated_products; /* not in double precision */
    int cooperative;       /* launches, whose groups can wait for each other */
    long calls; /* of CUDA and cuBLAS, but for their texts of errors */
} cuda_model_counts_t;

/*
 * Begin anew, as another process would: nothing exists, no device is broken,
 * faults, a text that stays, are these, "" for none. CUDA_MODEL_PROCESSORS is
 * read again. Nobody else may use the model.
 */
void cuda_model_begin(const char *faults);

cuda_model_counts_t cuda_model_counts(void);
