/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A device of OpenCL 1.2 or later that computes in double precision. A queue
 * is an in-order command queue with kernels and working memory of its own, so
 * several threads can compute at once; an event holds the last marker it was
 * recorded with, and a buffer is one of OpenCL, so none can be larger than one
 * allocation of the device.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "hybrid/device/device.h"
#include "hybrid/device/kernels/launch.h"
#include "hybrid/device/opencl/library.h"

enum {
    HYB_OPENCL_ITEMS = HYB_LAUNCH_ITEMS,
    HYB_OPENCL_INVERTED = HYB_OPENCL_ITEMS, /* order of diagonal blocks that are
                                               inverted, */
    HYB_OPENCL_INVERSES = 32,               /* so many at a time */
    HYB_OPENCL_INVERSES_BYTES = HYB_OPENCL_INVERSES * HYB_OPENCL_INVERTED *
                                HYB_OPENCL_INVERTED * (int)sizeof(double),
    HYB_OPENCL_SIDE = 2048,  /* rows and columns of C multiplied at a time, */
    HYB_OPENCL_DEPTH = 512,  /* and of k */
    HYB_OPENCL_WIDEST = 512, /* tile */
    HYB_OPENCL_MOST_SUMS = 512, /* of an item */
    HYB_OPENCL_PANEL_GROUPS = 64,
    HYB_OPENCL_PACKED = 16 /* columns that a group packs */
};

/* The kernels of hybrid/device/kernels; the last ones are the product's. */
#define HYB_OPENCL_KERNELS(X)                                                  \
    HYB_LAUNCH_KERNELS(X)                                                      \
    X(COPY, copy)                                                              \
    X(GEMV, gemv)                                                              \
    X(INVERT, invert)                                                          \
    X(PACK_A, pack_a)                                                          \
    X(PACK_B, pack_b)                                                          \
    X(MULTIPLY, multiply)

#define HYB_OPENCL_NUMBER(kernel, name) HYB_OPENCL_##kernel,
typedef enum {
    HYB_OPENCL_KERNELS(HYB_OPENCL_NUMBER) HYB_OPENCL_KERNEL_COUNT
} hyb_opencl_kernel_t;

enum {
    HYB_OPENCL_OTHERS = HYB_OPENCL_PACK_A, /* than the product's */
    HYB_OPENCL_OF_PRODUCT = HYB_OPENCL_KERNEL_COUNT - HYB_OPENCL_OTHERS
};

/* What the product's template may be; hybrid/device/kernels/product.cl has the
 * words. */
#define HYB_OPENCL_PARAMETERS(X)                                               \
    X(rows, ROWS)                                                              \
    X(cols, COLS)                                                              \
    X(items_m, ITEMS_M)                                                        \
    X(items_n, ITEMS_N)                                                        \
    X(vector, VECTOR)                                                          \
    X(depth, DEPTH)                                                            \
    X(staged, STAGED)                                                          \
    X(packed, PACKED)                                                          \
    X(prefetch, PREFETCH)                                                      \
    X(band, BAND)

typedef struct { /* the values of a hyb_gemm_config_t, by name */
#define HYB_OPENCL_PARAMETER(name, word) int name;
    HYB_OPENCL_PARAMETERS(HYB_OPENCL_PARAMETER)
} hyb_opencl_config_t;

/* A product as it is compiled. */
typedef struct {
    hyb_opencl_config_t config;
    cl_program program; /* NULL: the default's counts */
    bool is_new;        /* compiled in this run, and not kept */
    int version;        /* changes with program */
} hyb_opencl_product_t;

enum { /* of products: one a depth, and the default */
       HYB_OPENCL_DEFAULT = HYB_GEMM_DEPTHS,
       HYB_OPENCL_PRODUCTS
};

static inline int hyb_opencl_tile_m(const hyb_opencl_config_t *config)
{
    return config->rows * config->vector * config->items_m;
}

static inline int hyb_opencl_tile_n(const hyb_opencl_config_t *config)
{
    return config->cols * config->items_n;
}

typedef struct hyb_opencl_queue hyb_opencl_queue_t;

typedef struct {
    int index;
    cl_device_id id;
    cl_context context;
    cl_program program; /* all but products */
    hyb_opencl_product_t products[HYB_OPENCL_PRODUCTS];
    cl_mem jumps; /* what the kernel generate takes */
    bool has_priorities;
    uint64_t memory, largest; /* bytes in all, and in one allocation */
    atomic_int failed;
    atomic_bool given_up; /* its work may never end: wait for none */

    pthread_mutex_t lock; /* of what follows, and of events */
    uint64_t used;        /* bytes */
    hyb_opencl_queue_t *queues;
} hyb_opencl_device_t;

struct hyb_opencl_queue {
    hyb_opencl_device_t *device;
    cl_command_queue commands;
    cl_kernel kernels[HYB_OPENCL_OTHERS]; /* NULL before the first use */
    struct {
        cl_kernel kernels[HYB_OPENCL_OF_PRODUCT]; /* likewise */
        int version;                              /* that they are of */
    } products[HYB_OPENCL_PRODUCTS];
    cl_mem proposals[2]; /* of pivots, in turn; NULL before the first panel */
    size_t proposals_bytes;
    cl_mem strips_a, strips_b, inverses; /* working memory */
    hyb_opencl_queue_t *next;
};

/* ---- opencl.c ----------------------------------------------------------- */

/* The program; set once, before anything is called. */
extern const hyb_host_t *hyb_opencl_host;

/* Is a device this host's cores, as a driver of OpenCL shows them? */
bool hyb_opencl_is_cpu(cl_device_id id);

/* Mark the end of what is on queue so far, which begins to run. */
cl_int hyb_opencl_mark(const hyb_opencl_queue_t *queue, cl_event *marker_p);

/* CL_COMPLETE, more while work is left, or an error, which is less. */
cl_int hyb_opencl_state_of(cl_event marker);

/* Is work before marker left to wait for? Not if the device was given up. */
bool hyb_opencl_has_work(const hyb_opencl_device_t *device, cl_event marker);

/* Wait until no queue has work left, or the device is given up, which it is
 * after stall_seconds. */
void hyb_opencl_drain(hyb_opencl_device_t *device);

/*
 * The status of a call; what names it, for the log. The first failure of a
 * device is logged. Errors: XH_ERR_DEVICE  device has failed; queued work has
 * ended, unless the device was given up
 */
xh_status_t hyb_opencl_status(hyb_opencl_device_t *device, const char *what,
                              cl_int error);

/* ---- memory.c ----------------------------------------------------------- */

/* Bytes of the largest allocation that fits now, as in hyb_backend_t. */
xh_status_t hyb_opencl_memory_left(void *state, uint64_t *bytes_p);

/*
 * Allocate and free device memory; free accepts NULL.
 * Errors: XH_ERR_MEMORY  logged as information; XH_ERR_DEVICE
 */
xh_status_t hyb_opencl_allocate(hyb_opencl_device_t *device, size_t bytes,
                                cl_mem *memory_p);
void hyb_opencl_free(hyb_opencl_device_t *device, cl_mem memory, size_t bytes);

/* ---- config.c ----------------------------------------------------------- */

/* The default's configuration, of which strips are packed. */
hyb_opencl_config_t
hyb_opencl_default_config(const hyb_opencl_device_t *device);

/* Items of a group that factors rows of a panel. */
int hyb_opencl_panel_items(const hyb_opencl_device_t *device);

/* Why device cannot have this configuration; NULL: perhaps it can. */
const char *hyb_opencl_defect(const hyb_opencl_device_t *device,
                              const hyb_opencl_config_t *config);

/* The product for this depth. */
const hyb_opencl_product_t *
hyb_opencl_product(const hyb_opencl_device_t *device, int64_t depth);

/* The backend's own functions, as in hyb_backend_t. */
const hyb_gemm_parameter_t *hyb_opencl_parameters(void *state, int *count_p);
hyb_gemm_config_t hyb_opencl_config(void *state, int d);

/* ---- stored.c ----------------------------------------------------------- */

/* The texts and options of a program, and the name of what is kept of it. */
typedef struct {
    const char *const *texts;
    cl_uint count;
    const char *options;
    char kind[32];
} hyb_opencl_text_t;

/* What is kept of it from an earlier run, by the same driver for the same
 * device, and undamaged; NULL: nothing. */
cl_program hyb_opencl_recall(const hyb_opencl_device_t *device,
                             const hyb_opencl_text_t *text);

/* Keep program, which was compiled from it. */
void hyb_opencl_keep(const hyb_opencl_device_t *device,
                     const hyb_opencl_text_t *text, cl_program program);

/* ---- program.c ---------------------------------------------------------- */

/* Build the kernels for device, products in the default's configuration.
 * Errors: XH_ERR_DEVICE  what the compiler has to say is logged */
xh_status_t hyb_opencl_build(hyb_opencl_device_t *device);
void hyb_opencl_release_programs(hyb_opencl_device_t *device);

/* Keep the products that device has now: a tuner's candidates are gone. */
void hyb_opencl_keep_products(hyb_opencl_device_t *device);

/* As in hyb_backend_t. */
xh_status_t hyb_opencl_set_config(void *state, int d,
                                  const hyb_gemm_config_t *config);

/* ---- queue.c ------------------------------------------------------------ */

/* Release those that are there; they are NULL then. */
void hyb_opencl_release_kernels(int count, cl_kernel *kernels);

/* The backend's own functions, as in hyb_backend_t; work in work.c. */
xh_status_t hyb_opencl_queue_create(void *state, hyb_priority_t priority,
                                    void **queue_p);
void hyb_opencl_queue_destroy(void *state, void *queue);
xh_status_t hyb_opencl_event_create(void *state, void **event_p);
void hyb_opencl_event_destroy(void *state, void *event);
xh_status_t hyb_opencl_event_record(void *state, void *queue, void *event);
xh_status_t hyb_opencl_queue_wait(void *state, void *queue, void *event);
xh_status_t hyb_opencl_event_wait(void *state, void *event, double seconds,
                                  bool *done_p);
xh_status_t hyb_opencl_event_elapsed(void *state, void *begin, void *end,
                                     double *seconds_p);
xh_status_t hyb_opencl_work(void *state, void *queue, const hyb_task_t *task);
