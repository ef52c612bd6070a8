/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_H
#define HYB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"
#include "base/status.h"
#include "base/view.h"

/*
 * One accelerator as the engine sees it: memory of its own, in-order queues
 * that run beside the host and beside each other, and events to order them.
 * Work is queued and returns at once; what goes wrong while it runs shows when
 * an event behind it is waited for. A device that failed once stays failed:
 * every later call on it returns XH_ERR_DEVICE, except what gives something
 * back. Once a backend has returned XH_ERR_DEVICE, nothing that was queued
 * touches host memory any more. The first to find a failure logs it.
 *
 * A backend is a plug-in, libhyb_<name>.so, that exports hyb_backend_entry and
 * sees this header, base/view.h and headers of base/ only. All that it
 * needs from the program is in hyb_host_t, so it loads into any program. The
 * functions below check arguments, keep the failed state and call the
 * backend's table. Calls on one device may come from several threads at once,
 * on one queue from one thread at a time.
 */
enum {
    HYB_BACKEND_ABI = 3,
    HYB_BACKEND_NAME = 16 /* bytes of the longest name, with its end */
};

typedef struct hyb_device hyb_device_t;
typedef struct hyb_queue hyb_queue_t;
typedef struct hyb_event hyb_event_t;

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
} hyb_device_info_t;

/* what a sensor tells now; NaN where the device does not tell */
typedef struct {
    double temperature; /* degrees Celsius */
    double clock;       /* Hz */
    double power;       /* W */
    double energy;      /* J, counted from some moment on */
} hyb_device_sensors_t;

/* What a program gives to the plug-ins that it loads; any thread may call. */
typedef struct {
    /* Value of a setting, as text; NULL if there is none of that name. */
    const char *(*setting)(const char *name);
    void (*log)(xh_log_level_t level, const char *text);
    /* Seconds, as xh_clock_now of base/clock.h. */
    double (*now)(void);
    /* C := beta C + alpha op(A) op(B) on the calling thread, with what the
     * setting kernel says; product conforms. Errors: XH_ERR_MEMORY  C is
     * untouched */
    xh_status_t (*gemm)(const xh_gemm_t *product);
} hyb_host_t;

/*
 * What a backend fills in. State is the backend's own, opened by open. NULL
 * instead of a function from `sensors` on means "not supported": the engine
 * then works on the host. Functions documented below behave the same; they
 * find their arguments checked as far as that needs no device, copies are of
 * one element at least, and no call but those that give back follows one that
 * returned XH_ERR_DEVICE.
 */
typedef struct hyb_backend {
    int abi; /* HYB_BACKEND_ABI */
    const char *name;
    /* Software devices: count is how many may be asked for at most, and
     * nobody gets one without asking. */
    bool emulated;

    /* Devices present, and why there are none (static text, or NULL). */
    int (*count)(const char **reason_p);
    xh_status_t (*describe)(int index, hyb_device_info_t *info_p);

    /* cpus: the cores, by number, that threads of this device may use; the
     * list is borrowed during the call. cpu_count 0: no restriction. */
    xh_status_t (*open)(int index, const int *cpus, int cpu_count,
                        void **state_p);
    /* Finish what is queued; or abandon it, where nothing may be waited for.
     * Queues that were not destroyed go too. */
    void (*close)(void *state, bool abandon);
    /* Bytes that alloc could still give. */
    xh_status_t (*memory_left)(void *state, uint64_t *bytes_p);

    xh_status_t (*alloc)(void *state, size_t bytes, void **memory_p);
    void (*free)(void *state, void *memory);

    /* Neither destroy waits for work that is still queued. */
    xh_status_t (*queue_create)(void *state, void **queue_p);
    void (*queue_destroy)(void *state, void *queue);
    xh_status_t (*event_create)(void *state, void **event_p);
    void (*event_destroy)(void *state, void *event);
    xh_status_t (*event_record)(void *state, void *queue, void *event);
    xh_status_t (*queue_wait)(void *state, void *queue, void *event);
    /* XH_OK: *done_p says whether it passed within seconds (0: only look) */
    xh_status_t (*event_wait)(void *state, void *event, double seconds,
                              bool *done_p);
    /* seconds of device time between two passed events of one device */
    xh_status_t (*event_elapsed)(void *state, void *begin, void *end,
                                 double *seconds_p);

    xh_status_t (*copy_in)(void *state, void *queue, xh_view_t from_host,
                           xh_view_t to_device);
    xh_status_t (*copy_out)(void *state, void *queue, xh_view_t from_device,
                            xh_view_t to_host);

    xh_status_t (*sensors)(void *state, hyb_device_sensors_t *sensors_p);
    /* XH_ERR_MEMORY: the system refuses, as a warning says; copies reach the
     * memory all the same. Memory that is not pinned unpins quietly. */
    xh_status_t (*pin)(void *state, void *host, size_t bytes);
    void (*unpin)(void *state, void *host);
    xh_status_t (*gemm)(void *state, void *queue, const xh_gemm_t *product);
    /* The device counts as failed from now on, as after a stall, though it has
     * not said so: call nothing any more that may wait for it. Return when it
     * touches host memory no more, or at once where it cannot be stopped. */
    void (*give_up)(void *state);
} hyb_backend_t;

/* The one symbol of a plug-in; host stays valid. */
__attribute__((visibility("default"))) const hyb_backend_t *
hyb_backend_entry(const hyb_host_t *host);

/* ---- finding and opening ------------------------------------------------ */

/*
 * Load the backend called name from, in this order: the setting plugin_dir
 * (XHPL_PLUGIN_DIR) if given, the executable's folder, ../lib/xhpl beside it.
 * The result stays valid and is the same at each call.
 *
 * Errors: XH_ERR_INPUT   no such plug-in in these folders (each is named)
 *         XH_ERR_DEVICE  it does not load: the loader's message is logged
 */
xh_status_t hyb_backend_load(const char *name, const hyb_backend_t **backend_p);

/*
 * The devices that a user's --devices asks for: "none", "auto" (all of every
 * backend that loads and is not emulated), or a comma-separated list of
 * backend:selection parts in which a selection is a number of devices for
 * emulated ones ("emu:2"; "emu" alone means one) and indices for others
 * ("cuda:0,1"; "cuda" alone means all). Why "auto" or "cuda" found none is
 * logged.
 *
 * chosen_p  out  count entries, freed by the caller with free()
 * Errors: XH_ERR_INPUT   unknown backend or index: said with what there is
 *         XH_ERR_DEVICE  a backend that is asked for by name does not load
 *         XH_ERR_MEMORY
 */
typedef struct {
    const hyb_backend_t *backend;
    int index;
} hyb_device_choice_t;

xh_status_t hyb_devices_choose(const char *text, hyb_device_choice_t **chosen_p,
                               int *count_p);

/*
 * Open a device; cpus as in hyb_backend_t.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 *         XH_ERR_INPUT  a setting of the backend makes no sense
 */
xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p);

/*
 * Give the device back. Work that is still queued is finished or, on a failed
 * device, abandoned; memory it might still touch is then kept until exit.
 * Accepts NULL.
 * Order: after its queues, events and memory were given back.
 */
void hyb_device_close(hyb_device_t *device);

/* What the device is; memory_free is current. */
xh_status_t hyb_device_describe(hyb_device_t *device,
                                hyb_device_info_t *info_p);
xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p);

/* Has a call on device failed? From then on all fail. */
bool hyb_device_failed(const hyb_device_t *device);

/*
 * Declare the device failed, as after a stall; why is logged once. Where the
 * backend cannot stop it, work that is queued may still reach host memory.
 */
void hyb_device_fail(hyb_device_t *device, const char *why);

/* ---- memory ------------------------------------------------------------- */

/*
 * Device memory. Errors: XH_ERR_MEMORY (does not fail the device),
 * XH_ERR_DEVICE. Free accepts NULL; no queued work may use the memory then.
 */
xh_status_t hyb_device_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_device_free(hyb_device_t *device, double *memory);

/*
 * Host memory that copies reach at full speed and without blocking, from
 * allocation to free. Where the system refuses to pin it, as a warning then
 * says, it is as any other: copies are slower, and may block. Free accepts
 * NULL; on a failed device it keeps the memory, which copies may still reach.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes);

/*
 * Make host memory that already exists as good as pinned memory, until unpin,
 * which leaves memory that is not pinned as it is; a backend that has no need
 * of it succeeds.
 * Errors: XH_ERR_MEMORY  the system refuses: said; copies work all the same
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes);
void hyb_device_unpin(hyb_device_t *device, double *memory);

/* ---- queues and events -------------------------------------------------- */

xh_status_t hyb_queue_create(hyb_device_t *device, hyb_queue_t **queue_p);

/* Accepts NULL. Returns at once; what is still queued runs on. */
void hyb_queue_destroy(hyb_queue_t *queue);

xh_status_t hyb_event_create(hyb_device_t *device, hyb_event_t **event_p);
void hyb_event_destroy(hyb_event_t *event); /* accepts NULL */

/* Let event pass when the work queued on queue so far is done. */
xh_status_t hyb_event_record(hyb_queue_t *queue, hyb_event_t *event);

/* Let later work on queue wait until event, as last recorded, has passed. */
xh_status_t hyb_queue_wait(hyb_queue_t *queue, hyb_event_t *event);

/*
 * Block this thread until event has passed, at most seconds; 0 only looks. An
 * event never recorded has passed.
 * Errors: XH_ERR_DEVICE  work before event failed
 */
xh_status_t hyb_event_wait(hyb_event_t *event, double seconds, bool *done_p);

/*
 * Seconds of device time from begin to end, of one device.
 * Errors: XH_ERR_ARG     one of them was not recorded or has not passed
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p);

/* ---- work; each returns before it has run ------------------------------- */

/*
 * Copy between host (best pinned) and device memory; equal shapes, one of no
 * elements does nothing.
 * Errors: XH_ERR_ARG     shapes differ, ld < rows, or memory of the wrong kind
 *         XH_ERR_MEMORY  for what the backend needs besides; nothing is queued
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              xh_view_t to_device);
xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, xh_view_t from_device,
                               xh_view_t to_host);

/*
 * C := beta C + alpha op(A) op(B)
 * Errors: XH_ERR_ARG     shapes do not conform, ld < rows, memory that is not
 *                        the device's, or the backend has no gemm
 *         XH_ERR_MEMORY  for what the backend needs besides; nothing is queued
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const xh_gemm_t *product);

/* Bytes that copies on this device have moved in and out so far. */
void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p);

#endif
