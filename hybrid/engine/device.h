/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_H
#define HYB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"
#include "hybrid/engine/view.h"

/*
 * One accelerator as the engine sees it: memory of its own, in-order queues
 * that run beside the host and beside each other, and events to order them.
 * Work is queued and returns at once; what goes wrong while it runs shows when
 * an event behind it is waited for. A device that failed once stays failed:
 * every later call on it returns XH_ERR_DEVICE, except close and free.
 *
 * A backend is a plug-in, libhyb_<name>.so, that exports
 *
 *     const hyb_backend_t *hyb_backend_entry(void);
 *
 * and sees this header and base/ only. The functions below check arguments,
 * keep the failed state and call the backend's table. Calls on one device may
 * come from several threads at once, on one queue from one thread at a time.
 */
enum { HYB_BACKEND_ABI = 1 };

typedef struct hyb_device hyb_device_t;
typedef struct hyb_queue hyb_queue_t;
typedef struct hyb_event hyb_event_t;

typedef struct {
    char name[64];        /* "NVIDIA H200", "emulated device" */
    char backend[16];     /* "cuda" */
    int index;            /* of this device within its backend */
    uint64_t memory;      /* bytes in all */
    uint64_t memory_free; /* bytes at the time of asking */
    double gemm_rate;     /* flop/s if known before measuring, else 0 */
    double link_rate;     /* bytes/s each way if known, else 0 */
    bool models_time;     /* dry: results are not computed */
    char pci_address[16]; /* "0000:3b:00.0", "" if none; for topology */
} hyb_device_info_t;

/* what a sensor tells now; NaN where the device does not tell */
typedef struct {
    double temperature; /* degrees Celsius */
    double clock;       /* Hz */
    double power;       /* W */
} hyb_device_sensors_t;

/*
 * What a backend fills in. State is the backend's own, opened by open. A NULL
 * from `gemm` down means "not supported": the engine then works on the host.
 * Functions documented below behave the same.
 */
typedef struct hyb_backend {
    int abi; /* HYB_BACKEND_ABI */
    const char *name;

    /* Devices present, and why there are none (static text, or NULL). */
    int (*count)(const char **reason_p);
    xh_status_t (*describe)(int index, hyb_device_info_t *info_p);

    /* cpus: the cores, by number, that threads of this device may use; the
     * list is borrowed during the call. cpu_count 0: no restriction. */
    xh_status_t (*open)(int index, const int *cpus, int cpu_count,
                        void **state_p);
    void (*close)(void *state);
    xh_status_t (*sensors)(void *state, hyb_device_sensors_t *sensors_p);

    xh_status_t (*alloc)(void *state, size_t bytes, void **memory_p);
    void (*free)(void *state, void *memory);
    xh_status_t (*pin)(void *state, void *host, size_t bytes);
    void (*unpin)(void *state, void *host);

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

    xh_status_t (*copy_in)(void *state, void *queue, hyb_view_t from_host,
                           hyb_view_t to_device);
    xh_status_t (*copy_out)(void *state, void *queue, hyb_view_t from_device,
                            hyb_view_t to_host);

    xh_status_t (*gemm)(void *state, void *queue, const hyb_gemm_t *product);
} hyb_backend_t;

/* ---- finding and opening ------------------------------------------------ */

/*
 * Load the backend called name from, in this order: XHPL_PLUGIN_DIR, the
 * executable's folder, ../lib/xhpl beside it. The result stays valid and is
 * the same at each call.
 *
 * Errors: XH_ERR_INPUT   no such plug-in in these folders (each is named)
 *         XH_ERR_DEVICE  it does not load: the loader's message is logged
 */
xh_status_t hyb_backend_load(const char *name, const hyb_backend_t **backend_p);

/*
 * The devices that a user's --devices asks for: "none", "auto" (all of every
 * backend that loads and computes for real), or a comma-separated list of
 * backend:selection parts in which a selection is a number of devices for
 * emu ("emu:2") and indices for others ("cuda:0,1"; "cuda" alone means all).
 *
 * chosen_p  out  count entries, freed by the caller with free()
 * Errors: XH_ERR_INPUT  unknown backend or index: said with what there is
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
 */
xh_status_t hyb_device_open(hyb_device_choice_t choice, const int *cpus,
                            int cpu_count, hyb_device_t **device_p);

/*
 * Give the device back. Work that is still queued is finished or, on a failed
 * device, abandoned; memory it might still touch is then kept until exit.
 * Accepts NULL.
 */
void hyb_device_close(hyb_device_t *device);

/* What the device is; memory_free is current. */
xh_status_t hyb_device_describe(hyb_device_t *device,
                                hyb_device_info_t *info_p);
xh_status_t hyb_device_sensors(hyb_device_t *device,
                               hyb_device_sensors_t *sensors_p);

/* Has a call on device failed? From then on all fail. */
bool hyb_device_failed(const hyb_device_t *device);

/* Declare the device failed, as after a stall; why is logged once. */
void hyb_device_fail(hyb_device_t *device, const char *why);

/* ---- memory ------------------------------------------------------------- */

/*
 * Device memory. Errors: XH_ERR_MEMORY (does not fail the device),
 * XH_ERR_DEVICE.
 */
xh_status_t hyb_device_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_device_free(hyb_device_t *device, double *memory);

/*
 * Host memory that copies reach at full speed and without blocking, from
 * allocation to free. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes);

/* ---- queues and events -------------------------------------------------- */

xh_status_t hyb_queue_create(hyb_device_t *device, hyb_queue_t **queue_p);
void hyb_queue_destroy(hyb_queue_t *queue); /* accepts NULL */

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

/* Seconds of device time from begin to end; both have passed. */
xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p);

/* ---- work; each returns before it has run ------------------------------- */

/* Copy between host (best pinned) and device memory; equal shapes. */
xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, hyb_view_t from_host,
                              hyb_view_t to_device);
xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, hyb_view_t from_device,
                               hyb_view_t to_host);

/*
 * C := beta C + alpha op(A) op(B)
 * Errors: XH_ERR_ARG  shapes do not conform, or ld < rows
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const hyb_gemm_t *product);

/* Bytes that copies on this device have moved in and out so far. */
void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p);

#endif
