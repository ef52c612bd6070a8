/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/emu.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 0x1p20

enum {
    DEVICES = 64, /* that can be asked for */
    LINE = 512
};

static const hyb_host_t *host; /* set once, before anything is called */

/* ---- what the other files share ----------------------------------------- */

void hyb_emu_say(const hyb_emu_device_t *device, xh_log_level_t level,
                 const char *format, ...)
{
    char line[LINE];
    int used = snprintf(line, sizeof(line), "emu device %d: ", device->index);
    va_list values;

    va_start(values, format);
    vsnprintf(line + used, sizeof(line) - (size_t)used, format, values);
    va_end(values);
    device->host->log(level, line);
}

xh_status_t hyb_emu_admit(hyb_emu_device_t *device, hyb_emu_op_t op,
                          hyb_emu_fault_t *fault_p)
{
    if (device->failed)
        return hyb_emu_failure(device);
    *fault_p = hyb_emu_faults_next(&device->faults, op);
    if (*fault_p != HYB_EMU_NO_FAULT)
        hyb_emu_say(device, XH_LOG_WARNING, "fault on demand: %s@%s:%ld",
                    hyb_emu_fault_name(*fault_p), hyb_emu_op_name(op),
                    device->faults.calls[op]);
    if (*fault_p == HYB_EMU_OOM)
        return XH_ERR_MEMORY;
    if (*fault_p != HYB_EMU_FAIL || op >= HYB_EMU_EVENT_RECORD)
        return XH_OK;
    hyb_emu_fail(device);
    return hyb_emu_failure(device);
}

void hyb_emu_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct timespec hyb_emu_deadline(double seconds)
{
    const double most = 1e9;
    double whole = floor(fmin(fmax(seconds, 0), most));
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)(1e9 * (fmin(fmax(seconds, 0), most) - whole));
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

/* ---- settings ----------------------------------------------------------- */

static double number(const char *name, double otherwise)
{
    const char *text = host->setting(name);

    return text != NULL ? strtod(text, NULL) : otherwise;
}

static size_t memory_size(void)
{
    return (size_t)(number("emu_memory", 1024) * MIB);
}

static bool is_dry(void)
{
    const char *text = host->setting("emu_dry");

    return text != NULL && strcmp(text, "on") == 0;
}

static xh_status_t read_settings(hyb_emu_device_t *device)
{
    const char *faults = host->setting("emu_fault");

    device->dry = is_dry();
    device->rate[HYB_EMU_LINK_IN] = 1e9 * number("emu_link", 0);
    device->rate[HYB_EMU_LINK_OUT] = device->rate[HYB_EMU_LINK_IN];
    device->rate[HYB_EMU_ENGINE] = 1e9 * number("emu_rate", 0);
    if (hyb_emu_faults_read(faults != NULL ? faults : "", device->index,
                            &device->faults) == XH_OK)
        return XH_OK;
    hyb_emu_say(device, XH_LOG_ERROR,
                "emu_fault=%.200s is no list of "
                "[device:]fail|oom|stall|flip@<op>:<nth>, or such an operation "
                "cannot have such a fault",
                faults);
    return XH_ERR_INPUT;
}

/* ---- finding and opening ------------------------------------------------ */

static int count(const char **reason_p)
{
    (void)reason_p;
    return DEVICES;
}

static xh_status_t describe(int index, hyb_device_info_t *info_p)
{
    *info_p = (hyb_device_info_t){
        .name = "emulated device",
        .backend = "emu",
        .index = index,
        .memory = memory_size(),
        .memory_free = memory_size(),
        .gemm_rate = 1e9 * number("emu_rate", 0),
        .link_rate = 1e9 * number("emu_link", 0),
        .models_time = is_dry(),
    };
    return XH_OK;
}

static xh_status_t keep_cpus(hyb_emu_device_t *device, const int *cpus,
                             int cpu_count)
{
    size_t bytes = (size_t)cpu_count * sizeof(*cpus);

    if (cpu_count == 0)
        return XH_OK;
    device->cpus = malloc(bytes);
    if (device->cpus == NULL)
        return XH_ERR_MEMORY;
    memcpy(device->cpus, cpus, bytes);
    device->cpu_count = cpu_count;
    return XH_OK;
}

static xh_status_t open_arena(hyb_emu_device_t *device)
{
    xh_status_t status = hyb_emu_arena_open(memory_size(), &device->arena);

    if (status != XH_OK)
        hyb_emu_say(device, XH_LOG_ERROR,
                    "there is no room for %.0f MiB of its memory",
                    (double)memory_size() / MIB);
    return status;
}

static xh_status_t open_device(int index, const int *cpus, int cpu_count,
                               void **state_p)
{
    hyb_emu_device_t *device = calloc(1, sizeof(*device));
    xh_status_t status;

    if (device == NULL)
        return XH_ERR_MEMORY;
    device->host = host;
    device->index = index;
    status = read_settings(device);
    if (status == XH_OK)
        status = keep_cpus(device, cpus, cpu_count);
    if (status == XH_OK)
        status = open_arena(device);
    if (status != XH_OK) {
        free(device->cpus);
        free(device);
        return status;
    }
    pthread_mutex_init(&device->lock, NULL);
    hyb_emu_condition_init(&device->changed);
    *state_p = device;
    return XH_OK;
}

static void close_device(void *state, bool abandon)
{
    hyb_emu_device_t *device = state;

    hyb_emu_queues_close(device, abandon);
    hyb_emu_arena_close(&device->arena);
    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->lock);
    free(device->cpus);
    free(device);
}

static void give_up(void *state)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    hyb_emu_fail(device);
    hyb_emu_failure(device);
    pthread_mutex_unlock(&device->lock);
}

/* ---- memory ------------------------------------------------------------- */

static xh_status_t memory_left(void *state, uint64_t *bytes_p)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    *bytes_p = device->arena.size - device->arena.used;
    pthread_mutex_unlock(&device->lock);
    return XH_OK;
}

static xh_status_t alloc_memory(void *state, size_t bytes, void **memory_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_fault_t fault;
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = hyb_emu_admit(device, HYB_EMU_ALLOC, &fault);
    if (status == XH_OK)
        status = hyb_emu_arena_alloc(&device->arena, bytes, memory_p);
    if (status == XH_ERR_MEMORY)
        hyb_emu_say(device, XH_LOG_INFO,
                    "no %zu bytes of memory: %zu of %zu are in use", bytes,
                    device->arena.used, device->arena.size);
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void free_memory(void *state, void *memory)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    if (!hyb_emu_arena_free(&device->arena, memory))
        hyb_emu_say(device, XH_LOG_ERROR,
                    "memory at %p is freed that is not allocated", memory);
    pthread_mutex_unlock(&device->lock);
}

/* Any host memory will do. */
static xh_status_t pin(void *state, void *memory, size_t bytes)
{
    hyb_emu_device_t *device = state;
    hyb_emu_fault_t fault;
    xh_status_t status;

    (void)memory;
    (void)bytes;
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_admit(device, HYB_EMU_PIN, &fault);
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void unpin(void *state, void *memory)
{
    (void)state;
    (void)memory;
}

/* ---- work --------------------------------------------------------------- */

static xh_status_t check_on_device(hyb_emu_device_t *device, const char *name,
                                   xh_view_t v)
{
    bool held;

    pthread_mutex_lock(&device->lock);
    held = hyb_emu_arena_holds(&device->arena, v);
    pthread_mutex_unlock(&device->lock);
    if (held)
        return XH_OK;
    hyb_emu_say(device, XH_LOG_ERROR,
                "%s, %" PRId64 " x %" PRId64 ", ld %" PRId64
                " at %p, is not inside memory allocated on the device",
                name, v.rows, v.cols, v.ld, (void *)v.data);
    return XH_ERR_ARG;
}

static xh_status_t check_on_host(const hyb_emu_device_t *device,
                                 const char *name, xh_view_t v)
{
    if (!hyb_emu_arena_meets(&device->arena, v))
        return XH_OK;
    hyb_emu_say(device, XH_LOG_ERROR,
                "%s, at %p, is in the device's memory, not the host's", name,
                (void *)v.data);
    return XH_ERR_ARG;
}

static xh_status_t queue_copy(void *queue, hyb_emu_op_t op, xh_view_t from,
                              xh_view_t to)
{
    return hyb_emu_queue_add(
        queue, &(hyb_emu_command_t){
                   .op = op,
                   .from = from,
                   .to = to,
                   .amount = (double)from.rows * (double)from.cols *
                             (double)sizeof(double),
               });
}

static xh_status_t copy_in(void *state, void *queue, xh_view_t from_host,
                           xh_view_t to_device)
{
    xh_status_t status = check_on_host(state, "a copy's source", from_host);

    if (status == XH_OK)
        status = check_on_device(state, "a copy's destination", to_device);
    return status != XH_OK
               ? status
               : queue_copy(queue, HYB_EMU_COPY_IN, from_host, to_device);
}

static xh_status_t copy_out(void *state, void *queue, xh_view_t from_device,
                            xh_view_t to_host)
{
    xh_status_t status = check_on_device(state, "a copy's source", from_device);

    if (status == XH_OK)
        status = check_on_host(state, "a copy's destination", to_host);
    return status != XH_OK
               ? status
               : queue_copy(queue, HYB_EMU_COPY_OUT, from_device, to_host);
}

static xh_status_t check_operand(hyb_emu_device_t *device, const char *name,
                                 xh_view_t v)
{
    if (v.rows <= INT_MAX && v.cols <= INT_MAX && v.ld <= INT_MAX)
        return check_on_device(device, name, v);
    hyb_emu_say(device, XH_LOG_ERROR,
                "%s is too large: %" PRId64 " x %" PRId64 ", ld %" PRId64, name,
                v.rows, v.cols, v.ld);
    return XH_ERR_ARG;
}

static double flop(const xh_gemm_t *p)
{
    int64_t k = p->trans_a == XH_TRANS ? p->a.rows : p->a.cols;

    return 2 * (double)p->c.rows * (double)p->c.cols * (double)k;
}

static xh_status_t gemm(void *state, void *queue, const xh_gemm_t *product)
{
    xh_status_t status = check_operand(state, "A of a product", product->a);

    if (status == XH_OK)
        status = check_operand(state, "B of a product", product->b);
    if (status == XH_OK)
        status = check_operand(state, "C of a product", product->c);
    if (status != XH_OK)
        return status;
    return hyb_emu_queue_add(queue, &(hyb_emu_command_t){
                                        .op = HYB_EMU_GEMM,
                                        .to = product->c,
                                        .product = *product,
                                        .amount = flop(product),
                                    });
}

static const hyb_backend_t backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "emu",
    .emulated = true,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .memory_left = memory_left,
    .alloc = alloc_memory,
    .free = free_memory,
    .queue_create = hyb_emu_queue_create,
    .queue_destroy = hyb_emu_queue_destroy,
    .event_create = hyb_emu_event_create,
    .event_destroy = hyb_emu_event_destroy,
    .event_record = hyb_emu_event_record,
    .queue_wait = hyb_emu_queue_wait,
    .event_wait = hyb_emu_event_wait,
    .event_elapsed = hyb_emu_event_elapsed,
    .copy_in = copy_in,
    .copy_out = copy_out,
    .pin = pin,
    .unpin = unpin,
    .gemm = gemm,
    .give_up = give_up,
};

const hyb_backend_t *hyb_backend_entry(const hyb_host_t *program)
{
    host = program;
    return &backend;
}
