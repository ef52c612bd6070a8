/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A device of the CUDA runtime. A queue is a stream with its own cuBLAS handle
 * and workspace, so several threads can multiply at once; an event is a CUDA
 * event, and a buffer is a CUDA pointer.
 */
#include <stdatomic.h>

/* All headers of the vendor are included here; no code outside this folder sees
 * them. For the plug-in hip, hip.h declares the same names. */
#ifdef HYB_HIP
#include "hybrid/device/hip/hip.h"
#else
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#define HYB_CUDA_NAME "cuda"
#define HYB_CUDA_BLAS "cublas"

/* Workspace bytes that cuBLAS recommends for a handle; `major` 9 is Hopper. */
#define HYB_CUDA_WORKSPACE(major) ((size_t)((major) >= 9 ? 32 : 4) << 20)

#if CUDART_VERSION < 12000
#error "CUDA 12 or later is needed"
#elif CUDART_VERSION < 12080
#include "hybrid/device/cuda/driver.h"
#endif
#endif
#include "hybrid/device/cuda/groups.h"
#include "hybrid/device/device.h"
#include "hybrid/device/kernels/launch.h"

enum {
    HYB_CUDA_PCI_ADDRESS = sizeof(((hyb_device_info_t *)0)->pci_address),
    HYB_CUDA_PANEL_GROUPS = 128 /* groups that share a panel's rows, at most */
};

/* The kernels used by this plug-in. */
#define HYB_CUDA_KERNELS(X)                                                    \
    HYB_LAUNCH_KERNELS(X)                                                      \
    X(PANEL_STEP, panel_step)

#define HYB_CUDA_NUMBER(kernel, name) HYB_CUDA_##kernel,
typedef enum {
    HYB_CUDA_KERNELS(HYB_CUDA_NUMBER) HYB_CUDA_KERNEL_COUNT
} hyb_cuda_kernel_t;

/* ---- open.c ------------------------------------------------------------- */

enum { HYB_CUDA_WHY = 512 }; /* bytes of the longest reason, its end included */

typedef struct { /* a function of a library, and the pointer to set */
    const char *name;
    void *pointer_p;
} hyb_cuda_symbol_t;

/*
 * Open the first library in `files` (NULL-terminated) that exists and has all
 * `symbols` (up to one without a name), and set the symbols' pointers. The
 * library stays open until the process ends. Returns false if there is none;
 * then why_p, of HYB_CUDA_WHY bytes, says what the first file lacks.
 */
bool hyb_cuda_open_library(const char *const *files,
                           const hyb_cuda_symbol_t *symbols, char *why_p);

/* Does the setting fp64 allow cuBLAS to emulate double precision? */
bool hyb_cuda_emulates_doubles(void);

/* ---- library.c ---------------------------------------------------------- */

/*
 * Libraries loaded at run time, so that this plug-in also loads if they are not
 * installed: cuBLAS, and the driver's management library.
 */

/* The functions of cuBLAS that are used; each is the vendor's function of that
 * name. */
typedef struct {
    __typeof__(cublasCreate) *create;
    __typeof__(cublasDestroy) *destroy;
    __typeof__(cublasSetStream) *set_stream;
    __typeof__(cublasSetWorkspace) *set_workspace;
    __typeof__(cublasSetMathMode) *set_math;
    __typeof__(cublasGetMathMode) *math;
    __typeof__(cublasDgemm_64) *dgemm;
    __typeof__(cublasDtrsm_64) *dtrsm;
    __typeof__(cublasDgemv_64) *dgemv;
    __typeof__(cublasGetStatusString) *status_text;
} hyb_cuda_blas_t;

/* Number of devices present; why_p, of HYB_CUDA_WHY bytes, says why there are
 * none. */
int hyb_cuda_find_devices(char *why_p);

/*
 * Load cuBLAS: the major version that this plug-in was built for, or else the
 * other one. Unless hyb_cuda_emulates_doubles(), environment variables cannot
 * make it emulate double precision.
 *
 * why_p  out  HYB_CUDA_WHY bytes: why loading failed
 * Errors: XH_ERR_DEVICE  it does not load
 *         XH_ERR_INPUT   it was loaded before, by the environment's choice of
 *                       precision
 */
xh_status_t hyb_cuda_load_blas(hyb_cuda_blas_t *blas, char *why_p);

/*
 * Ask the management library for the free memory, in bytes, of the device with
 * this PCI address. Returns false if unknown. Neither this nor hyb_cuda_sensors
 * uses the device's context or waits for its work.
 */
bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p);

/* Get the board's serial number from the management library; "" if unknown. */
enum { HYB_CUDA_SERIAL = 32 };
void hyb_cuda_serial(const char *pci_address, char text[HYB_CUDA_SERIAL]);

/* ---- cuda.c ------------------------------------------------------------- */

/* The program's functions; set once, before any call. */
extern const hyb_host_t *hyb_cuda_host;

typedef struct hyb_cuda_queue hyb_cuda_queue_t;

typedef struct {
    const hyb_cuda_blas_t *blas;
    int index;
    uint64_t memory;  /* bytes, used and free */
    size_t workspace; /* bytes of each queue's workspace */
    int processors; /* multiprocessors, if groups can wait for each other, else
                       0 */
    int64_t panel_groups; /* groups of panel_step that fit at once */
    char pci_address[HYB_CUDA_PCI_ADDRESS];
    cudaLibrary_t library;
    cudaKernel_t kernels[HYB_CUDA_KERNEL_COUNT];
    void *jump_table;  /* table for the kernel generate */
    atomic_int failed; /* work may never end: call CUDA no more */
} hyb_cuda_device_t;

/*
 * Convert a CUDA error to a status; `what` names the call in the log. The first
 * failure of a device is logged. Lack of memory is not logged here, because the
 * caller knows how much it asked for. The error is cleared in CUDA.
 * Errors: XH_ERR_MEMORY
 *         XH_ERR_DEVICE  the device has failed
 */
xh_status_t hyb_cuda_status(hyb_cuda_device_t *device, const char *what,
                            cudaError_t error);

/* Convert a result of cuBLAS to a status, like hyb_cuda_status. */
xh_status_t hyb_cuda_blas_status(hyb_cuda_device_t *device, const char *what,
                                 cublasStatus_t result);

/* Log `what` has failed and `why`, if this is the device's first failure.
 * Errors: XH_ERR_DEVICE, always */
xh_status_t hyb_cuda_fail(hyb_cuda_device_t *device, const char *what,
                          const char *why);

/*
 * Make the device the calling thread's current one; CUDA keeps one per thread.
 * Errors: XH_ERR_DEVICE  also if it failed before; then without calling CUDA
 */
xh_status_t hyb_cuda_enter(void *state);

/* ---- kernels.c ---------------------------------------------------------- */

/* Was this plug-in built with nvcc? If not, our kernels are missing. */
bool hyb_cuda_has_kernels(void);

const char *hyb_cuda_kernel_name(hyb_cuda_kernel_t kernel); /* "swap_rows" */

/* Load our kernels for the device, if there are any; unload reverses that. */
xh_status_t hyb_cuda_kernels_load(hyb_cuda_device_t *device);
void hyb_cuda_kernels_unload(hyb_cuda_device_t *device);

/* ---- queue.c ------------------------------------------------------------ */

struct hyb_cuda_queue {
    hyb_cuda_device_t *device;
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;   /* device memory that cuBLAS may use */
    double *proposals; /* two vectors of proposed pivots, and the turns of
                          groups at a barrier; NULL before the first panel */
    int64_t proposals_longest; /* elements of a vector, at most */
    uint64_t turn;             /* the last turn used */
};

/*
 * Create a cuBLAS handle, and check that it computes in double precision as the
 * setting fp64 says.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 *         XH_ERR_INPUT  it does not; logged
 */
xh_status_t hyb_cuda_handle_create(hyb_cuda_device_t *device,
                                   cublasHandle_t *handle_p);

/* Free the device memory for panel steps. In work.c. */
void hyb_cuda_proposals_free(hyb_cuda_queue_t *queue);

/* The backend's own functions, like those of hyb_backend_t; sensors are in
 * library.c, work is in work.c. */
xh_status_t hyb_cuda_sensors(void *state, hyb_device_sensors_t *sensors_p);
xh_status_t hyb_cuda_queue_create(void *state, hyb_priority_t priority,
                                  void **queue_p);
void hyb_cuda_queue_destroy(void *state, void *queue);
xh_status_t hyb_cuda_event_create(void *state, void **event_p);
void hyb_cuda_event_destroy(void *state, void *event);
xh_status_t hyb_cuda_event_record(void *state, void *queue, void *event);
xh_status_t hyb_cuda_queue_wait(void *state, void *queue, void *event);
xh_status_t hyb_cuda_event_wait(void *state, void *event, double seconds,
                                bool *done_p);
xh_status_t hyb_cuda_event_elapsed(void *state, void *begin, void *end,
                                   double *seconds_p);
xh_status_t hyb_cuda_work(void *state, void *queue, const hyb_task_t *task);
