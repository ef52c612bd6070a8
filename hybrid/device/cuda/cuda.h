/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * A device of the CUDA runtime. A queue is a stream with its own cuBLAS handle
 * and workspace, so several threads can multiply at once; an event is CUDA's,
 * and a buffer a pointer of CUDA.
 */
#include <stdatomic.h>

/* All that comes from the vendor; nothing outside this folder sees it. For
 * the plug-in hip, hip.h has the same names. */
#ifdef HYB_HIP
#include "hybrid/device/hip/hip.h"
#else
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#define HYB_CUDA_NAME "cuda"
#define HYB_CUDA_BLAS "cublas"

/* Bytes that cuBLAS advises to give a handle; 9 is Hopper. */
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
    HYB_CUDA_PANEL_GROUPS = 128 /* that share a panel's rows, at most */
};

/* The kernels that are used. */
#define HYB_CUDA_KERNELS(X)                                                    \
    HYB_LAUNCH_KERNELS(X)                                                      \
    X(PANEL_STEP, panel_step)

#define HYB_CUDA_NUMBER(kernel, name) HYB_CUDA_##kernel,
typedef enum {
    HYB_CUDA_KERNELS(HYB_CUDA_NUMBER) HYB_CUDA_KERNEL_COUNT
} hyb_cuda_kernel_t;

/* ---- open.c ------------------------------------------------------------- */

enum { HYB_CUDA_WHY = 512 }; /* bytes of the longest reason, with its end */

typedef struct { /* a function of a library, and the pointer to set */
    const char *name;
    void *pointer_p;
} hyb_cuda_symbol_t;

/*
 * Open the first of files, up to NULL, that is there and has all symbols, for
 * the rest of the process's life, and set the pointers of these, up to one
 * without a name. Returns whether there is one; if not, why_p, of HYB_CUDA_WHY
 * bytes, says what the first file lacks.
 */
bool hyb_cuda_open_library(const char *const *files,
                           const hyb_cuda_symbol_t *symbols, char *why_p);

/* Does the setting fp64 allow cuBLAS to emulate double precision? */
bool hyb_cuda_emulates_doubles(void);

/* ---- library.c ---------------------------------------------------------- */

/*
 * Libraries that are looked for at run time, so that this plug-in loads
 * where they are not installed: cuBLAS, and the driver's management library.
 */

/* What is used of cuBLAS; each is the vendor's function of that name. */
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

/* Devices that are present; why_p, of HYB_CUDA_WHY bytes: why there are none.
 */
int hyb_cuda_look(char *why_p);

/*
 * cuBLAS, of the major version that this was built for, or else of the other
 * one. Unless hyb_cuda_emulates_doubles the environment cannot have it emulate
 * double precision.
 *
 * why_p  out  of HYB_CUDA_WHY bytes: why there is none
 * Errors: XH_ERR_DEVICE  it does not load
 *         XH_ERR_INPUT   it was there before, and computes as the environment
 *                        says
 */
xh_status_t hyb_cuda_load_blas(hyb_cuda_blas_t *blas, char *why_p);

/*
 * Bytes of device memory that are free, by the management library, which the
 * PCI address names it to; false if unknown. Neither this nor hyb_cuda_sensors
 * uses the device's context or waits for its work.
 */
bool hyb_cuda_sensor_memory(const char *pci_address, uint64_t *free_p);

/* The number of the board likewise; "" if unknown. */
enum { HYB_CUDA_SERIAL = 32 };
void hyb_cuda_serial(const char *pci_address, char text[HYB_CUDA_SERIAL]);

/* ---- cuda.c ------------------------------------------------------------- */

/* The program; set once, before anything is called. */
extern const hyb_host_t *hyb_cuda_host;

typedef struct hyb_cuda_queue hyb_cuda_queue_t;

typedef struct {
    const hyb_cuda_blas_t *blas;
    int index;
    uint64_t memory;      /* bytes in all */
    size_t workspace;     /* bytes of each queue's */
    int processors;       /* on which groups can wait for each other, or 0 */
    int64_t panel_groups; /* of panel_step that they hold at once */
    char pci_address[HYB_CUDA_PCI_ADDRESS];
    cudaLibrary_t library;
    cudaKernel_t kernels[HYB_CUDA_KERNEL_COUNT];
    void *jumps;       /* what the kernel generate takes */
    atomic_int failed; /* its work may never end: call CUDA no more */
} hyb_cuda_device_t;

/*
 * The status for a CUDA error; what names the call, for the log. The first
 * failure of a device is logged. Lack of memory is not: the caller knows how
 * much it asked for. The error is cleared in CUDA.
 * Errors: XH_ERR_MEMORY
 *         XH_ERR_DEVICE  device has failed
 */
xh_status_t hyb_cuda_status(hyb_cuda_device_t *device, const char *what,
                            cudaError_t error);

/* The same for a call of cuBLAS. */
xh_status_t hyb_cuda_blas_status(hyb_cuda_device_t *device, const char *what,
                                 cublasStatus_t result);

/* Log what has failed, and why, if it is device's first failure; the status
 * for that. Errors: XH_ERR_DEVICE  as above */
xh_status_t hyb_cuda_fail(hyb_cuda_device_t *device, const char *what,
                          const char *why);

/*
 * Make device this thread's current one: CUDA has one for each thread.
 * Errors: XH_ERR_DEVICE  also if it failed before; then it does not call CUDA
 */
xh_status_t hyb_cuda_enter(void *state);

/* ---- kernels.c ---------------------------------------------------------- */

/* Was this built with nvcc? Without it there are none of our kernels. */
bool hyb_cuda_has_kernels(void);

const char *hyb_cuda_kernel_name(hyb_cuda_kernel_t kernel); /* "swap_rows" */

/* Load them for device, if there are any; unload undoes what load has done. */
xh_status_t hyb_cuda_kernels_load(hyb_cuda_device_t *device);
void hyb_cuda_kernels_unload(hyb_cuda_device_t *device);

/* ---- queue.c ------------------------------------------------------------ */

struct hyb_cuda_queue {
    hyb_cuda_device_t *device;
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;   /* device memory that blas may use */
    double *proposals; /* of pivots, two vectors, and the turns of groups
                          that meet; NULL before the first panel */
    int64_t proposals_longest; /* elements of a vector, at most */
    uint64_t turn;             /* the last one */
};

/*
 * A handle of cuBLAS that computes in double precision as the setting fp64
 * says: it has told that it does.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 *         XH_ERR_INPUT  it does not: logged
 */
xh_status_t hyb_cuda_handle_create(hyb_cuda_device_t *device,
                                   cublasHandle_t *handle_p);

/* Give back what panel steps have taken of device memory. In work.c. */
void hyb_cuda_proposals_free(hyb_cuda_queue_t *queue);

/* The backend's own functions, as in hyb_backend_t; sensors in library.c, work
 * in work.c. */
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
