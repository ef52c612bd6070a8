/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/emu.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB 0x1p20

enum {
    DEVICES = 64, /* that can be asked for */
    LINE = 512,
    ALIGNMENT = 256
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

    device->memory = memory_size();
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

static void release_buffer(hyb_emu_buffer_t *buffer)
{
    munmap(buffer->data, buffer->bytes);
    free(buffer);
}

static void close_device(void *state, bool abandon)
{
    hyb_emu_device_t *device = state;
    hyb_emu_buffer_t *buffer;

    hyb_emu_queues_close(device, abandon);
    while ((buffer = device->buffers) != NULL) {
        device->buffers = buffer->next;
        release_buffer(buffer);
    }
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
    *bytes_p = device->memory - device->memory_used;
    pthread_mutex_unlock(&device->lock);
    return XH_OK;
}

/* The system backs pages when they are touched. */
static hyb_emu_buffer_t *map_buffer(size_t bytes)
{
    hyb_emu_buffer_t *buffer = calloc(1, sizeof(*buffer));
    void *data;

    if (buffer == NULL)
        return NULL;
    data = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) {
        free(buffer);
        return NULL;
    }
#ifdef MADV_HUGEPAGE
    madvise(data, bytes, MADV_HUGEPAGE);
#endif
    buffer->data = data;
    buffer->bytes = bytes;
    return buffer;
}

/* With device locked; NULL if there is no memory. */
static hyb_emu_buffer_t *add_buffer(hyb_emu_device_t *device, size_t bytes)
{
    size_t left = device->memory - device->memory_used;
    hyb_emu_buffer_t *buffer = NULL;

    if (bytes <= left) /* a multiple of ALIGNMENT, as is what is rounded up */
        buffer = map_buffer((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (buffer == NULL) {
        hyb_emu_say(device, XH_LOG_INFO,
                    "no %zu bytes of memory: %zu of %zu are in use", bytes,
                    device->memory_used, device->memory);
        return NULL;
    }
    buffer->next = device->buffers;
    device->buffers = buffer;
    device->memory_used += buffer->bytes;
    return buffer;
}

static xh_status_t buffer_create(void *state, size_t bytes, void **memory_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_buffer_t *buffer = NULL;
    hyb_emu_fault_t fault;
    xh_status_t status;

    pthread_mutex_lock(&device->lock);
    status = hyb_emu_admit(device, HYB_EMU_ALLOC, &fault);
    if (status == XH_OK) {
        buffer = add_buffer(device, bytes);
        status = buffer != NULL ? XH_OK : XH_ERR_MEMORY;
    }
    pthread_mutex_unlock(&device->lock);
    if (status == XH_OK)
        *memory_p = buffer;
    return status;
}

static void buffer_destroy(void *state, void *memory)
{
    hyb_emu_device_t *device = state;
    hyb_emu_buffer_t *buffer = memory, **link = &device->buffers;

    pthread_mutex_lock(&device->lock);
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
    device->memory_used -= buffer->bytes;
    pthread_mutex_unlock(&device->lock);
    release_buffer(buffer);
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

static const hyb_backend_t backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "emu",
    .emulated = true,
    .count = count,
    .describe = describe,
    .open = open_device,
    .close = close_device,
    .memory_left = memory_left,
    .buffer_create = buffer_create,
    .buffer_destroy = buffer_destroy,
    .queue_create = hyb_emu_queue_create,
    .queue_destroy = hyb_emu_queue_destroy,
    .event_create = hyb_emu_event_create,
    .event_destroy = hyb_emu_event_destroy,
    .event_record = hyb_emu_event_record,
    .queue_wait = hyb_emu_queue_wait,
    .event_wait = hyb_emu_event_wait,
    .event_elapsed = hyb_emu_event_elapsed,
    .copy_in = hyb_emu_copy_in,
    .copy_out = hyb_emu_copy_out,
    .pin = pin,
    .unpin = unpin,
    .give_up = give_up,
    .gemm = hyb_emu_gemm,
    .copy = hyb_emu_copy,
    .swap_rows = hyb_emu_swap_rows,
    .gather_rows = hyb_emu_gather_rows,
    .scatter_rows = hyb_emu_scatter_rows,
    .trsm = hyb_emu_trsm,
    .gemv = hyb_emu_gemv,
    .generate = hyb_emu_generate,
};

const hyb_backend_t *hyb_backend_entry(const hyb_host_t *program)
{
    host = program;
    return &backend;
}
