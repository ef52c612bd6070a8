/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_H
#define HYB_EMU_H

/*
 * A software device. Each queue is a thread that takes commands in order. Two
 * links and one compute engine are shared by all queues; each serves one
 * command at a time.
 *
 * Time: a command begins when its queue's previous one has ended, the event
 * that it waits for has passed, it was queued, and its resource is free;
 * whichever is last. It ends after its amount of work divided by the resource's
 * rate, and not before the work is done. The device computes the end and its
 * thread sleeps until then, so late wake-ups do not add up. A dry device does
 * no work: its times are those of the model alone. The engine serves commands
 * in the order in which they come; priorities of queues change nothing.
 */
#include <pthread.h>
#include <time.h>
#include "hybrid/device/emu/fault.h"
#include "hybrid/device/device.h"

typedef enum {
    HYB_EMU_LINK_IN,
    HYB_EMU_LINK_OUT,
    HYB_EMU_ENGINE,
    HYB_EMU_RESOURCES
} hyb_emu_resource_t;

typedef struct hyb_emu_queue hyb_emu_queue_t;

typedef struct { /* a point in a queue, where an event was recorded */
    int references;
    bool passed;
    double time; /* when, once passed */
} hyb_emu_mark_t;

typedef struct { /* row numbers in device memory */
    const int64_t *row;
    int64_t count;
} hyb_emu_rows_t;

typedef struct hyb_emu_command {
    hyb_emu_op_t op;
    hyb_emu_mark_t *mark; /* of event_record and queue_wait */
    xh_view_t to;         /* the result of any work */
    union {               /* what else it needs */
        xh_view_t from;   /* of copies; trsm's L1 */
        xh_gemm_t product;
        struct {
            xh_view_t columns;
            hyb_emu_rows_t source, from, to;
        } swap;
        struct {
            xh_view_t from;
            hyb_emu_rows_t rows;
        } move; /* of gather_rows and scatter_rows */
        struct {
            xh_view_t a, x;
        } gemv;
        hyb_generate_t part;
    };
    double amount;    /* bytes or flop */
    double queued_at; /* set when it is queued, as what follows */
    hyb_emu_fault_t fault;
    struct hyb_emu_command *next;
} hyb_emu_command_t;

typedef struct hyb_emu_buffer { /* a device's, in a list */
    double *data;
    size_t bytes; /* rounded up */
    struct hyb_emu_buffer *next;
} hyb_emu_buffer_t;

typedef struct { /* all but the first group is guarded by lock */
    const hyb_host_t *host;
    int index;
    bool dry;
    double rate[HYB_EMU_RESOURCES]; /* bytes/s or flop/s; 0: no limit */
    int *cpus;                      /* that queues' threads may use */
    int cpu_count;                  /* 0: any */

    pthread_mutex_t lock;
    pthread_cond_t changed;     /* a mark has passed or a resource is free */
    size_t memory, memory_used; /* bytes */
    hyb_emu_buffer_t *buffers;
    hyb_emu_faults_t faults;
    hyb_emu_queue_t *queues;
    struct {
        bool busy;
        double free_at;
    } resources[HYB_EMU_RESOURCES];
    bool failed;
    bool closing;
    bool abandoned; /* closing, and what is queued shall not run */
} hyb_emu_device_t;

/* ---- emu.c -------------------------------------------------------------- */

/* Log one line that begins with the device's name. */
__attribute__((format(printf, 3, 4))) void
hyb_emu_say(const hyb_emu_device_t *device, xh_log_level_t level,
            const char *format, ...);

/*
 * With device locked: count a call of op. A fault of the call itself happens
 * here; the fault of a queued operation is in *fault_p.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_emu_admit(hyb_emu_device_t *device, hyb_emu_op_t op,
                          hyb_emu_fault_t *fault_p);

/* A condition that waits by the monotonic clock. */
void hyb_emu_condition_init(pthread_cond_t *condition);

/* The monotonic clock's time in so many seconds, at most 30 years. */
struct timespec hyb_emu_deadline(double seconds);

/* ---- queue.c ------------------------------------------------------------ */

/* With device locked: queued work no longer runs, all who wait wake up. */
void hyb_emu_fail(hyb_emu_device_t *device);

/*
 * Wait until running work on a failed device has ended; returns XH_ERR_DEVICE.
 * With device locked; the wait unlocks it.
 */
xh_status_t hyb_emu_failure(hyb_emu_device_t *device);

/* End and join the threads of all queues; device is not locked. */
void hyb_emu_queues_close(hyb_emu_device_t *device, bool abandon);

/*
 * With the device locked: queue a copy of command, which takes a reference of
 * its mark. Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_emu_queue_add(hyb_emu_queue_t *queue,
                              const hyb_emu_command_t *command);

/* The backend's own functions, as in hyb_backend_t. */
xh_status_t hyb_emu_queue_create(void *state, hyb_priority_t priority,
                                 void **queue_p);
void hyb_emu_queue_destroy(void *state, void *queue);

/* ---- work.c ------------------------------------------------------------- */

/*
 * Do what command says, on the calling thread.
 * Errors: XH_ERR_MEMORY  of the host, for a product
 *         XH_ERR_ARG     a row number is not in its block
 */
xh_status_t hyb_emu_work(const hyb_host_t *host,
                         const hyb_emu_command_t *command);

xh_status_t hyb_emu_copy_in(void *state, void *queue, xh_view_t from_host,
                            hyb_block_t to);
xh_status_t hyb_emu_copy_out(void *state, void *queue, hyb_block_t from,
                             xh_view_t to_host);
xh_status_t hyb_emu_gemm(void *state, void *queue, const hyb_gemm_t *product);
xh_status_t hyb_emu_copy(void *state, void *queue, hyb_block_t from,
                         hyb_block_t to);
xh_status_t hyb_emu_swap_rows(void *state, void *queue,
                              const hyb_row_swap_t *swap);
xh_status_t hyb_emu_gather_rows(void *state, void *queue, hyb_block_t columns,
                                hyb_list_t rows, hyb_block_t packed);
xh_status_t hyb_emu_scatter_rows(void *state, void *queue, hyb_block_t packed,
                                 hyb_list_t rows, hyb_block_t columns);
xh_status_t hyb_emu_trsm(void *state, void *queue, hyb_block_t l1,
                         hyb_block_t u);
xh_status_t hyb_emu_gemv(void *state, void *queue, hyb_block_t a, hyb_block_t x,
                         hyb_block_t y);
xh_status_t hyb_emu_generate(void *state, void *queue,
                             const hyb_generate_t *part);

/* ---- event.c ------------------------------------------------------------ */

/* Give a reference back, with the device locked; accepts NULL. */
void hyb_emu_mark_release(hyb_emu_mark_t *mark);

xh_status_t hyb_emu_event_create(void *state, void **event_p);
void hyb_emu_event_destroy(void *state, void *event);
xh_status_t hyb_emu_event_record(void *state, void *queue, void *event);
xh_status_t hyb_emu_queue_wait(void *state, void *queue, void *event);
xh_status_t hyb_emu_event_wait(void *state, void *event, double seconds,
                               bool *done_p);
xh_status_t hyb_emu_event_elapsed(void *state, void *begin, void *end,
                                  double *seconds_p);

#endif
