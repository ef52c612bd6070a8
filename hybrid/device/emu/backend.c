/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/emu/emu.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB 0x1p20

enum {
    DEVICES = 64, /* devices that a user may ask for */
    ALIGNMENT = 256
};

/* ---- settings ----------------------------------------------------------- */

static double number(const char *name)
{
    return strtod(hyb_emu_host->setting(name), NULL);
}

/* Read the entry for device `index` in a list like "100,50", whose last entry
 * holds for all later devices. Returns false if the text is not such a list. */
static bool read_listed(const char *name, int index, double *value_p)
{
    const char *text = hyb_emu_host->setting(name);
    char *end;

    for (int i = 0;; i++, text = end + 1) {
        double value = strtod(text, &end);

        if (end == text || !(value >= 0.0) || (*end != ',' && *end != '\0'))
            return false;
        if (i <= index)
            *value_p = value;
        if (*end == '\0')
            return true;
    }
}

static size_t memory_size(void)
{
    return (size_t)(number("emu_memory") * MIB);
}

static bool is_dry(void)
{
    return strcmp(hyb_emu_host->setting("emu_dry"), "on") == 0;
}

/* ---- finding and opening ------------------------------------------------ */

static int count(const char **reason_p)
{
    (void)reason_p;
    return DEVICES;
}

static xh_status_t describe(int index, hyb_device_info_t *info_p)
{
    double rate = 0.0;

    read_listed("emu_rate", index, &rate);
    *info_p = (hyb_device_info_t){
        .name = "emulated device",
        .backend = "emu",
        .index = index,
        .memory = memory_size(),
        .memory_free = memory_size(),
        .gemm_rate = 1e9 * rate,
        .link_rate = 1e9 * number("emu_link"),
        .models_time = is_dry(),
    };
    return XH_OK;
}

static xh_status_t read_settings(hyb_emu_device_t *device)
{
    const char *faults = hyb_emu_host->setting("emu_fault");
    double rate = 0.0;

    device->memory = memory_size();
    device->dry = is_dry();
    device->rate[HYB_EMU_LINK_IN] = 1e9 * number("emu_link");
    device->rate[HYB_EMU_LINK_OUT] = device->rate[HYB_EMU_LINK_IN];
    device->rate[HYB_EMU_PEER] = 1e9 * number("emu_peer");
    if (!read_listed("emu_rate", device->index, &rate)) {
        hyb_emu_host->log(
            XH_LOG_ERROR, "emu", device->index,
            "emu_rate=%.200s is not a list of Gflop/s such as 100,50",
            hyb_emu_host->setting("emu_rate"));
        return XH_ERR_INPUT;
    }
    device->rate[HYB_EMU_ENGINE] = device->rate[HYB_EMU_HIGH] = 1e9 * rate;
    if (hyb_emu_read_faults(faults, device) == XH_OK)
        return XH_OK;
    hyb_emu_host->log(XH_LOG_ERROR, "emu", device->index,
                      "emu_fault=%.200s is not a list of "
                      "[device:]fail|oom|stall|flip@<op>:<nth>, or such an "
                      "operation cannot have such a fault",
                      faults);
    return XH_ERR_INPUT;
}

static xh_status_t open_device(int index, void **state_p)
{
    hyb_emu_device_t *device = calloc(1, sizeof(*device));

    if (device == NULL)
        return XH_ERR_MEMORY;
    device->index = index;
    if (read_settings(device) != XH_OK) {
        free(device);
        return XH_ERR_INPUT;
    }
    pthread_mutex_init(&device->lock, NULL);
    hyb_emu_condition_init(&device->changed);
    *state_p = device;
    return XH_OK;
}

static void close_device(void *state)
{
    hyb_emu_device_t *device = state;

    pthread_cond_destroy(&device->changed);
    pthread_mutex_destroy(&device->lock);
    free(device);
}

static void give_up(void *state)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    hyb_emu_fail(device);
    pthread_mutex_unlock(&device->lock);
}

static bool reach(void *state, int other)
{
    const hyb_emu_device_t *device = state;

    (void)other;
    return device->rate[HYB_EMU_PEER] > 0.0;
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

static size_t rounded_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* Touch all pages, so that memory is allocated now, as on a real device. A
 * device that only models time needs no pages. */
static void back(char *memory, size_t bytes)
{
    enum { PAGE = 4096 };

    for (size_t at = 0; at < bytes && !is_dry(); at += PAGE)
        memory[at] = 0;
}

/* Returns NULL if the system has no memory. */
static void *map_memory(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    back(memory, bytes);
    return memory;
}

static xh_status_t buffer_create(void *state, size_t bytes, void **memory_p)
{
    hyb_emu_device_t *device = state;
    hyb_emu_fault_t fault;
    xh_status_t status;
    void *memory = NULL;

    pthread_mutex_lock(&device->lock);
    status = hyb_emu_inject_fault(device, HYB_EMU_ALLOC, &fault);
    /* Both the memory left and the rounded size are multiples of ALIGNMENT. */
    if (status == XH_OK && bytes <= device->memory - device->memory_used)
        memory = map_memory(rounded_up(bytes));
    if (memory != NULL) {
        device->memory_used += rounded_up(bytes);
        *memory_p = memory;
    } else if (status == XH_OK) {
        hyb_emu_host->log(
            XH_LOG_INFO, "emu", device->index,
            "less than %zu bytes of memory are free: %zu of %zu are in use",
            bytes, device->memory_used, device->memory);
        status = XH_ERR_MEMORY;
    }
    pthread_mutex_unlock(&device->lock);
    return status;
}

static void buffer_destroy(void *state, void *memory, size_t bytes)
{
    hyb_emu_device_t *device = state;

    pthread_mutex_lock(&device->lock);
    device->memory_used -= rounded_up(bytes);
    pthread_mutex_unlock(&device->lock);
    munmap(memory, rounded_up(bytes));
}

/* Any host memory works, so there is nothing to pin. */
static xh_status_t pin(void *state, void *memory, size_t bytes)
{
    hyb_emu_device_t *device = state;
    hyb_emu_fault_t fault;
    xh_status_t status;

    (void)memory;
    (void)bytes;
    pthread_mutex_lock(&device->lock);
    status = hyb_emu_inject_fault(device, HYB_EMU_PIN, &fault);
    pthread_mutex_unlock(&device->lock);
    return status;
}

static const hyb_backend_t backend = {
    .abi = HYB_BACKEND_ABI,
    .name = "emu",
    .emulated = true,
    .has_addresses = true,
    .ops = (1u << HYB_OPS) - 1,
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
    .work = hyb_emu_queue_work,
    .reach = reach,
    .pin = pin,
    .give_up = give_up,
};

const hyb_backend_t *hyb_backend_entry(const hyb_host_t *program)
{
    hyb_emu_host = program;
    return &backend;
}
