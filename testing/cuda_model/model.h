/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the files of the model share: one lock guards all of it. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "testing/cuda_model/control.h"

enum { MODEL_DEVICES = 4, MODEL_MOST_PITCH = 0x7fffffff };

typedef enum {
    MODEL_MALLOC,
    MODEL_REGISTER,
    MODEL_STREAM,
    MODEL_HANDLE,
    MODEL_LOAD,
    MODEL_RECORD, /* this and what follows is queued */
    MODEL_WAIT,
    MODEL_COPY_IN,
    MODEL_COPY_OUT,
    MODEL_GEMM,
    MODEL_COPY, /* on the device */
    MODEL_FILL,
    MODEL_TRSM,
    MODEL_GEMV,
    MODEL_SWAP_ROWS,
    MODEL_GATHER_ROWS,
    MODEL_SCATTER_ROWS,
    MODEL_GENERATE,
    MODEL_CHECKSUM,
    MODEL_PANEL_COLUMN,
    MODEL_PANEL_PIVOT,
    MODEL_PANEL_SWAP,
    MODEL_PANEL_STEP,
    MODEL_OPS
} model_op_t;

typedef enum {
    MODEL_NO_FAULT,
    MODEL_FAIL,
    MODEL_REFUSE,
    MODEL_OOM,
    MODEL_STALL,
    MODEL_FAULTS
} model_fault_t;

typedef struct {
    int place; /* in the machine */
    bool context;
    unsigned reaches;      /* bit i: the memory of device i */
    cudaError_t broken;    /* what all calls return; cudaSuccess: it is not */
    size_t used;           /* bytes */
    bool copies_under_way; /* that no stream waits for */
    long calls[MODEL_OPS];
} model_device_t;

typedef struct {
    pthread_mutex_t lock;
    int count;
    int driver;         /* version */
    int beginnings;     /* calls of cuda_model_begin */
    size_t memory;      /* bytes of each device */
    bool peers;         /* devices may reach each other's memory */
    int processors;     /* of each, a group of a cooperative launch each */
    size_t context;     /* bytes that a process takes of each that it uses */
    size_t pinnable;    /* bytes of host memory */
    const char *faults; /* as cuda_model_begin takes them */
    model_device_t device[MODEL_DEVICES];
    cuda_model_counts_t counts;
} model_t;

extern model_t model;
extern __thread int model_current; /* this thread's device */

/* Hold the lock until the function returns; it is a call of CUDA's. */
#define MODEL_CALL()                                                           \
    __attribute__((cleanup(model_leave), unused)) int held_ = model_enter()

int model_enter(void);
void model_leave(const int *held);

#define MODEL_TRY(call)                                                        \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess)                                             \
            return error_;                                                     \
    } while (0)

__attribute__((noreturn, format(printf, 1, 2))) void
model_die(const char *format, ...);

/* Memory of zeros that stays: what was destroyed is known for that. */
void *model_object(size_t bytes);

/*
 * What a call comes to before it does anything: is this thread's device the
 * one that it is about, and does that work? A context is made if need be.
 */
cudaError_t model_check(int device);

/* Make the context of device if it has none: flags as cudaInitDevice has them.
 */
cudaError_t model_context(int device, unsigned flags);

/* Count a call of op on device; the fault that it is to have. */
model_fault_t model_fault(int device, model_op_t op);

/* What a call with fault returns at once. */
cudaError_t model_refusal(model_fault_t fault);

/* model_check, and if that is well the refusal that a call of op is to have. */
cudaError_t model_admit(int device, model_op_t op);

/* Bytes that a device has left: what processes that share path use of it, of
 * all of them. */
void model_memory_share(const char *path);
size_t model_memory_left(int device);

/* Use bytes of a device's memory; false if it has less. */
bool model_memory_take(int device, size_t bytes);

/* Give bytes back; all that this process uses. */
void model_memory_give(int device, size_t bytes);
void model_memory_give_all(void);

/* ---- memory.c ------------------------------------------------------------ */

enum { MODEL_PAGEABLE = -1, MODEL_PINNED = -2, MODEL_PARTLY = -3 };

/*
 * Whose these bytes are: the device of which one allocation holds all of them,
 * else one of the above; MODEL_PARTLY if not all of them are of one kind.
 */
int model_place(const void *address, size_t bytes);

/* Where the content of device memory is. */
void *model_content(const void *address);

void model_memory_begin(void);

/* ---- kernels.c ----------------------------------------------------------- */

typedef struct {
    const char *content;
    uint64_t bytes;
    const char *before, *after; /* what is around a kernel's name in it */
} model_image_t;

/* A library of image's kernels; it is a call of CUDA's already. */
cudaError_t model_load(model_image_t image, cudaLibrary_t *library_p);

/* ---- blas.c -------------------------------------------------------------- */

struct cublasContext;

/* Its products need no workspace of the user's. */
void model_own_workspace(struct cublasContext *handle);

/* ---- stream.c ------------------------------------------------------------ */

/* Queue work, which the caller does at once if it runs: if nothing before it
 * stalls. An error of it breaks the device. */
cudaError_t model_queue(cudaStream_t stream, model_op_t op, bool *runs_p);

/* Wait for all that is queued, for the function called name. */
cudaError_t model_finish_stream(cudaStream_t stream, const char *name);
cudaError_t model_finish_device(int device, const char *name);

int model_stream_device(cudaStream_t stream); /* -1: it was destroyed */
void model_streams_begin(void);
