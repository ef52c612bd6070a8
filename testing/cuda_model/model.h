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

#define MODEL_TRY(call)                                                        \
    do {                                                                       \
        cudaError_t error_ = (call);                                           \
        if (error_ != cudaSuccess)                                             \
            return error_;                                                     \
    } while (0)

/* Hold the lock until the function returns: a call of CUDA's. */
#define MODEL_CALL()                                                           \
    __attribute__((cleanup(model_leave), unused)) int held_ = model_enter()

int model_enter(void);
void model_leave(const int *held);

/* A function of CUDA's: what it does with the lock, unless check is an error.
 */
#define MODEL_FUNCTION(name, parameters, check, ...)                           \
    cudaError_t name parameters                                                \
    {                                                                          \
        MODEL_CALL();                                                          \
        MODEL_TRY(check);                                                      \
        __VA_ARGS__;                                                           \
        return cudaSuccess;                                                    \
    }

#define model_die(...)                                                         \
    (fprintf(stderr, "CUDA model: " __VA_ARGS__), fputc('\n', stderr), abort())

/* Memory of zeros that stays: the model knows what was destroyed. */
void *model_object(size_t bytes);

/* Is there such a device? */
cudaError_t model_exists(int device);

/* Is device this thread's, and does it work? Makes its context if need be. */
cudaError_t model_check(int device);

/* Make the context of device if it has none: flags as cudaInitDevice has them.
 */
cudaError_t model_context(int device, unsigned flags);

/* Count a call of op; its fault as a letter, or 0. */
int model_fault(const char *op);

/* What a call with fault returns at once. */
cudaError_t model_refusal(int fault);

/* model_check of this thread's device, and what a call of op returns at once.
 */
cudaError_t model_admit(const char *op);

/* Bytes that a device has left, of what all processes on it share. */
int64_t model_memory_left(int device);

/* Use bytes of a device's memory, if it has so many; fewer than 0: give back.
 */
bool model_memory_take(int device, int64_t bytes);

/* ---- memory.c ------------------------------------------------------------ */

enum { MODEL_PAGEABLE = -1, MODEL_PINNED = -2, MODEL_PARTLY = -3 };

/*
 * Whose these bytes are: the device of which one allocation holds all of them,
 * else one of the above; MODEL_PARTLY if not all of them are of one kind.
 */
int model_place(const void *address, int64_t bytes);

/* Where the content of device memory is. */
void *model_content(const void *address);

/* The same of all bytes that the work called name uses; it ends the program
 * unless they are device's. */
void *model_operand(int device, const void *address, int64_t bytes,
                    const char *name);

void model_memory_begin(void);

/* ---- stream.c ------------------------------------------------------------ */

struct CUstream_st {
    int device; /* -1: it was destroyed */
    int priority;
    bool stalls; /* what was queued does not end */
    struct CUstream_st *next;
};

/* Queue op. The caller does it at once if it runs: if nothing before it stalls
 * and the device works. */
cudaError_t model_queue(cudaStream_t stream, const char *op, bool *runs_p);

/* Wait for device's stream, or for all of them if NULL, for the function called
 * name. */
cudaError_t model_finish(int device, cudaStream_t stream, const char *name);

/* ---- kernels.c ----------------------------------------------------------- */

/* A library of image's kernels, if that begins with magic. */
cudaError_t model_load(const void *image, const char *magic,
                       cudaLibrary_t *library_p);
