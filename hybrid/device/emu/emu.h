/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A software device. Each queue is a thread that takes commands in order. All
 * queues share three links and a compute engine. Each serves one command at a
 * time, in the order in which they come; the engine has one more lane, for
 * queues of high priority.
 *
 * Time: a command begins when it is queued, its queue's previous command has
 * ended, the event that it waits for has passed, and its resource is free. Its
 * duration is its amount of work divided by the resource's rate, but it never
 * ends before the work is done. The thread sleeps until the computed end, so
 * late wake-ups do not add up. A dry device does almost no work; its times come
 * from the model alone.
 *
 * A command on the high lane interrupts the command on the normal lane, which
 * resumes afterwards and ends later by that time. But a panel step with a rate
 * of its own mostly waits, and interrupts only for the time that its flop take
 * at the engine's rate. This is only the model: the real work runs in parallel,
 * on another thread.
 */
#include <pthread.h>
#include "hybrid/device/device.h"

typedef enum {
    HYB_EMU_LINK_IN,
    HYB_EMU_LINK_OUT,
    HYB_EMU_PEER, /* reads from other devices */
    HYB_EMU_ENGINE,
    HYB_EMU_HIGH, /* the engine's lane for queues of high priority */
    HYB_EMU_RESOURCES
} hyb_emu_resource_t;

/* Calls that can have a fault: first each hyb_op_t, under its own number. */
enum {
    HYB_EMU_EVENT_RECORD = HYB_OPS, /* these two and all before are queued */
    HYB_EMU_QUEUE_WAIT,
    HYB_EMU_ALLOC,
    HYB_EMU_PIN,
    HYB_EMU_QUEUE_CREATE,
    HYB_EMU_EVENT_CREATE,
    HYB_EMU_CALLS
};

/*
 * Faults on demand, from the setting emu_fault: "", or a comma-separated list
 * of [device:]kind@call:nth. The nth such call, counted from 1 on each device
 * (or on the named device only) then
 */
typedef enum {
    HYB_EMU_NO_FAULT,
    HYB_EMU_FAIL, /* fails: queued work when it runs, other calls at once */
    HYB_EMU_OOM, /* returns XH_ERR_MEMORY and does nothing; not for event_record
                    and queue_wait */
    HYB_EMU_STALL, /* never completes until the device is given up; only for
                      queued work */
    HYB_EMU_FLIP,  /* computes a result with bit 62 of one element flipped; only
                      for a hyb_op_t */
    HYB_EMU_FAULTS
} hyb_emu_fault_t;

typedef struct {
    struct {
        hyb_emu_fault_t kind;
        int call;
        long nth;
    } planned[16];
    int count;
    long calls[HYB_EMU_CALLS];
} hyb_emu_faults_t;

typedef struct hyb_emu_queue hyb_emu_queue_t;

typedef struct { /* time span of the last command */
    double begin, end;
} hyb_emu_span_t;

typedef struct { /* `lock` guards all but the first group */
    int index;
    bool dry;
    double rate[HYB_EMU_RESOURCES]; /* bytes/s or flop/s; 0: no limit */

    pthread_mutex_t lock;
    pthread_cond_t changed;     /* a mark has passed or a resource is free */
    size_t memory, memory_used; /* bytes */
    hyb_emu_faults_t faults;
    hyb_emu_queue_t *queues;
    struct {
        long came, served; /* commands that came and that were served */
        bool busy;         /* is a command being served? */
        hyb_emu_span_t span;
    } resources[HYB_EMU_RESOURCES];
    bool failed;
} hyb_emu_device_t;

/* A queue; its thread runs the commands in order. */
struct hyb_emu_queue {
    hyb_emu_device_t *device;
    pthread_t thread;
    pthread_cond_t wake; /* there is a command, or the thread must stop */
    hyb_priority_t priority;
    struct hyb_emu_command *first, **end;
    double time;  /* when the last command ended */
    bool running; /* is the thread running a command? */
    bool ended;   /* will no more commands follow? */
    hyb_emu_queue_t *next;
};

/* ---- emu.c -------------------------------------------------------------- */

/* The program's functions; set once, before any call. */
extern const hyb_host_t *hyb_emu_host;

/* Initialize a condition that waits by the monotonic clock. */
void hyb_emu_condition_init(pthread_cond_t *condition);

/* Declare the device failed, while holding its lock. Queued work no longer
 * runs, and all waiting threads wake up. */
void hyb_emu_declare_failed(hyb_emu_device_t *device);

/* Declare the device failed and wait until running work has ended, which
 * unlocks the device meanwhile. Returns XH_ERR_DEVICE. */
xh_status_t hyb_emu_fail(hyb_emu_device_t *device);

/* ---- faults.c ----------------------------------------------------------- */

/* Read the faults meant for this device. Errors: XH_ERR_INPUT: text is not a
 * list of faults */
xh_status_t hyb_emu_read_faults(const char *text, hyb_emu_device_t *device);

/*
 * Count a call, while holding the device's lock. A fault of the call itself
 * happens here; a fault of queued work is stored in *fault_p. Errors:
 * XH_ERR_DEVICE, XH_ERR_MEMORY
 */
xh_status_t hyb_emu_inject_fault(hyb_emu_device_t *device, int call,
                                 hyb_emu_fault_t *fault_p);

/* ---- queue.c ------------------------------------------------------------ */

/* The backend's own functions, like those of hyb_backend_t. */
xh_status_t hyb_emu_queue_create(void *state, hyb_priority_t priority,
                                 void **queue_p);
void hyb_emu_queue_destroy(void *state, void *queue);
xh_status_t hyb_emu_event_create(void *state, void **event_p);
void hyb_emu_event_destroy(void *state, void *event);
xh_status_t hyb_emu_event_record(void *state, void *queue, void *event);
xh_status_t hyb_emu_queue_wait(void *state, void *queue, void *event);
xh_status_t hyb_emu_event_wait(void *state, void *event, double seconds,
                               bool *done_p);
xh_status_t hyb_emu_event_elapsed(void *state, void *begin, void *end,
                                  double *seconds_p);
xh_status_t hyb_emu_queue_work(void *state, void *queue,
                               const hyb_task_t *task);

/* ---- work.c ------------------------------------------------------------- */

/* Is `task` a copy from another device's memory? */
bool hyb_emu_is_from_peer(const hyb_task_t *task);

/* Amount of work: bytes of a copy over a link, flop of any other task. */
double hyb_emu_amount(const hyb_task_t *task);

/*
 * Do `task` on the calling thread; if `flips`, flip a bit of its result.
 * Errors: XH_ERR_MEMORY  of the host, for a product
 *         XH_ERR_ARG     a row number is outside its block
 */
xh_status_t hyb_emu_work(const hyb_task_t *task, bool flips);

/* Do only what processes must agree on, for a dry device: copy single columns,
 * and propose pivots on the diagonal. */
void hyb_emu_dry_run(const hyb_task_t *task);
