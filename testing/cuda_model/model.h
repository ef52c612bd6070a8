/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* What the files of the model share; one lock guards all of it. */
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "testing/cuda_model/control.h"

enum { MODEL_DEVICES = 4, MODEL_PROCESSORS = 4 /* of each, at most */ };

typedef struct {
    int place; /* in the machine */
    bool context;
    unsigned reaches;      /* bit i: the memory of device i */
    cudaError_t broken;    /* what all calls return; cudaSuccess: it works */
    int64_t used;          /* bytes */
    bool copies_under_way; /* that no stream waits for */
} model_device_t;

typedef struct {
    pthread_mutex_t lock;
    int count;
    int driver;      /* version */
    int64_t memory;  /* bytes of each device */
    int64_t context; /* bytes that a process takes of each that it uses */
    bool peers;      /* devices may reach each other's memory */
    int processors;  /* of each, for a group of a cooperative launch each */
    model_device_t device[MODEL_DEVICES];
    struct CUstream_st *streams;
    cuda_model_counts_t counts;
} model_t;

extern model_t model;
extern __thread int model_current; /* this thread's device */

#define TRY(call)                                                              \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess)                                             \
            return error_;                                                     \
    } while (0)

/* Hold the lock until the function returns: CUDA is called. */
#define LOCK()                                                                 \
    __attribute__((cleanup(model_leave), unused)) int held_ = model_enter()

int model_enter(void);
void model_leave(const int *held);

/* A function of CUDA's: its work with the lock, unless check is an error. */
#define CALL(name, parameters, check, ...)                                     \
    cudaError_t name parameters                                                \
    {                                                                          \
        LOCK();                                                                \
        TRY(check);                                                            \
        __VA_ARGS__;                                                           \
        return cudaSuccess;                                                    \
    }

#define model_die(...)                                                         \
    (fprintf(stderr, "CUDA model: " __VA_ARGS__), fputc('\n', stderr), abort())

/* Memory of zeros that stays: the model knows what was destroyed. */
void *model_object(size_t bytes);

/* Is device this thread's, and does it work? Makes its context if need be. */
cudaError_t model_check(int device);

/* The same of this thread's device for a call of op, which a fault refuses. */
cudaError_t model_admit(const char *op);

/* Bytes that a device has left, of what all processes on it share. */
int64_t model_memory_left(int device);

/* Use bytes of a device's memory, if it has them; below 0: give them back. */
bool model_memory_take(int device, int64_t bytes);

struct CUstream_st {
    int device; /* -1: it was destroyed */
    int priority;
    bool stalls; /* what was queued does not end */
    struct CUstream_st *next;
};

/* Queue op, which the caller does at once if the stream runs: if nothing before
 * stalls and the device works. An error of op itself shows in the next call. */
cudaError_t model_queue(cudaStream_t stream, const char *op);
bool model_runs(cudaStream_t stream);

/* Wait for device's stream, or for all of them if NULL, for the function called
 * name. */
cudaError_t model_finish(int device, cudaStream_t stream, const char *name);

/* ---- memory.c ------------------------------------------------------------ */

/* Where the device has the bytes at address, for the work called name, which
 * ends the program unless all of them are in one allocation of the device's. */
void *model_operand(int device, const void *address, int64_t bytes,
                    const char *name);

/* Drop all that there is. */
void model_memory_begin(void);
