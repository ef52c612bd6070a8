/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"
#include "base/status.h"
#include "hybrid/device/gemm_config.h"
#include "hybrid/device/operations.h"
#include "hybrid/device/pinned_memory.h"

/*
 * One accelerator as the solver sees it: buffers of its own memory, in-order
 * queues that run beside the host and beside each other, and events to order
 * them. Work is queued and the call returns at once; an error in the work is
 * reported to the caller who waits for a later event. A device that failed once
 * stays failed: every later call on it returns XH_ERR_DEVICE, except calls that
 * free something. Work that is queued on a failed device may still touch host
 * memory, which therefore stays until the process ends.
 *
 * A backend is a plug-in, libhyb_<name>.so, that exports hyb_backend_entry and
 * includes only this header and headers of base/. A backend gets everything
 * else that it needs in hyb_host_t, so it loads into any program. The functions
 * below check arguments, keep the failed state and call the backend's table.
 * Several threads may call one device at once; one queue is for one thread at a
 * time.
 */
enum {
    HYB_BACKEND_ABI = 9,
    HYB_BACKEND_NAME = 16 /* bytes of the longest name, its end included */
};

typedef struct hyb_device hyb_device_t;
typedef struct hyb_event hyb_event_t;

typedef enum { HYB_QUEUE_NORMAL, HYB_QUEUE_HIGH } hyb_priority_t;

typedef struct {
    char name[64];                  /* "NVIDIA H200", "emulated device" */
    char backend[HYB_BACKEND_NAME]; /* "cuda" */
    int index;            /* index of this device within its backend */
    uint64_t memory;      /* bytes, used and free */
    uint64_t memory_free; /* bytes free when the device was asked */
    double gemm_rate;     /* flop/s, or 0 if unknown before measuring */
    double link_rate;     /* bytes/s each way, or 0 if unknown */
    bool models_time;     /* dry run: results are not computed */
    char pci_address[16]; /* "0000:3b:00.0", "" if none */
    char serial[32];      /* serial number of the board, "" if unknown */
} hyb_device_info_t;

/* What the sensors read now; NaN if the device lacks a sensor. */
typedef struct {
    double temperature; /* degrees Celsius */
    double clock;       /* Hz */
    double power;       /* W */
    double energy;      /* J since an arbitrary fixed moment */
} hyb_device_sensors_t;

/* ---- functions of a backend --------------------------------------------- */

/* Functions that a program gives to its plug-ins; any thread may call them. */
typedef struct {
    /* Return the value, as text, of a setting of settings.def. */
    const char *(*setting)(const char *name);
    /* Log a line about a device of backend. */
    __attribute__((format(printf, 4, 5))) void (*log)(xh_log_level_t level,
                                                      const char *backend,
                                                      int index,
                                                      const char *format, ...);
    /* Return seconds, like xh_clock_now of base/clock.h. */
    double (*now)(void);
    /*
     * C := beta C + alpha op(A) op(B) on the calling thread, with the kernel
     * that the setting `kernel` names; shapes in `product` conform. Errors:
     * XH_ERR_MEMORY, C is untouched
     */
    xh_status_t (*gemm)(const xh_gemm_t *product);
    /* Load and store data about a device's model that is kept from run to run,
     * like hyb_cache_load and hyb_cache_store of cache_file.h. */
    void *(*load)(const char *model, const char *kind, size_t *bytes_p);
    xh_status_t (*store)(const char *model, const char *kind, const void *data,
                         size_t bytes, const char *what);
} hyb_host_t;

/* A buffer as backends see it. The buffer exists until all work that uses it
 * has run; on a failed device, until the device is closed. */
struct hyb_buffer {
    hyb_device_t *device;
    size_t bytes;
    void *memory;       /* result of the backend's buffer_create */
    hyb_buffer_t *next; /* next buffer kept after a failure */
};

/* Host view of `b`, for backends whose memory has addresses; data is NULL if
 * `b` has no elements. */
static inline xh_view_t hyb_view(hyb_device_view_t b)
{
    double *memory = b.buffer != NULL ? b.buffer->memory : NULL;

    return (xh_view_t){memory != NULL ? memory + b.offset : NULL, b.rows,
                       b.cols, b.ld};
}

/*
 * The table of a backend's functions. Its own state is created by open. If
 * enter, sensors, pin, unpin or give_up is NULL, there is nothing to do; if
 * reach is NULL, no device reaches another. Each function does what the public
 * function of its name documents. The caller has checked all arguments, also
 * that blocks and lists lie inside buffers of this device. Work has at least
 * one element, and events are recorded before anybody waits for them. After a
 * call that returned XH_ERR_DEVICE only calls that free something follow: they
 * never wait for the failed device, and free what they can.
 */
typedef struct hyb_backend {
    int abi; /* HYB_BACKEND_ABI */
    const char *name;
    /* The devices are software: count is the largest number that a user may ask
     * for, and only users who ask get one. */
    bool emulated;
    /* "auto" skips these devices, as they may be the host's cores or devices of
     * another backend. */
    bool by_name_only;
    /* The memory of a buffer is an address, which an MPI library may know. */
    bool has_addresses;
    unsigned ops; /* bit op: the backend has the operation; copies always set */

    /* Return the number of devices; *reason_p says why there are none (static
     * text, or NULL). */
    int (*count)(const char **reason_p);
    xh_status_t (*describe)(int index, hyb_device_info_t *info_p);

    /* During open and queue_create this thread runs on cores near the device,
     * and threads that are created inherit them. */
    xh_status_t (*open)(int index, void **state_p);
    /* Called after all queues, events and buffers have been destroyed. */
    void (*close)(void *state);
    /* Called by a thread before each call below that returns a status. */
    xh_status_t (*enter)(void *state);
    /* Report how many bytes buffer_create could still provide. */
    xh_status_t (*memory_left)(void *state, uint64_t *bytes_p);

    xh_status_t (*buffer_create)(void *state, size_t bytes, void **memory_p);
    void (*buffer_destroy)(void *state, void *memory, size_t bytes);

    /* Destroying a queue waits for queued work, unless the device has failed. A
     * backend without priorities treats all queues alike. */
    xh_status_t (*queue_create)(void *state, hyb_priority_t priority,
                                void **queue_p);
    void (*queue_destroy)(void *state, void *queue);
    xh_status_t (*event_create)(void *state, void **event_p);
    void (*event_destroy)(void *state, void *event);
    xh_status_t (*event_record)(void *state, void *queue, void *event);
    xh_status_t (*queue_wait)(void *state, void *queue, void *event);
    /* XH_OK: *done_p says whether the event passed within `seconds`; 0 only
     * looks. */
    xh_status_t (*event_wait)(void *state, void *event, double seconds,
                              bool *done_p);
    /* Report seconds of device time between two events. XH_ERR_ARG: one of them
     * has not passed; not logged. */
    xh_status_t (*event_elapsed)(void *state, void *begin, void *end,
                                 double *seconds_p);
    /* Queue `task`, which is valid only during the call. */
    xh_status_t (*work)(void *state, void *queue, const hyb_task_t *task);

    /*
     * The next three are all NULL if GEMM has only one configuration. If
     * `config` is NULL, the backend chooses. XH_ERR_ARG: the device cannot use
     * `config`; a message at level info says why, and nothing has changed.
     */
    const hyb_gemm_parameter_t *(*parameters)(void *state, int *count_p);
    hyb_gemm_config_t (*config)(void *state, int d);
    xh_status_t (*set_config)(void *state, int d,
                              const hyb_gemm_config_t *config);

    /*
     * From now on let copies read the memory of device `other` of this backend,
     * which is open, over a link between the two devices. Return false if they
     * cannot.
     */
    bool (*reach)(void *state, int other);

    xh_status_t (*sensors)(void *state, hyb_device_sensors_t *sensors_p);
    /*
     * Pin or unpin host memory. XH_ERR_MEMORY: the system refuses, and a
     * warning says so; copies work all the same. Unpinning memory that is not
     * pinned does nothing.
     */
    xh_status_t (*pin)(void *state, void *host, size_t bytes);
    void (*unpin)(void *state, void *host);
    /*
     * Treat the device as failed, although no call has returned an error, as
     * after a stall: from now on never wait for it. Return when it no longer
     * touches host memory, or at once if it cannot be stopped.
     */
    void (*give_up)(void *state);
} hyb_backend_t;

/* The only symbol that a plug-in exports; `host` stays valid. */
__attribute__((visibility("default"))) const hyb_backend_t *
hyb_backend_entry(const hyb_host_t *host);

/* ---- finding and opening ------------------------------------------------ */

/*
 * Choose the devices that the user's option --devices names: "none", "auto"
 * (all devices of every backend that loads, except emulated devices and
 * backends that must be named), or a comma-separated list of backend:selection
 * parts. A selection is a number for emulated devices ("emu:2"; "emu" alone
 * means one) and a list of indices for other devices ("cuda:0,1"; "cuda" alone
 * means all). With "auto" the first process reports what it found, and why it
 * found no more.
 *
 * chosen_p  out  count entries, freed by the caller with free()
 * Errors: XH_ERR_INPUT: unknown backend or index (the message names the valid
 *         ones); what is named is not there; a backend that is asked for by
 *         name does not load. XH_ERR_MEMORY
 */
typedef struct {
    const hyb_backend_t *backend;
    int index;
} hyb_device_choice_t;

xh_status_t hyb_devices_choose(const char *text, hyb_device_choice_t **chosen_p,
                               int *count_p);

/* Like hyb_devices_choose, but write the text of an error into `why_p`, of
 * HYB_DEVICES_WHY bytes, instead of logging it. */
enum { HYB_DEVICES_WHY = 1024 };
xh_status_t hyb_devices_find(const char *text, hyb_device_choice_t **chosen_p,
                             int *count_p, char *why_p);

/*
 * Open a device; its threads may use the cores `cpus`, or any if cpu_count is
 * 0.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY; XH_ERR_INPUT: a setting of the backend
 * is invalid
 */
xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p);

/* Accepts NULL. Memory that a failed device might still touch stays allocated
 * until exit. Order: after all its queues, events and buffers are destroyed. */
void hyb_device_close(hyb_device_t *device);

/* What the device is; memory_free is current. */
xh_status_t hyb_device_describe(hyb_device_t *device,
                                hyb_device_info_t *info_p);
xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p);

/* Has a call on `device` failed? From then on all calls fail. */
bool hyb_device_failed(const hyb_device_t *device);

/*
 * Declare the device failed, as after a stall; only the first call logs `why`.
 * If the backend cannot stop the device, queued work may still reach host
 * memory.
 */
void hyb_device_fail(hyb_device_t *device, const char *why);

bool hyb_device_has(const hyb_device_t *device, hyb_op_t op);

/* The tuning parameters of the device's GEMM, *count_p of them; NULL if there
 * are none. */
const hyb_gemm_parameter_t *hyb_device_gemm_parameters(hyb_device_t *device,
                                                       int *count_p);

/*
 * Get or set the configuration for products of about hyb_gemm_config_depth(d);
 * a new one holds from now on; NULL: the backend's own.
 * Order: while no work is queued.
 * Errors: XH_ERR_ARG: the device has no parameters, or cannot use the
 *         configuration; information says so, and nothing changes.
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_gemm_config(hyb_device_t *device, int d,
                                   hyb_gemm_config_t *config_p);
xh_status_t hyb_device_set_gemm_config(hyb_device_t *device, int d,
                                       const hyb_gemm_config_t *config);

/* From now on let copies on `device` read `other`'s memory over a link between
 * the two. Returns whether they can. */
bool hyb_device_reach(hyb_device_t *device, const hyb_device_t *other);

/* ---- memory ------------------------------------------------------------- */

/*
 * Allocate device memory, uninitialized, aligned to 256 bytes.
 * Errors: XH_ERR_MEMORY (does not fail the device), XH_ERR_DEVICE
 */
xh_status_t hyb_buffer_create(hyb_device_t *device, size_t bytes,
                              hyb_buffer_t **buffer_p);

/* Accepts NULL. On a failed device the memory stays allocated until the device
 * is closed.
 * Order: after all work that uses the buffer has run. */
void hyb_buffer_destroy(hyb_buffer_t *buffer);

/*
 * Allocate or free host memory that copies reach at full speed without
 * blocking. If the system refuses to pin the memory, a warning says so and the
 * memory is ordinary: copies are slower, and may block. Free accepts NULL; on a
 * failed device it keeps the memory, which copies may still reach.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes);

/*
 * Pin existing host memory until unpin, which ignores memory that is not
 * pinned.
 * Errors: XH_ERR_MEMORY: the system refuses, logged; copies work all the same.
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes);
void hyb_device_unpin(hyb_device_t *device, double *memory);

/*
 * From now on split copies so that none crosses from one segment of a matrix in
 * `pinned` into the next. `pinned` is borrowed until the device is closed, and
 * must not change while copies are queued.
 */
void hyb_device_cut_copies(hyb_device_t *device,
                           const hyb_pinned_memory_t *pinned);

/* Address of the first element of `b`, for an MPI library that supports such
 * devices; NULL if only the backend knows it. */
double *hyb_device_view_address(hyb_device_view_t b);

/* ---- queues and events -------------------------------------------------- */

/* Create a queue. Work of high priority begins first, if the backend supports
 * priorities. */
xh_status_t hyb_queue_create(hyb_device_t *device, hyb_priority_t priority,
                             hyb_queue_t **queue_p);

/* Destroy a queue; accepts NULL. Waits for queued work unless the device has
 * failed, so declare a stalled device failed first. */
void hyb_queue_destroy(hyb_queue_t *queue);

xh_status_t hyb_event_create(hyb_device_t *device, hyb_event_t **event_p);
void hyb_event_destroy(hyb_event_t *event); /* accepts NULL */

/* Let `event` pass as soon as all work queued on `queue` so far is done. */
xh_status_t hyb_event_record(hyb_queue_t *queue, hyb_event_t *event);

/* Let later work on `queue` wait until `event`, as last recorded, has
 * passed. */
xh_status_t hyb_queue_wait(hyb_queue_t *queue, hyb_event_t *event);

/*
 * Block this thread until `event` has passed, at most `seconds`; 0 only looks.
 * An event never recorded has passed.
 * Errors: XH_ERR_DEVICE: work before the event failed
 */
xh_status_t hyb_event_wait(hyb_event_t *event, double seconds, bool *done_p);

/* Like hyb_event_wait, but declare the device failed if the event has not
 * passed within `seconds`. */
xh_status_t hyb_event_await(hyb_event_t *event, double seconds);

/*
 * Seconds of device time from `begin` to `end`, on one device.
 * Errors: XH_ERR_ARG: one of the events was not recorded or has not passed;
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p);

typedef struct {         /* what a device's queues were given so far */
    uint64_t in, out;    /* bytes of copies from the host, and to the host */
    uint64_t operations; /* copies, products and kernels; events do not count */
} hyb_traffic_t;

hyb_traffic_t hyb_device_traffic(const hyb_device_t *device);
