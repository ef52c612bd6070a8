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
 * them. Work is queued and the call returns at once; an error in the work shows
 * when an event behind it is waited for. A device that failed once stays
 * failed: every later call on it returns XH_ERR_DEVICE, except calls that give
 * something back. Work that is queued on a failed device may still touch host
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
    HYB_BACKEND_NAME = 16 /* bytes of the longest name, with its end */
};

typedef struct hyb_device hyb_device_t;
typedef struct hyb_event hyb_event_t;

typedef enum { HYB_QUEUE_NORMAL, HYB_QUEUE_HIGH } hyb_priority_t;

typedef struct {
    char name[64];                  /* "NVIDIA H200", "emulated device" */
    char backend[HYB_BACKEND_NAME]; /* "cuda" */
    int index;                      /* of this device within its backend */
    uint64_t memory;                /* bytes in all */
    uint64_t memory_free;           /* bytes at the time of asking */
    double gemm_rate;               /* flop/s if known before measuring, or 0 */
    double link_rate;               /* bytes/s each way if known, or 0 */
    bool models_time;               /* dry: results are not computed */
    char pci_address[16];           /* "0000:3b:00.0", "" if none */
    char serial[32];                /* of the board, "" if not told */
} hyb_device_info_t;

/* What the sensors read now; NaN where the device has no such sensor. */
typedef struct {
    double temperature; /* degrees Celsius */
    double clock;       /* Hz */
    double power;       /* W */
    double energy;      /* J since some fixed moment */
} hyb_device_sensors_t;

/* ---- what a backend brings ---------------------------------------------- */

/* Functions that a program gives to its plug-ins; any thread may call them. */
typedef struct {
    /* Value of a setting of settings.def, as text. */
    const char *(*setting)(const char *name);
    /* Log a line about a device of backend. */
    __attribute__((format(printf, 4, 5))) void (*log)(xh_log_level_t level,
                                                      const char *backend,
                                                      int index,
                                                      const char *format, ...);
    /* Seconds, as xh_clock_now of base/clock.h. */
    double (*now)(void);
    /*
     * C := beta C + alpha op(A) op(B) on the calling thread, with the kernel
     * that the setting `kernel` names; `product` conforms. Errors:
     * XH_ERR_MEMORY, C is untouched
     */
    xh_status_t (*gemm)(const xh_gemm_t *product);
    /* What is kept of a device's model from run to run, one file for each kind;
     * as hyb_cache_load and hyb_cache_store of cache_file.h. */
    void *(*load)(const char *model, const char *kind, size_t *bytes_p);
    xh_status_t (*store)(const char *model, const char *kind, const void *data,
                         size_t bytes, const char *what);
} hyb_host_t;

/* A buffer as backends see it. The buffer stays until work that uses it has
 * run; on a failed device until that is closed. */
struct hyb_buffer {
    hyb_device_t *device;
    size_t bytes;
    void *memory;       /* what the backend's buffer_create gave */
    hyb_buffer_t *next; /* next of the buffers that a failed device keeps */
};

/* Where `b` is, if the backend's memory has addresses; data NULL: it has no
 * elements. */
static inline xh_view_t hyb_view(hyb_device_view_t b)
{
    double *memory = b.buffer != NULL ? b.buffer->memory : NULL;

    return (xh_view_t){memory != NULL ? memory + b.offset : NULL, b.rows,
                       b.cols, b.ld};
}

/*
 * What a backend fills in. The state is the backend's own, made by open. NULL
 * in place of enter, sensors, pin, unpin or give_up means "nothing to do", and
 * of reach "no". Each function does what the public function of its name
 * documents. Arguments have been checked, down to the bounds of blocks and
 * lists and the device of their buffers. Work has at least one element; events
 * have been recorded before anybody waits for them. After a call that returned
 * XH_ERR_DEVICE only calls that give something back follow: they never wait for
 * a failed device, and give back what they can.
 */
typedef struct hyb_backend {
    int abi; /* HYB_BACKEND_ABI */
    const char *name;
    /* Software devices: count is the number that a user may ask for at most,
     * and only users who ask get one. */
    bool emulated;
    /* "auto" leaves its devices out: they may be the host's cores, or another
     * backend's devices. */
    bool by_name_only;
    /* The memory of a buffer is an address, which an MPI library may know. */
    bool has_addresses;
    unsigned ops; /* bit op: it has the operation; the copies always */

    /* Devices present, and why there are none (static text, or NULL). */
    int (*count)(const char **reason_p);
    xh_status_t (*describe)(int index, hyb_device_info_t *info_p);

    /* In open and queue_create this thread is on cores near the device, and
     * threads that are made there inherit them. */
    xh_status_t (*open)(int index, void **state_p);
    /* Queues, events and buffers have been given back before. */
    void (*close)(void *state);
    /* Called by a thread before each call below that returns a status. */
    xh_status_t (*enter)(void *state);
    /* Bytes that buffer_create could still give. */
    xh_status_t (*memory_left)(void *state, uint64_t *bytes_p);

    xh_status_t (*buffer_create)(void *state, size_t bytes, void **memory_p);
    void (*buffer_destroy)(void *state, void *memory, size_t bytes);

    /* Destroy waits for work that is queued, if the device has not failed. A
     * backend without priorities makes all queues alike. */
    xh_status_t (*queue_create)(void *state, hyb_priority_t priority,
                                void **queue_p);
    void (*queue_destroy)(void *state, void *queue);
    xh_status_t (*event_create)(void *state, void **event_p);
    void (*event_destroy)(void *state, void *event);
    xh_status_t (*event_record)(void *state, void *queue, void *event);
    xh_status_t (*queue_wait)(void *state, void *queue, void *event);
    /* XH_OK: *done_p says whether the event passed within `seconds` (0: only
     * look) */
    xh_status_t (*event_wait)(void *state, void *event, double seconds,
                              bool *done_p);
    /* Seconds of device time between two events; XH_ERR_ARG: one has not
     * passed; not logged */
    xh_status_t (*event_elapsed)(void *state, void *begin, void *end,
                                 double *seconds_p);
    /* Queue `task`, which is valid during the call. */
    xh_status_t (*work)(void *state, void *queue, const hyb_task_t *task);

    /*
     * The next three may all be NULL: GEMM has one configuration. `config` NULL
     * is the backend's own. XH_ERR_ARG: the device cannot use it, information
     * says why, and nothing has changed.
     */
    const hyb_gemm_parameter_t *(*parameters)(void *state, int *count_p);
    hyb_gemm_config_t (*config)(void *state, int d);
    xh_status_t (*set_config)(void *state, int d,
                              const hyb_gemm_config_t *config);

    /*
     * Let copies read the memory of device number `other` of this backend,
     * which is open, by a link between the two from now on; false: they
     * cannot.
     */
    bool (*reach)(void *state, int other);

    xh_status_t (*sensors)(void *state, hyb_device_sensors_t *sensors_p);
    /*
     * XH_ERR_MEMORY: the system refuses, and a warning says so; copies reach
     * the memory all the same. Unpinning memory that is not pinned does
     * nothing.
     */
    xh_status_t (*pin)(void *state, void *host, size_t bytes);
    void (*unpin)(void *state, void *host);
    /*
     * From now on the device counts as failed, as after a stall, although it
     * has not said so: call nothing any more that may wait for it. Return when
     * it touches host memory no more, or at once if it cannot be stopped.
     */
    void (*give_up)(void *state);
} hyb_backend_t;

/* The one symbol of a plug-in; host stays valid. */
__attribute__((visibility("default"))) const hyb_backend_t *
hyb_backend_entry(const hyb_host_t *host);

/* ---- finding and opening ------------------------------------------------ */

/*
 * Choose the devices that a user's --devices asks for: "none", "auto" (all
 * devices of every backend that loads, except emulated ones and backends that
 * one has to name), or a comma-separated list of backend:selection parts. A
 * selection is a number of devices for emulated ones ("emu:2"; "emu" alone
 * means one) and indices for others ("cuda:0,1"; "cuda" alone means all). With
 * "auto" the first process says what it found, and why there is no more.
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

/* Choose devices, but put the text of an error into `why_p`, of HYB_DEVICES_WHY
 * bytes, instead of logging it. */
enum { HYB_DEVICES_WHY = 1024 };
xh_status_t hyb_devices_find(const char *text, hyb_device_choice_t **chosen_p,
                             int *count_p, char *why_p);

/*
 * Open a device, whose threads may use these cores; cpu_count 0: any core.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY; XH_ERR_INPUT: a setting of the backend
 *         makes no sense
 */
xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p);

/* Accepts NULL. Memory that a failed device might still touch stays allocated
 * until exit. Order: after its queues, events and buffers were destroyed. */
void hyb_device_close(hyb_device_t *device);

/* What the device is; memory_free is current. */
xh_status_t hyb_device_describe(hyb_device_t *device,
                                hyb_device_info_t *info_p);
xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p);

/* Has a call on `device` failed? From then on all calls fail. */
bool hyb_device_failed(const hyb_device_t *device);

/*
 * Declare the device failed, as after a stall; the first call logs `why`. If
 * the backend cannot stop the device, queued work may still reach host memory.
 */
void hyb_device_fail(hyb_device_t *device, const char *why);

bool hyb_device_has(const hyb_device_t *device, hyb_op_t op);

/* The tuning parameters of the device's GEMM, *count_p of them, or none and
 * NULL. */
const hyb_gemm_parameter_t *hyb_device_gemm_parameters(hyb_device_t *device,
                                                       int *count_p);

/*
 * Get or set the configuration for products of about hyb_gemm_config_depth(d);
 * it holds from now on; NULL: the backend's own.
 * Order: while no work is queued.
 * Errors: XH_ERR_ARG: the device has no parameters, or cannot use the
 *         configuration;
 *         information says so, and nothing has changed. XH_ERR_DEVICE
 */
xh_status_t hyb_device_gemm_config(hyb_device_t *device, int d,
                                   hyb_gemm_config_t *config_p);
xh_status_t hyb_device_set_gemm_config(hyb_device_t *device, int d,
                                       const hyb_gemm_config_t *config);

/* Let copies of `device` read `other`'s memory from now on, by a link between
 * the two. Can they? */
bool hyb_device_reach(hyb_device_t *device, const hyb_device_t *other);

/* ---- memory ------------------------------------------------------------- */

/*
 * Device memory, its content undefined, aligned to 256 bytes.
 * Errors: XH_ERR_MEMORY (does not fail the device), XH_ERR_DEVICE
 */
xh_status_t hyb_buffer_create(hyb_device_t *device, size_t bytes,
                              hyb_buffer_t **buffer_p);

/* Accepts NULL. On a failed device the memory stays allocated until close.
 * Order: after all work that uses the buffer has run. */
void hyb_buffer_destroy(hyb_buffer_t *buffer);

/*
 * Host memory that copies reach at full speed and without blocking, from
 * allocation to free. If the system refuses to pin it, a warning says so and
 * the memory is ordinary: copies are slower, and may block. Free accepts NULL;
 * on a failed device it keeps the memory, which copies may still reach.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes);

/*
 * Make existing host memory as good as pinned memory, until unpin, which leaves
 * memory that is not pinned as it is.
 * Errors: XH_ERR_MEMORY: the system refuses, logged; copies work all the same.
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes);
void hyb_device_unpin(hyb_device_t *device, double *memory);

/*
 * From now on queue copies in parts, none of which crosses from one segment of
 * a matrix of `pinned` into the next. `pinned` is borrowed until the device is
 * closed, and must not change while copies are queued.
 */
void hyb_device_cut_copies(hyb_device_t *device,
                           const hyb_pinned_memory_t *pinned);

/* Where `b` begins, as an MPI library built for such devices takes it; NULL:
 * only the backend knows. */
double *hyb_device_view_address(hyb_device_view_t b);

/* ---- queues and events -------------------------------------------------- */

/* Work on queues of high priority begins first, if the backend can do that. */
xh_status_t hyb_queue_create(hyb_device_t *device, hyb_priority_t priority,
                             hyb_queue_t **queue_p);

/* Destroy a queue; accepts NULL. Waits for queued work, if the device has not
 * failed: declare a stalled device failed before. */
void hyb_queue_destroy(hyb_queue_t *queue);

xh_status_t hyb_event_create(hyb_device_t *device, hyb_event_t **event_p);
void hyb_event_destroy(hyb_event_t *event); /* accepts NULL */

/* Let `event` pass when the work queued on `queue` so far is done. */
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

/* Wait for work that has to be done within `seconds`: a device that takes
 * longer counts as failed. */
xh_status_t hyb_event_await(hyb_event_t *event, double seconds);

/*
 * Seconds of device time from `begin` to `end`, on one device.
 * Errors: XH_ERR_ARG: one of the events was not recorded or has not passed;
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p);

/* Bytes that copies between host and device have moved in and out so far. */
void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p);
