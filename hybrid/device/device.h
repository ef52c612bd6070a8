/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_DEVICE_H
#define HYB_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/log.h"
#include "base/status.h"
#include "base/view.h"
#include "hybrid/device/knobs.h"

/*
 * One accelerator as the solver sees it: buffers of its own memory, in-order
 * queues that run beside the host and beside each other, and events to order
 * them. Work is queued and the call returns at once; an error in it shows when
 * an event behind it is waited for. A device that failed once stays failed:
 * every later call on it returns XH_ERR_DEVICE, except those that give
 * something back. Once a backend has returned XH_ERR_DEVICE, no queued work
 * touches host memory any more.
 *
 * A backend is a plug-in, libhyb_<name>.so, that exports hyb_backend_entry and
 * includes this header and headers of base/ only. It gets everything else that
 * it needs in hyb_host_t, so it loads into any program. The functions below
 * check arguments, keep the failed state and call the backend's table. Several
 * threads may call one device at once; one queue is for one thread at a time.
 */
enum {
    HYB_BACKEND_ABI = 9,
    HYB_BACKEND_NAME = 16 /* bytes of the longest name, with its end */
};

typedef struct hyb_buffer hyb_buffer_t; /* device memory */
typedef struct hyb_queue hyb_queue_t;
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

/* ---- matrices in device memory ------------------------------------------ */

/*
 * A matrix in device memory, column-major: element (i, j) is double number
 * offset + i + j * ld of the buffer. No address of device memory exists
 * outside a backend.
 */
typedef struct {
    hyb_buffer_t *buffer; /* may be NULL where there are no elements */
    int64_t offset;       /* doubles */
    int64_t rows, cols;
    int64_t ld; /* >= max(1, rows) */
} hyb_block_t;

/* The rows x cols matrix that fills buffer from offset on without gaps. */
static inline hyb_block_t hyb_block(hyb_buffer_t *buffer, int64_t offset,
                                    int64_t rows, int64_t cols)
{
    return (hyb_block_t){buffer, offset, rows, cols, rows > 0 ? rows : 1};
}

/* The rows x cols part of b whose first element is b's (i, j). */
static inline hyb_block_t hyb_block_part(hyb_block_t b, int64_t i, int64_t j,
                                         int64_t rows, int64_t cols)
{
    return (hyb_block_t){b.buffer, b.offset + i + j * b.ld, rows, cols, b.ld};
}

typedef struct { /* one product: C := beta C + alpha op(A) op(B) */
    xh_trans_t trans_a, trans_b;
    double alpha, beta;
    hyb_block_t a, b; /* as stored: op(a) is m x k, op(b) is k x n */
    hyb_block_t c;    /* m x n; with beta 0 not read */
} hyb_gemm_t;

/*
 * How one panel's pivots permute the rows of some columns. Row numbers count
 * from the first row of columns; both assignments read the old rows:
 *
 *     U's row i := row source[i], and then the top rows := U
 *     row to[d] := row from[d], for the rows displaced from the top
 */
typedef struct {
    hyb_block_t columns; /* in,out */
    hyb_block_t u;       /* out: nb rows, as many columns; apart from columns */
    hyb_block_t source;  /* list of nb rows: a column of int64_t from 0, each */
    hyb_block_t from, to; /* in place of a double; of equal length; to is below
                             the top nb rows */
} hyb_row_swap_t;

/*
 * Rows or columns of a process: blocks of nb, dealt out in turn to so many
 * processes. Local index l is global index
 * (l / nb * processes + process) * nb + l % nb.
 */
typedef struct {
    int64_t first; /* local index of a matrix's first row or column */
    int64_t nb, process, processes;
} hyb_dealt_t;

/*
 * A part of HPL's random matrix of order rows: its entry (i, j) is
 * 0.5 - x(i + j * order + 1) * 2^-64, where conversion and subtraction each
 * round to nearest, x(0) = seed and
 * x(t + 1) = 6364136223846793005 x(t) + 1 mod 2^64.
 */
typedef struct {
    uint64_t seed;
    int64_t order;
    hyb_dealt_t rows, cols; /* which rows and columns block holds */
    hyb_block_t block;      /* out */
} hyb_generate_t;

/*
 * A step of the factorization of a panel, m x nb, which has met columns
 * 0 .. first - 1. For each of its columns c in turn: the row from c on with the
 * largest magnitude in column c changes places with row c, in all columns of
 * the panel; what is below c is divided by it, and the step's columns behind c
 * are updated. Of equal rows the first one counts, and a NaN as infinite. A
 * zero divides nothing.
 */
typedef struct {
    hyb_block_t panel;    /* in,out */
    int64_t first, count; /* of its columns, and rows */
    hyb_block_t pivots;   /* out: a list of nb rows; number c is the row that
                             row c changed places with */
} hyb_panel_step_t;

/*
 * A column of such a step where other processes hold rows of the panel, too:
 * between one column and the next the host agrees with them on the pivot, in a
 * vector of hyb_pivot_elements(nb).
 *
 *      0 .. nb - 1    the current row, if it is here; agreed: in any case
 *      nb             magnitude of the best row's element in the column, -1 if
 *                     no row is left, INFINITY for a NaN
 *      nb + 1         number of that row; agreed: where the current one goes,
 *                     or -1
 *      nb + 2 ..      the row; agreed: the pivot's, which becomes row column
 *
 * The pivot of column, if that is not before first, is brought into its row,
 * what is below is divided, and the columns behind it, before end, are updated.
 * Then the vector proposes a pivot for column + 1, if that is before end.
 */
typedef struct {
    hyb_block_t panel; /* in,out */
    hyb_block_t top;   /* in,out: its first nb rows: nb x nb, apart from panel,
                          or no rows: those of panel */
    int64_t first, end, column;
    hyb_block_t pivot; /* in,out */
} hyb_panel_column_t;

static inline int64_t hyb_pivot_elements(int64_t nb)
{
    return 2 * nb + 2;
}

enum { HYB_PANEL_STEP = 32 }; /* columns of a step, at most */

/* ---- what a backend brings ---------------------------------------------- */

/* What a queue does; all but the copies a device may lack. */
#define HYB_OPERATIONS(X)                                                      \
    X(COPY_IN, copy_in)                                                        \
    X(COPY_OUT, copy_out)                                                      \
    X(GEMM, gemm)                                                              \
    X(COPY, copy)                                                              \
    X(SWAP_ROWS, swap_rows)                                                    \
    X(GATHER_ROWS, gather_rows)                                                \
    X(SCATTER_ROWS, scatter_rows)                                              \
    X(TRSM, trsm)                                                              \
    X(GEMV, gemv)                                                              \
    X(GENERATE, generate)                                                      \
    X(CHECKSUM, checksum)                                                      \
    X(PANEL_STEP, panel_step)                                                  \
    X(PANEL_COLUMN, panel_column)

#define HYB_OP(op, name) HYB_OP_##op,
typedef enum { HYB_OPERATIONS(HYB_OP) HYB_OPS } hyb_op_t;

static inline const char *hyb_op_name(hyb_op_t op) /* "gemm" */
{
#define HYB_OP_NAME(op, name) #name,
    static const char *const names[] = {HYB_OPERATIONS(HYB_OP_NAME)};

    return names[op];
}

/* One piece of work, as the public function of its name documents it. */
typedef struct {
    hyb_op_t op;
    union {
        struct {
            xh_view_t host;
            hyb_block_t block;
        } link; /* copies in and out */
        struct {
            hyb_block_t from, to;
        } copy;
        hyb_gemm_t gemm;
        hyb_row_swap_t swap_rows;
        struct {
            hyb_block_t columns, packed, rows;
        } pack; /* gather and scatter */
        struct {
            hyb_block_t l1, u;
        } trsm;
        struct {
            hyb_block_t a, x, y;
        } gemv;
        hyb_generate_t generate;
        struct {
            hyb_block_t of, sums;
        } checksum;
        hyb_panel_step_t panel_step;
        hyb_panel_column_t panel_column;
    };
} hyb_task_t;

/* What a program gives to its plug-ins; any thread may call these. */
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
    /* C := beta C + alpha op(A) op(B) on the calling thread, with the kernel
     * that the setting kernel names; product conforms. Errors: XH_ERR_MEMORY
     * C is untouched */
    xh_status_t (*gemm)(const xh_gemm_t *product);
    /* What is kept of a device's model from run to run, a file for each kind;
     * as hyb_cache_load and hyb_cache_store of cache_file.h. */
    void *(*load)(const char *model, const char *kind, size_t *bytes_p);
    xh_status_t (*store)(const char *model, const char *kind, const void *data,
                         size_t bytes, const char *what);
} hyb_host_t;

/* A buffer as backends see it; it stays until work that uses it has run, on a
 * failed device until that is closed. */
struct hyb_buffer {
    hyb_device_t *device;
    size_t bytes;
    void *memory;       /* what the backend's buffer_create gave */
    hyb_buffer_t *next; /* of those that a failed device keeps */
};

/*
 * What a backend fills in. State is the backend's own, made by open. NULL in
 * place of enter, sensors, pin, unpin or give_up means "nothing to do", and of
 * reach "no". Each
 * function does what the public function of its name documents; arguments have
 * been checked, down to the bounds of blocks and lists and the device of their
 * buffers. Work has at least one element; events have been recorded before
 * anybody waits for them. After a call that returned XH_ERR_DEVICE only calls
 * that give something back follow: these never wait for a failed device, and
 * give back what they can.
 */
typedef struct hyb_backend {
    int abi; /* HYB_BACKEND_ABI */
    const char *name;
    /* Software devices: count is how many a user may ask for at most, and only
     * those who ask get one. */
    bool emulated;
    /* "auto" leaves its devices out: they may be the host's cores, or those of
     * another backend. */
    bool by_name_only;
    /* The memory of a buffer is an address, which an MPI library may know. */
    bool has_addresses;
    unsigned ops; /* bit op: it has the operation; the copies always */

    /* Devices present, and why there are none (static text, or NULL). */
    int (*count)(const char **reason_p);
    xh_status_t (*describe)(int index, hyb_device_info_t *info_p);

    /* In open and queue_create this thread is on cores near the device, which
     * threads that are made there inherit. */
    xh_status_t (*open)(int index, void **state_p);
    /* Queues, events and buffers were given back before. */
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
    /* XH_OK: *done_p says whether it passed within seconds (0: only look) */
    xh_status_t (*event_wait)(void *state, void *event, double seconds,
                              bool *done_p);
    /* seconds of device time between two events; XH_ERR_ARG: one has not
     * passed, not logged */
    xh_status_t (*event_elapsed)(void *state, void *begin, void *end,
                                 double *seconds_p);
    /* Queue task, which is valid during the call. */
    xh_status_t (*work)(void *state, void *queue, const hyb_task_t *task);

    /* These may be NULL, all three: products are cut in one way. Cut NULL is
     * the backend's own. XH_ERR_ARG: the device cannot, and information says
     * why; nothing has changed. */
    const hyb_knob_t *(*knobs)(void *state, int *count_p);
    hyb_cut_t (*cut)(void *state, int d);
    xh_status_t (*set_cut)(void *state, int d, const hyb_cut_t *cut);

    /* Copies may read the memory of device number other of this backend, which
     * is open, by a link between the two from now on; false: they cannot. */
    bool (*reach)(void *state, int other);

    xh_status_t (*sensors)(void *state, hyb_device_sensors_t *sensors_p);
    /* XH_ERR_MEMORY: the system refuses, and a warning says so; copies reach
     * the memory all the same. Unpinning memory that is not pinned does
     * nothing. */
    xh_status_t (*pin)(void *state, void *host, size_t bytes);
    void (*unpin)(void *state, void *host);
    /* The device counts as failed from now on, as after a stall, although it
     * has not said so: call nothing any more that may wait for it. Return when
     * it touches host memory no more, or at once if it cannot be stopped. */
    void (*give_up)(void *state);
} hyb_backend_t;

/* The one symbol of a plug-in; host stays valid. */
__attribute__((visibility("default"))) const hyb_backend_t *
hyb_backend_entry(const hyb_host_t *host);

/* ---- finding and opening ------------------------------------------------ */

/*
 * The devices that a user's --devices asks for: "none", "auto" (all of every
 * backend that loads, but emulated ones and those that one has to name), or a
 * comma-separated list of backend:selection parts in which a selection is a
 * number of devices for emulated ones ("emu:2"; "emu" alone means one) and
 * indices for others ("cuda:0,1"; "cuda" alone means all). With "auto" the
 * first process says what it found, and why there is no more.
 *
 * chosen_p  out  count entries, freed by the caller with free()
 * Errors: XH_ERR_INPUT   unknown backend or index: the message names the valid
 *                        ones; what is named is not there; a backend that is
 * asked for by name does not load XH_ERR_MEMORY
 */
typedef struct {
    const hyb_backend_t *backend;
    int index;
} hyb_device_choice_t;

xh_status_t hyb_devices_choose(const char *text, hyb_device_choice_t **chosen_p,
                               int *count_p);

/* The same without a word of an error: why_p, HYB_DEVICES_WHY bytes, gets it.
 */
enum { HYB_DEVICES_WHY = 1024 };
xh_status_t hyb_devices_find(const char *text, hyb_device_choice_t **chosen_p,
                             int *count_p, char *why_p);

/*
 * Open a device, whose threads may use these cores; cpu_count 0: any.
 * Errors: XH_ERR_DEVICE, XH_ERR_MEMORY
 *         XH_ERR_INPUT  a setting of the backend makes no sense
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

/* Has a call on device failed? From then on all fail. */
bool hyb_device_failed(const hyb_device_t *device);

/*
 * Declare the device failed, as after a stall; the first call logs why. If the
 * backend cannot stop it, queued work may still reach host memory.
 */
void hyb_device_fail(hyb_device_t *device, const char *why);

bool hyb_device_has(const hyb_device_t *device, hyb_op_t op);

/* May copies of device read other's memory, by a link between the two, from now
 * on? */
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
 * the memory is as any other: copies are slower, and may block. Free accepts
 * NULL; on a failed device it keeps the memory, which copies may still reach.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_pinned_alloc(hyb_device_t *device, size_t bytes,
                             double **memory_p);
void hyb_pinned_free(hyb_device_t *device, double *memory, size_t bytes);

/*
 * Make host memory that already exists as good as pinned memory, until unpin,
 * which leaves memory that is not pinned as it is.
 * Errors: XH_ERR_MEMORY  the system refuses: logged; copies work all the same
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_pin(hyb_device_t *device, double *memory, size_t bytes);
void hyb_device_unpin(hyb_device_t *device, double *memory);

/* Where b begins, as an MPI library takes it that is built for such devices;
 * NULL: only the backend knows. */
double *hyb_block_address(hyb_block_t b);

/* ---- queues and events -------------------------------------------------- */

/* Work on queues of high priority begins first, if the backend can do that. */
xh_status_t hyb_queue_create(hyb_device_t *device, hyb_priority_t priority,
                             hyb_queue_t **queue_p);

/* Accepts NULL. Waits for what is queued, if the device has not failed: one
 * that stalled has to be failed before. */
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

/* Likewise, for work that has to be done within seconds: a device that takes
 * longer counts as failed. */
xh_status_t hyb_event_await(hyb_event_t *event, double seconds);

/* Seconds of device time from begin to end, of one device. Errors:
 * XH_ERR_ARG  one of them was not recorded or has not passed; XH_ERR_DEVICE */
xh_status_t hyb_event_elapsed(hyb_event_t *begin, hyb_event_t *end,
                              double *seconds_p);

/* ---- work --------------------------------------------------------------- */

/*
 * Each of these returns before the work has run; the caller leaves its memory
 * alone until then. Work on no elements does nothing. Output overlaps no input,
 * except where one operand is in,out.
 *
 * Errors: XH_ERR_ARG     shapes do not conform, ld < rows, a block or list
 *                        that is not inside a buffer of this device, or work
 *                        that the device lacks
 *         XH_ERR_MEMORY  the backend needs more; nothing is queued
 *         XH_ERR_DEVICE
 * A row number outside its block is the caller's error: emu fails the device
 * when the work runs, other backends need not check.
 */

/* Copy between host memory (best pinned) and device memory; equal shapes. */
xh_status_t hyb_queue_copy_in(hyb_queue_t *queue, xh_view_t from_host,
                              hyb_block_t to);
xh_status_t hyb_queue_copy_out(hyb_queue_t *queue, hyb_block_t from,
                               xh_view_t to_host);

/* Copy rows, to.rows numbers in host memory (best pinned), to the device. */
xh_status_t hyb_queue_upload(hyb_queue_t *queue, const int64_t *rows,
                             hyb_block_t to);

/* C := beta C + alpha op(A) op(B). Cost: 2 m n k flop */
xh_status_t hyb_queue_gemm(hyb_queue_t *queue, const hyb_gemm_t *product);

/* to := from, of equal shape; from is on this device, or on one that it
 * reaches. */
xh_status_t hyb_queue_copy(hyb_queue_t *queue, hyb_block_t from,
                           hyb_block_t to);

/* Exchange rows as swap says, in all of its columns. */
xh_status_t hyb_queue_swap_rows(hyb_queue_t *queue, const hyb_row_swap_t *swap);

/* Gather: column r of packed := row rows[r] of columns; scatter: the reverse.
 * A message then holds one row after the other. packed is cols x rows.rows. */
xh_status_t hyb_queue_gather_rows(hyb_queue_t *queue, hyb_block_t columns,
                                  hyb_block_t rows, hyb_block_t packed);
xh_status_t hyb_queue_scatter_rows(hyb_queue_t *queue, hyb_block_t packed,
                                   hyb_block_t rows, hyb_block_t columns);

/* U := L1^-1 U. Only the part of L1, nb x nb, below its diagonal of ones is
 * read. Cost: nb^2 n flop */
xh_status_t hyb_queue_trsm(hyb_queue_t *queue, hyb_block_t l1, hyb_block_t u);

/*
 * C := beta C + alpha A A^T on and below C's diagonal, by products: where a
 * tile of HYB_SYRK_TILE columns crosses the diagonal, it is computed whole.
 * Cost: n (n + HYB_SYRK_TILE) k flop
 */
enum { HYB_SYRK_TILE = 64 };

xh_status_t hyb_queue_syrk(hyb_queue_t *queue, double alpha, hyb_block_t a,
                           double beta, hyb_block_t c);

/* y := y - A x, with A m x n */
xh_status_t hyb_queue_gemv(hyb_queue_t *queue, hyb_block_t a, hyb_block_t x,
                           hyb_block_t y);

/* Fill a block with its part of a random matrix, bit for bit as hpl/matgen. */
xh_status_t hyb_queue_generate(hyb_queue_t *queue, const hyb_generate_t *part);

/* Column j of sums, 2 x of.cols, := the two of xh_checksum (base/checksum.h) of
 * column j of of, each in place of a double. Equal on all devices, and the
 * host. */
xh_status_t hyb_queue_checksum(hyb_queue_t *queue, hyb_block_t of,
                               hyb_block_t sums);

/* Cost: m w nb flop of the panel's m nb^2, with w columns in the step. */
xh_status_t hyb_queue_panel_step(hyb_queue_t *queue,
                                 const hyb_panel_step_t *step);
xh_status_t hyb_queue_panel_column(hyb_queue_t *queue,
                                   const hyb_panel_column_t *column);

/* Bytes that copies between host and device have moved in and out so far. */
void hyb_device_traffic(const hyb_device_t *device, uint64_t *in_p,
                        uint64_t *out_p);

#endif
