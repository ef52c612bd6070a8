/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A model of the parts of CUDA's libraries that hybrid/device/cuda/ uses, on
 * the host, so that tests run that backend where there is no GPU. The model
 * does what NVIDIA documents: the host cannot read device memory, a device that
 * failed stays so, copies block where host memory is not pinned. Work runs in
 * the thread that queues it, as it is queued; behind a stall nothing runs. The
 * model says nothing about speed. A call that no correct program makes ends the
 * program.
 *
 * From the environment, when the model is loaded:
 *
 *     CUDA_MODEL_VISIBLE   which of four devices this process sees, "" for
 *                          none, else "0"; "01/23": the first two in the
 *                          first process of a node, the others in the second
 *     CUDA_MODEL_MEMORY    MiB of each; else 256
 *     CUDA_MODEL_PEERS     0: no device reaches the memory of another; else
 *                          each may
 *     CUDA_MODEL_PROCESSORS  groups of a device that can wait for each other,
 *                          0 to 4; else 4
 *     CUDA_MODEL_DRIVER    version that the driver is for, 0: there is none;
 *                          else as new as the headers
 *     CUDA_MODEL_CONTEXT   MiB that a process takes of each device; else 0
 *     CUDA_MODEL_SHARED    a file: processes with it have one memory of each
 *                          device, else each has its own
 *     CUDA_MODEL_MATH      native: cuBLAS cannot emulate double precision, as
 *                          before CUDA 13; emulated: it does nothing else
 *     CUDA_MODEL_FAULT     faults, see below
 *     CUDA_MODEL_REPORT    if set, what was not given back is said at the end
 *
 * Faults are a comma-separated list of kind@op:nth. The nth call of op then
 *
 *     fail    fails when it runs, and with it all that the device does later
 *     refuse  is refused: it has done nothing, and the device goes on
 *     oom     is refused for lack of memory
 *     stall   never ends; a call that waits for all of that device, or for
 *             one of its streams, then ends the program
 *
 * where op is malloc, register, stream, handle or load, which can only be
 * refused, or what a stream runs: record, wait, copy_in, copy_out, copy, fill,
 * gemm, trsm, gemv, or a kernel by its name.
 */
typedef struct { /* what there is of each, of all devices */
    int contexts, memory, pinned, streams, events, handles, libraries;
    int urgent_streams;    /* of the highest priority, among streams */
    unsigned flags;        /* of the newest context */
    int unpinned_copies;   /* copies of host memory that is not pinned */
    int emulated_products; /* products not in double precision */
    int cooperative;       /* launches whose groups can wait for each other */
    long calls; /* of CUDA and cuBLAS, but for their texts of errors */
} cuda_model_counts_t;

/*
 * Begin anew, as another process would: nothing exists, no device is broken,
 * and faults, "" for none, are counted from here. CUDA_MODEL_PROCESSORS is read
 * again. Nobody else may use the model meanwhile.
 */
void cuda_model_begin(const char *faults);

cuda_model_counts_t cuda_model_counts(void);
