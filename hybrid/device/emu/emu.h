/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_H
#define HYB_EMU_H

/*
 * A software device. Each queue is a thread that takes commands in order. Two
 * links and one compute engine are shared by all queues; each serves one
 * command at a time.
 *
 * Time: every command begins when its queue's previous one has ended, what it
 * waits for has passed, it was queued, and its resource is free; whichever is
 * last. It ends after its amount of work divided by the resource's rate, and
 * not before the work is done. The ends are computed, threads sleep until
 * then, so late wake-ups do not add up, and without work to do (dry) they are
 * a model's times.
 */
#include <pthread.h>
#include <time.h>
#include "hybrid/device/emu/arena.h"
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

typedef struct hyb_emu_command {
    hyb_emu_op_t op;
    hyb_emu_mark_t *mark; /* of event_record and queue_wait */
    xh_view_t from, to;   /* of copies; to is the result of any work */
    xh_gemm_t product;    /* of gemm */
    double amount;        /* bytes or flop */
    double queued_at;     /* set when it is queued, as what follows */
    hyb_emu_fault_t fault;
    struct hyb_emu_command *next;
} hyb_emu_command_t;

typedef struct { /* all but the first group is guarded by lock */
    const hyb_host_t *host;
    int index;
    bool dry;
    double rate[HYB_EMU_RESOURCES]; /* bytes/s or flop/s; 0: no limit */
    int *cpus;                      /* that queues' threads may use */
    int cpu_count;                  /* 0: any */

    pthread_mutex_t lock;
    pthread_cond_t changed; /* a mark has passed or a resource is free */
    hyb_emu_arena_t arena;
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
 * Count a call of op, with device locked, and see to a fault in the call
 * itself. One of a queued operation is left in *fault_p.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_emu_admit(hyb_emu_device_t *device, hyb_emu_op_t op,
                          hyb_emu_fault_t *fault_p);

/* A condition that waits by the monotonic clock. */
void hyb_emu_condition_init(pthread_cond_t *condition);

/* The monotonic clock's time in so many seconds, at most 30 years. */
struct timespec hyb_emu_deadline(double seconds);

/* ---- queue.c ------------------------------------------------------------ */

/* With device locked: nothing queued runs any more, whoever waits wakes up. */
void hyb_emu_fail(hyb_emu_device_t *device);

/*
 * What calls return on a device that failed, XH_ERR_DEVICE, once the work that
 * was running has ended. With device locked, which is given up meanwhile.
 */
xh_status_t hyb_emu_failure(hyb_emu_device_t *device);

/* End and join the threads of all queues; device is not locked. */
void hyb_emu_queues_close(hyb_emu_device_t *device, bool abandon);

/* Queue a copy of command. Errors: XH_ERR_DEVICE, XH_ERR_MEMORY */
xh_status_t hyb_emu_queue_add(hyb_emu_queue_t *queue,
                              const hyb_emu_command_t *command);

/* The backend's own functions, as in hyb_backend_t. */
xh_status_t hyb_emu_queue_create(void *state, void **queue_p);
void hyb_emu_queue_destroy(void *state, void *queue);

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
