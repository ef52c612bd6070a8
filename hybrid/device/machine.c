/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/device/device_rates.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/machine_private.h"
#include "hybrid/device/product_return.h"

/* The kernel that the user asks for, where this processor has it. */
static xh_status_t choose_kernel(hyb_machine_t *node)
{
    const char *name = xh_settings_text("kernel");

    node->kernel = hyb_kernel_of_setting();
    if (node->kernel != NULL)
        return XH_OK;
    if (strcmp(name, "blas") == 0) {
        if (hyb_blas_present())
            return XH_OK;
        xh_log_error("kernel=blas: no BLAS library that has dgemm_ is "
                     "linked; auto takes a kernel of ours");
        return XH_ERR_INPUT;
    }
    xh_log_error("kernel=%s: this processor has %s at most", name,
                 xh_cpu_isa_name(xh_cpu_isa()));
    return XH_ERR_INPUT;
}

/*
 * What is free, less some for the vendor's library. With next to nothing, its
 * tiles, and those of all other devices with it, would be tiny.
 */
static xh_status_t budget(const hyb_device_info_t *info, uint64_t *bytes_p)
{
    enum { LEAST = 1 << 20, PART = 64 };
    const double mib = 1 << 20;

    if (info->memory_free < LEAST || info->memory_free < info->memory / PART) {
        xh_log_error("%s has too little free memory: %.1f of %.1f MiB",
                     info->name, (double)info->memory_free / mib,
                     (double)info->memory / mib);
        return XH_ERR_MEMORY;
    }
    *bytes_p = info->memory_free / 16 * 15;
    return XH_OK;
}

static bool is_on(const char *setting)
{
    return strcmp(xh_settings_text(setting), "on") == 0;
}

/* A device that is emulated and computes has no link of its own to be tried. */
static bool is_tried(bool emulated, const hyb_device_info_t *info)
{
    return strcmp(xh_settings_text("product_return"), "auto") == 0 &&
           !is_on("direct") && (!emulated || info->models_time);
}

/* What the setting product_return comes to for device, with so many feeders. */
static xh_status_t choose_return(const hyb_machine_t *node,
                                 hyb_device_t *device, const int *cpus,
                                 int cpu_count, bool tried,
                                 bool *product_only_p)
{
    enum { TILE = 1024 };
    static const double patience = 10.0; /* a slow device may need it */
    hyb_return_trial_t trial = {
        .tile = node->tile > 0 ? node->tile : TILE,
        .slots = node->slots,
        .memory = node->tile_memory[node->devices],
        .patience = fmax(patience, xh_settings_real("stall_seconds")),
        .cpus = cpus,
        .cpu_count = cpu_count};
    xh_status_t status = XH_OK;

    *product_only_p = is_on("product_return");
    if (tried)
        status = hyb_product_return_pays(device, &trial, product_only_p);
    return status == XH_ERR_MEMORY ? XH_OK : status;
}

/* A stream of device, and the memory that is left beside its queues. */
static xh_status_t open_stream(hyb_machine_t *node, hyb_device_t *device,
                               const int *cpus, int cpu_count,
                               const hyb_stream_options_t *options)
{
    hyb_device_info_t info;
    hyb_stream_t *stream;
    xh_status_t status =
        hyb_stream_create(device, cpus, cpu_count, options, &stream);

    if (status != XH_OK) {
        hyb_device_close(device);
        return status;
    }
    status = hyb_device_describe(device, &info);
    if (status == XH_OK)
        status = budget(&info, &node->tile_memory[node->devices]);
    if (status == XH_OK)
        node->stream[node->devices] = stream;
    else
        hyb_stream_destroy(stream);
    return status;
}

static xh_status_t open_device(hyb_machine_t *node, hyb_device_choice_t choice,
                               const int *cpus, int cpu_count)
{
    hyb_stream_options_t options = {.executor = node->devices + 1,
                                    .slots = node->slots,
                                    .direct = is_on("direct"),
                                    .stall_seconds =
                                        xh_settings_real("stall_seconds"),
                                    .rates = &node->rates[node->devices]};
    hyb_device_info_t info;
    hyb_device_t *device;
    xh_status_t status = hyb_device_open(choice, cpus, cpu_count, &device);

    if (status != XH_OK)
        return status;
    node->rates[node->devices].count = 0; /* of one that was left out */
    node->rates[node->devices].link_rate = 0.0;
    status = hyb_device_describe(device, &info);
    if (status == XH_OK)
        status = budget(&info, &node->tile_memory[node->devices]);
    if (status == XH_OK && node->tile == 0 && !choice.backend->emulated)
        status = hyb_device_rates(device, &node->rates[node->devices]);
    if (status == XH_OK)
        status = choose_return(node, device, cpus, cpu_count,
                               is_tried(choice.backend->emulated, &info),
                               &options.product_only);
    if (status != XH_OK) {
        hyb_device_close(device);
        return status;
    }
    status = open_stream(node, device, cpus, cpu_count, &options);
    if (status != XH_OK)
        return status;
    node->models_time = node->models_time || info.models_time;
    node->feeders += info.models_time ? 0 : cpu_count;
    node->devices++;
    return XH_OK;
}

/* The chosen devices that fall to this process. */
static xh_status_t deal_devices(hyb_machine_t *node, const hyb_local_t *local,
                                const hyb_device_choice_t *chosen, int count,
                                int **mine_p, int *mine_count_p)
{
    hyb_device_info_t *info = calloc((size_t)count + 1, sizeof(*info));
    const char **addresses = calloc((size_t)count + 1, sizeof(*addresses));
    xh_status_t status = XH_ERR_MEMORY;
    int i;

    if (info != NULL && addresses != NULL) {
        for (i = 0; i < count; i++) {
            addresses[i] = info[i].pci_address;
            chosen[i].backend->describe(chosen[i].index, &info[i]);
        }
        status = hyb_topology_deal(node->topology, local, addresses, count,
                                   mine_p, mine_count_p);
    }
    free(addresses);
    free(info);
    return status;
}

/* Those of the devices seen that this process drives. */
static xh_status_t find_mine(hyb_machine_t *node, const hyb_local_t *local,
                             const hyb_visible_devices_t *seen, int **mine_p,
                             int *mine_count_p)
{
    int i;

    if (!seen->own)
        return deal_devices(node, local, seen->chosen, seen->count, mine_p,
                            mine_count_p);
    *mine_p = calloc((size_t)seen->count + 1, sizeof(**mine_p));
    if (*mine_p == NULL)
        return XH_ERR_MEMORY;
    for (i = 0; i < seen->count; i++)
        (*mine_p)[i] = i;
    *mine_count_p = seen->count;
    return XH_OK;
}

/*
 * Threads that feed one of so many devices, at most so many as have a core. One
 * is enough where it has nothing to copy, or little, as from emulated devices.
 * A core copies some 10 GB/s, a link brings several times as much.
 */
static int feeders_of(const hyb_machine_t *node, hyb_device_choice_t choice,
                      int devices, int cores)
{
    enum { MOST = 4, PART = 4 };
    int asked = (int)xh_settings_int("copy_threads");
    int share = node->cpu_count / (PART * devices);

    if (is_on("direct") || cores < 1)
        return 1;
    if (asked > 0)
        return asked < cores ? asked : cores;
    if (share < 1 || choice.backend->emulated)
        return 1;
    return share < MOST ? share : MOST;
}

/*
 * Move the count cores nearest to a device behind those that are still free, of
 * which the last `placed` ones are other feeders' already. The team takes its
 * cores from the front.
 */
static void place_feeders(hyb_machine_t *node, hyb_device_choice_t choice,
                          int placed, int count)
{
    int left = node->cpu_count - placed, *near, i, j;
    hyb_device_info_t info;

    if (left < 2 || choice.backend->describe(choice.index, &info) != XH_OK ||
        hyb_topology_near(node->topology, info.pci_address, node->cpus, left,
                          count, &near) != XH_OK)
        return;
    for (j = 0; j < count; j++) {
        for (i = 0; node->cpus[i] != near[j]; i++)
            ;
        node->cpus[i] = node->cpus[left - 1 - j];
        node->cpus[left - 1 - j] = near[j];
    }
    free(near);
}

/* Open this process's devices, each with feeders on cores near it. One that
 * does not open is left out, but settings that make no sense are an error. */
static xh_status_t open_devices(hyb_machine_t *node, const hyb_local_t *local,
                                const hyb_visible_devices_t *seen)
{
    const hyb_device_choice_t *chosen = seen->chosen;
    int i, *mine = NULL, mine_count = 0, placed = 0, feeders, left;
    xh_status_t status = XH_OK, opened;

    if (seen->count > 0)
        status = find_mine(node, local, seen, &mine, &mine_count);
    for (i = 0; status == XH_OK && i < mine_count; i++) {
        if (node->devices == HYB_EXECUTORS - 1)
            break;
        left = node->cpu_count - placed;
        feeders = feeders_of(node, chosen[mine[i]], mine_count, left);
        if (left > 0)
            place_feeders(node, chosen[mine[i]], placed, feeders);
        placed += left > 0 ? feeders : 0;
        opened = open_device(
            node, chosen[mine[i]],
            &node->cpus[left > 0 ? left - feeders : i % node->cpu_count],
            feeders);
        if (opened == XH_ERR_INPUT)
            status = opened;
        else if (opened != XH_OK)
            xh_log_warning("device %d of %s is left out", chosen[mine[i]].index,
                           chosen[mine[i]].backend->name);
    }
    free(mine);
    return status;
}

static xh_status_t open_chosen_devices(hyb_machine_t *node,
                                       const hyb_local_t *local)
{
    hyb_visible_devices_t seen = {.own = false};
    xh_status_t status = hyb_devices_choose(xh_settings_text("devices"),
                                            &seen.chosen, &seen.count);

    if (status != XH_OK)
        return status;
    status = open_devices(node, local, &seen);
    free(seen.chosen);
    return status;
}

/* Threads of the team: as asked for, else a core each that no feeder needs. */
static int team_size(const hyb_machine_t *node, int threads)
{
    int size = node->cpu_count - node->feeders;

    if (threads > 0)
        return threads;
    return size > 1 ? size : 1;
}

static xh_status_t open_team(hyb_machine_t *node, int threads)
{
    xh_status_t status = hyb_team_create(node->cpus, node->cpu_count,
                                         team_size(node, threads), &node->team);

    if (status != XH_OK)
        return status;
    hyb_team_add_helpers(node->team, node->feeders);
    return hyb_host_gemm_create(node->team, node->kernel, &node->host);
}

static xh_status_t read_settings(hyb_machine_t *node)
{
    xh_status_t status =
        hyb_split_parse(xh_settings_text("split"), &node->split);

    if (status != XH_OK)
        return status;
    node->tile = xh_settings_int("tile");
    node->slots = (int)xh_settings_int("pipeline");
    if (is_on("direct") && is_on("product_return")) {
        xh_log_error("product_return=on has the host add to C, which direct=on "
                     "leaves to devices");
        return XH_ERR_INPUT;
    }
    return choose_kernel(node);
}

static xh_status_t open_all(hyb_machine_t *node, int threads,
                            const hyb_local_t *local,
                            const hyb_visible_devices_t *seen)
{
    static const hyb_local_t alone = {.rank = 0, .count = 1};
    xh_status_t status = read_settings(node);

    if (local == NULL)
        local = &alone;
    if (status == XH_OK)
        status = hyb_topology_open(NULL, &node->topology);
    if (status == XH_OK)
        status =
            hyb_topology_cores(node->topology, local->rank, local->count,
                               local->masks, &node->cpus, &node->cpu_count);
    if (status == XH_OK)
        status = seen != NULL ? open_devices(node, local, seen)
                              : open_chosen_devices(node, local);
    if (status == XH_OK)
        status = open_team(node, threads);
    return status;
}

xh_status_t hyb_machine_open(int threads, const hyb_local_t *local,
                             hyb_machine_t **node_p)
{
    return hyb_machine_open_with(threads, local, NULL, node_p);
}

xh_status_t hyb_machine_open_with(int threads, const hyb_local_t *local,
                                  const hyb_visible_devices_t *seen,
                                  hyb_machine_t **node_p)
{
    hyb_machine_t *node = calloc(1, sizeof(*node));
    xh_status_t status;

    if (node == NULL)
        return XH_ERR_MEMORY;
    status = open_all(node, threads, local, seen);
    if (status != XH_OK) {
        hyb_machine_close(node);
        return status;
    }
    hyb_ratio_init(&node->ratio, node->devices > 0 ? 1.0 : 0.0, 1.0);
    *node_p = node;
    return XH_OK;
}

void hyb_machine_close(hyb_machine_t *node)
{
    int i;

    if (node == NULL)
        return;
    for (i = 0; i < node->devices; i++)
        hyb_stream_destroy(node->stream[i]);
    hyb_host_gemm_destroy(node->host);
    hyb_team_destroy(node->team);
    free(node->cpus);
    hyb_topology_close(node->topology);
    free(node);
}

hyb_team_t *hyb_machine_team(hyb_machine_t *node)
{
    return node->team;
}

const hyb_kernel_t *hyb_machine_kernel(const hyb_machine_t *node)
{
    return node->kernel;
}

hyb_split_t hyb_machine_split(const hyb_machine_t *node)
{
    return node->split;
}

int hyb_machine_devices(const hyb_machine_t *node)
{
    return node->devices;
}

hyb_device_t *hyb_machine_device(const hyb_machine_t *node, int index)
{
    return hyb_stream_device(node->stream[index]);
}

bool hyb_machine_uses(const hyb_machine_t *node, uint64_t devices, int device)
{
    return (devices >> device & 1) != 0 &&
           !hyb_stream_failed(node->stream[device]);
}

int hyb_machine_working_devices(const hyb_machine_t *node)
{
    int i, count = 0;

    for (i = 0; i < node->devices; i++)
        count += hyb_machine_uses(node, ~(uint64_t)0, i);
    return count;
}

bool hyb_machine_models_time(const hyb_machine_t *node)
{
    return node->models_time;
}

void hyb_machine_describe(hyb_machine_t *node, const char *prefix, FILE *out)
{
    char text[256];
    hyb_device_info_t info;
    int i;

    hyb_topology_describe(node->topology, text, sizeof(text));
    fprintf(out, "%s%s\n", prefix, text);
    fprintf(out, "%steam of %d threads, kernel %s\n", prefix,
            hyb_team_size(node->team),
            node->kernel != NULL ? node->kernel->name : "blas");
    for (i = 0; i < node->devices; i++)
        if (hyb_device_describe(hyb_machine_device(node, i), &info) == XH_OK)
            fprintf(out, "%sdevice %d: %s (%s:%d), %.1f GiB\n", prefix, i,
                    info.name, info.backend, info.index,
                    (double)info.memory / (1 << 30));
}
