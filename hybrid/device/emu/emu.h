/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A software device. Each queue is a thread that takes commands in order. Three
 * links and a compute engine are shared by all queues. Each serves one command
 * at a time, in the order in which they come; the engine has one more lane, for
 * queues of high priority.
 *
 * Time: a command begins when its queue's previous one has ended, the event
 * that it waits for has passed, it was queued, and its resource is free;
 * whichever is last. It ends after its amount of work divided by the resource's
 * rate, and not before the work is done. The device computes the end and its
 * thread sleeps until then, so late wake-ups do not add up. A dry device does
 * next to no work: its times are those of the model alone.
 *
 * What is on the high lane interrupts what is on the normal one, which goes on
 * afterwards and ends so much later. But a panel step whose rate is given waits
 * for memory and for itself most of the time, and takes of the engine only what
 * it would at the engine's own rate. This is the model; the work itself runs
 * beside it, on another thread.
 */
#include <pthread.h>
#include "hybrid/device/device.h"

typedef enum {
    HYB_EMU_LINK_IN,
    HYB_EMU_LINK_OUT,
    HYB_EMU_PEER, /* what it reads of other devices */
    HYB_EMU_ENGINE,
    HYB_EMU_HIGH, /* its lane for queues of high priority */
    HYB_EMU_RESOURCES
} hyb_emu_resource_t;

/* What can have a fault: first each hyb_op_t, under its number. */
enum {
    HYB_EMU_EVENT_RECORD = HYB_OPS, /* all before, and these two, are queued */
    HYB_EMU_QUEUE_WAIT,
    HYB_EMU_ALLOC,
    HYB_EMU_PIN,
    HYB_EMU_QUEUE_CREATE,
    HYB_EMU_EVENT_CREATE,
    HYB_EMU_CALLS
};

/*
 * Faults on demand, from the setting emu_fault: "", or a comma-separated list
 * of [device:]kind@call:nth. The nth of these calls, counted from 1 on each
 * device (or on that one only), then
 */
typedef enum {
    HYB_EMU_NO_FAULT,
    HYB_EMU_FAIL,  /* fails: what is queued when it runs, else the call */
    HYB_EMU_OOM,   /* returns XH_ERR_MEMORY and has done nothing; not
                      event_record and queue_wait */
    HYB_EMU_STALL, /* never completes until the device is given up; what is
                      queued only */
    HYB_EMU_FLIP,  /* computes a result of which one element has bit 62 flipped;
                      hyb_op_t only */
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

typedef struct { /* of the last command, in time */
    double begin, end;
} hyb_emu_span_t;

typedef struct { /* all but the first group is guarded by lock */
    int index;
    bool dry;
    double rate[HYB_EMU_RESOURCES]; /* bytes/s or flop/s; 0: no limit */

    pthread_mutex_t lock;
    pthread_cond_t changed;     /* a mark has passed or a resource is free */
    size_t memory, memory_used; /* bytes */
    hyb_emu_faults_t faults;
    hyb_emu_queue_t *queues;
    struct {
        long came, served; /* commands */
        bool busy;         /* one of them is at work */
        hyb_emu_span_t span;
    } resources[HYB_EMU_RESOURCES];
    bool failed;
} hyb_emu_device_t;

/* A queue; its thread runs commands, the first one first. */
struct hyb_emu_queue {
    hyb_emu_device_t *device;
    pthread_t thread;
    pthread_cond_t wake; /* there is a command, or a reason to stop */
    hyb_priority_t priority;
    struct hyb_emu_command *first, **end;
    double time;  /* when its last command ended */
    bool running; /* its thread runs a command */
    bool ended;   /* no command will follow */
    hyb_emu_queue_t *next;
};

/* ---- emu.c -------------------------------------------------------------- */

/* The program; set once, before anything is called. */
extern const hyb_host_t *hyb_emu_host;

/* A condition that waits by the monotonic clock. */
void hyb_emu_condition_init(pthread_cond_t *condition);

/* With device locked: it has failed. Queued work no longer runs, all who wait
 * wake up. */
void hyb_emu_declare_failed(hyb_emu_device_t *device);

/* The same; returns XH_ERR_DEVICE once running work has ended; that wait
 * unlocks. */
xh_status_t hyb_emu_fail(hyb_emu_device_t *device);

/* ---- faults.c ----------------------------------------------------------- */

/* Keep those for this device. Errors: XH_ERR_INPUT  text is no such list */
xh_status_t hyb_emu_read_faults(const char *text, hyb_emu_device_t *device);

/*
 * With device locked: count a call. A fault of the call itself happens here;
 * the fault of what is queued is in *fault_p. Errors: XH_ERR_DEVICE,
 * XH_ERR_MEMORY
 */
xh_status_t hyb_emu_admit(hyb_emu_device_t *device, int call,
                          hyb_emu_fault_t *fault_p);

/* ---- queue.c ------------------------------------------------------------ */

/* The backend's own functions, as in hyb_backend_t. */
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

/* Is it a copy of another device's memory? */
bool hyb_emu_is_from_peer(const hyb_task_t *task);

/* Bytes of a copy by a link, flop of everything else. */
double hyb_emu_amount(const hyb_task_t *task);

/*
 * Do it, on the calling thread, and flip a bit of the result if it flips.
 * Errors: XH_ERR_MEMORY  of the host, for a product
 *         XH_ERR_ARG     a row number is not in its block
 */
xh_status_t hyb_emu_work(const hyb_task_t *task, bool flips);

/* What a dry device does of it, so that processes agree: it copies what is one
 * column, and proposes pivots on the diagonal. */
void hyb_emu_pretend(const hyb_task_t *task);
