/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CUDA_MODEL_H
#define CUDA_MODEL_H

/*
 * What the files of the model share. One lock guards all of it; work on
 * matrices runs without. Functions named model_* are called with the lock,
 * unless they say otherwise, those named cuda* take it.
 */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include "testing/cuda_model/control.h"

enum {
    MODEL_DEVICES = 4,
    MODEL_MOST_PITCH = 0x7fffffff,
    MODEL_HIGHEST = -5 /* priority of streams; the lowest is 0 */
};

typedef enum {
    MODEL_MALLOC,
    MODEL_REGISTER,
    MODEL_STREAM,
    MODEL_EVENT,
    MODEL_HANDLE,
    MODEL_SELECT,
    MODEL_RECORD, /* this and what follows is queued */
    MODEL_WAIT,
    MODEL_COPY_IN,
    MODEL_COPY_OUT,
    MODEL_GEMM,
    MODEL_COPY, /* on the device */
    MODEL_TRSM,
    MODEL_GEMV,
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

typedef struct model_block { /* an allocation, in a list by its place */
    size_t at, bytes;
    struct model_block *next;
} model_block_t;

typedef struct {
    bool context;
    unsigned flags;      /* of the context */
    cudaError_t broken;  /* what all calls return; cudaSuccess: it is not */
    bool breaking;       /* no more work begins */
    int running;         /* pieces of work */
    int stalled;         /* streams that never end */
    char *shown, *store; /* addresses that are given out, what is there */
    size_t used;         /* bytes */
    model_block_t *blocks;
    long calls[MODEL_OPS];
} model_device_t;

typedef struct {
    int place[MODEL_DEVICES]; /* of each device in the machine */
    pthread_mutex_t lock;
    pthread_cond_t changed; /* anything of it */
    int count;
    int driver;    /* version */
    size_t memory; /* bytes of each device */
    model_device_t device[MODEL_DEVICES];
    cuda_model_counts_t counts;
} model_t;

extern model_t model;

__attribute__((noreturn, format(printf, 1, 2))) void
model_die(const char *format, ...);

/* ---- device.c; errors ---------------------------------------------------- */

/* Take the lock; the first call reads the environment. */
void model_enter(void);
/* Give the lock back and return error, after noting it for this thread. */
cudaError_t model_leave(cudaError_t error);

/*
 * What a call comes to before it does anything: is this thread's device the
 * one that it is about, and does that work? A context is made if need be.
 */
cudaError_t model_check(int device);

/* This thread's device; needs no lock. */
int model_current(void);

/* ---- fault.c ------------------------------------------------------------- */

void model_faults_read(const char *text);
void model_faults_read_environment(void);

/* Count a call of op on device; the fault that it is to have. */
model_fault_t model_fault(int device, model_op_t op);

/* What a call with fault returns at once. */
cudaError_t model_refusal(model_fault_t fault);

/* model_check, and if that is well the refusal that a call of op is to have. */
cudaError_t model_admit(int device, model_op_t op);

/* ---- memory.c ------------------------------------------------------------ */

enum { MODEL_HOST = -1, MODEL_NOWHERE = -2 };

/*
 * The device of which one allocation holds all bytes at address; MODEL_HOST if
 * they are no device's, MODEL_NOWHERE if they are not allocated.
 */
int model_device_of(const void *address, size_t bytes);

/* Where the content of device memory is. */
void *model_content(const void *address);

typedef enum { MODEL_PAGEABLE, MODEL_PARTLY, MODEL_PINNED } model_pinned_t;

/* Are these bytes of host memory pinned, as device sees it? */
model_pinned_t model_pinned(const void *address, size_t bytes, int device);

void model_memory_begin(void);
size_t model_memory_free(int device);

/* ---- stream.c ------------------------------------------------------------ */

typedef struct { /* a point in a stream */
    int references;
    bool passed;
    double time; /* seconds, once passed */
} model_mark_t;

model_mark_t *model_mark_create(void);
void model_mark_release(model_mark_t *mark); /* accepts NULL */

typedef struct model_work {
    model_op_t op;
    /* Does it, without the lock; an error breaks the device. NULL: nothing */
    cudaError_t (*run)(int device, void *argument);
    void *argument;      /* freed with free() */
    model_mark_t *until; /* what is waited for first, or NULL */
    model_mark_t *mark;  /* what passes behind it, or NULL */
    model_fault_t fault; /* set when queued */
    struct model_work *next;
} model_work_t;

/*
 * Queue a copy of work, whose argument and marks it takes over, whatever comes
 * of it. Errors: those of its fault, those of the device
 */
cudaError_t model_queue(cudaStream_t stream, const model_work_t *work);

/* Wait until mark has passed; what the device came to. */
cudaError_t model_await(int device, const model_mark_t *mark);

/* Wait until all its streams are idle, for the function called name. */
cudaError_t model_await_idle(int device, const char *name);

void model_streams_begin(void);

int model_stream_device(cudaStream_t stream);

/* ---- event.c ------------------------------------------------------------- */

double model_now(void); /* seconds */

#endif
