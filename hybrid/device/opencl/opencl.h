/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A device of OpenCL 1.2 or later that computes in double precision. A queue is
 * an in-order command queue with kernels and working memory of its own, so
 * several threads can compute at once; an event holds the marker of its last
 * recording; and a buffer is an OpenCL buffer, so it cannot be larger than the
 * device's largest allocation.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "hybrid/device/device.h"
#include "hybrid/device/kernels/launch.h"
#include "hybrid/device/opencl/library.h"

enum {
    HYB_OPENCL_ITEMS = HYB_LAUNCH_ITEMS,
    HYB_OPENCL_INVERTED = HYB_OPENCL_ITEMS, /* order of inverted */
    HYB_OPENCL_INVERSES = 32, /* diagonal blocks, and how many at a time */
    HYB_OPENCL_INVERSES_BYTES = HYB_OPENCL_INVERSES * HYB_OPENCL_INVERTED *
                                HYB_OPENCL_INVERTED * (int)sizeof(double),
    HYB_OPENCL_SIDE = 2048,     /* rows and columns of C multiplied at a time */
    HYB_OPENCL_DEPTH = 512,     /* part of k multiplied at a time */
    HYB_OPENCL_WIDEST = 512,    /* widest tile */
    HYB_OPENCL_MOST_SUMS = 512, /* sums per item */
    HYB_OPENCL_PANEL_GROUPS = 64,
    HYB_OPENCL_PACKED = 16 /* columns that a group packs */
};

/* The kernels of hybrid/device/kernels; those of the product come last. */
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
    HYB_OPENCL_OTHERS = HYB_OPENCL_PACK_A, /* all but the product's */
    HYB_OPENCL_OF_PRODUCT = HYB_OPENCL_KERNEL_COUNT - HYB_OPENCL_OTHERS
};

/* Parameters of the product's template; hybrid/device/kernels/product.cl
 * explains the words. */
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

/* A compiled product. */
typedef struct {
    hyb_opencl_config_t config;
    cl_program program; /* NULL: the default's program is used */
    bool is_new;        /* compiled in this run, and not stored */
    int version;        /* changes with `program` */
} hyb_opencl_product_t;

enum { /* indices of products: one per depth, and the default */
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
    cl_program program; /* all kernels except products */
    hyb_opencl_product_t products[HYB_OPENCL_PRODUCTS];
    cl_mem jump_table; /* table for the kernel generate */
    bool has_priorities;
    uint64_t memory, largest; /* bytes in all, and in the largest allocation */
    atomic_int failed;
    atomic_bool given_up; /* work may never end: wait for none */

    pthread_mutex_t lock; /* guards the fields below, and events */
    uint64_t used;        /* bytes */
    hyb_opencl_queue_t *queues;
} hyb_opencl_device_t;

struct hyb_opencl_queue {
    hyb_opencl_device_t *device;
    cl_command_queue commands;
    cl_kernel kernels[HYB_OPENCL_OTHERS]; /* NULL before the first use */
    struct {
        cl_kernel kernels[HYB_OPENCL_OF_PRODUCT]; /* likewise */
        int version; /* version of the program that they are from */
    } products[HYB_OPENCL_PRODUCTS];
    cl_mem proposals[2]; /* for proposed pivots, used in turn; NULL before the
                            first panel */
    size_t proposals_bytes;
    cl_mem strips_a, strips_b, inverses; /* working memory */
    hyb_opencl_queue_t *next;
};

/* ---- opencl.c ----------------------------------------------------------- */

/* The program's functions; set once, before any call. */
extern const hyb_host_t *hyb_opencl_host;

/* Is the device a driver of OpenCL for this host's cores? */
bool hyb_opencl_is_cpu(cl_device_id id);

/* Queue a marker after all work on the queue, and start that work. */
cl_int hyb_opencl_mark(const hyb_opencl_queue_t *queue, cl_event *marker_p);

/* The state of a marker: CL_COMPLETE, a larger value while work is left, or an
 * error, which is smaller. */
cl_int hyb_opencl_state_of(cl_event marker);

/* Must this thread wait for work before `marker`? Not if the device was given
 * up. */
bool hyb_opencl_has_work(const hyb_opencl_device_t *device, cl_event marker);

/* Wait until no queue has work left. After stall_seconds the device is given
 * up. */
void hyb_opencl_drain(hyb_opencl_device_t *device);

/*
 * Convert an OpenCL error to a status; `what` names the call in the log. The
 * first failure of a device is logged. Errors: XH_ERR_DEVICE: the device has
 * failed; queued work has ended, unless the device was given up
 */
xh_status_t hyb_opencl_status(hyb_opencl_device_t *device, const char *what,
                              cl_int error);

/* ---- memory.c ----------------------------------------------------------- */

/* Bytes of the largest allocation that fits now, like memory_left of
 * hyb_backend_t. */
xh_status_t hyb_opencl_memory_left(void *state, uint64_t *bytes_p);

/*
 * Allocate and free device memory; free accepts NULL.
 * Errors: XH_ERR_MEMORY  logged as information; XH_ERR_DEVICE
 */
xh_status_t hyb_opencl_allocate(hyb_opencl_device_t *device, size_t bytes,
                                cl_mem *memory_p);
void hyb_opencl_free(hyb_opencl_device_t *device, cl_mem memory, size_t bytes);

/* ---- config.c ----------------------------------------------------------- */

/* The default configuration, which packs strips. */
hyb_opencl_config_t
hyb_opencl_default_config(const hyb_opencl_device_t *device);

/* Items of a group that factors rows of a panel. */
int hyb_opencl_panel_items(const hyb_opencl_device_t *device);

/* Return why the device cannot use this configuration; NULL: it perhaps can. */
const char *hyb_opencl_defect(const hyb_opencl_device_t *device,
                              const hyb_opencl_config_t *config);

/* The product for this depth. */
const hyb_opencl_product_t *
hyb_opencl_product(const hyb_opencl_device_t *device, int64_t depth);

/* The backend's own functions, like those of hyb_backend_t. */
const hyb_gemm_parameter_t *hyb_opencl_parameters(void *state, int *count_p);
hyb_gemm_config_t hyb_opencl_config(void *state, int d);

/* ---- stored.c ----------------------------------------------------------- */

/* The texts and options of a program, and the kind of its stored file. */
typedef struct {
    const char *const *texts;
    cl_uint count;
    const char *options;
    char kind[32];
} hyb_opencl_text_t;

/* Load a program that an earlier run stored, if driver and device are the same
 * and the file is undamaged; else return NULL. */
cl_program hyb_opencl_load_program(const hyb_opencl_device_t *device,
                                   const hyb_opencl_text_t *text);

/* Store `program`, which was compiled from `text`. */
void hyb_opencl_store_program(const hyb_opencl_device_t *device,
                              const hyb_opencl_text_t *text,
                              cl_program program);

/* ---- program.c ---------------------------------------------------------- */

/* Build the kernels for the device, with products in the default configuration.
 * Errors: XH_ERR_DEVICE: the compiler's message is logged */
xh_status_t hyb_opencl_build(hyb_opencl_device_t *device);
void hyb_opencl_release_programs(hyb_opencl_device_t *device);

/* Store the products that the device uses now; by then a tuner's other
 * candidates are gone. */
void hyb_opencl_store_products(hyb_opencl_device_t *device);

/* Like set_config of hyb_backend_t. */
xh_status_t hyb_opencl_set_config(void *state, int d,
                                  const hyb_gemm_config_t *config);

/* ---- queue.c ------------------------------------------------------------ */

/* Release the kernels that exist, and set them to NULL. */
void hyb_opencl_release_kernels(int count, cl_kernel *kernels);

/* The backend's own functions, like those of hyb_backend_t; work is in work.c.
 */
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
