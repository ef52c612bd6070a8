/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/device/device_rates.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/device/machine_private.h"

/* The kernel that the user asks for, where this processor has it. */
static xh_status_t choose_kernel(hyb_machine_t *machine)
{
    const char *name = xh_settings_text("kernel");

    machine->kernel = hyb_kernel_of_setting();
    if (machine->kernel != NULL)
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
 * This process's part of what is free, less some for the vendor's library. With
 * next to nothing, its tiles, and those of all other devices with it, would be
 * tiny.
 *
 * sharers  in  processes that use the device, of which others may have taken
 *              their parts
 */
static xh_status_t budget(const hyb_device_info_t *info, int sharers,
                          uint64_t *bytes_p)
{
    enum { LEAST = 1 << 20, PART = 64 };
    const double mib = 1 << 20;
    uint64_t share = info->memory / (uint64_t)sharers;
    uint64_t bytes = info->memory_free < share ? info->memory_free : share;

    if (info->memory_free < LEAST || info->memory_free < info->memory / PART) {
        xh_log_error("%s has too little free memory: %.1f of %.1f MiB",
                     info->name, (double)info->memory_free / mib,
                     (double)info->memory / mib);
        return XH_ERR_MEMORY;
    }
    *bytes_p = bytes / 16 * 15;
    return XH_OK;
}

/* one device that is to be opened, and who works for it */
typedef struct {
    hyb_device_choice_t choice;
    int sharers; /* processes that use it */
    const int *cpus;
    int cpu_count;
} opening_t;

/* Measure an open device, give it a stream, and see what memory is left. */
static xh_status_t equip(const hyb_machine_t *machine, const opening_t *o,
                         hyb_device_t *device, hyb_machine_device_t *d,
                         bool *models_time_p)
{
    const hyb_stream_options_t options = {.executor = machine->devices + 1,
                                          .tile_return = machine->tile_return,
                                          .stall_seconds =
                                              xh_settings_real("stall_seconds"),
                                          .rates = &d->rates,
                                          .pins = &machine->pins};
    hyb_device_info_t info;

    if (machine->tile == 0 && !o->choice.backend->emulated)
        HYB_TRY(hyb_device_rates(device, &d->rates));
    HYB_TRY(
        hyb_stream_create(device, o->cpus, o->cpu_count, &options, &d->stream));
    HYB_TRY(hyb_device_describe(device, &info));
    *models_time_p = info.models_time;
    return budget(&info, o->sharers, &d->memory);
}

static xh_status_t open_device(hyb_machine_t *machine, const opening_t *o)
{
    hyb_machine_device_t *d = &machine->device[machine->devices];
    hyb_device_t *device;
    bool models_time;
    xh_status_t status;

    HYB_TRY(hyb_device_open(o->choice, o->cpus, o->cpu_count, &device));
    *d = (hyb_machine_device_t){.commit_threads = o->cpu_count};
    status = equip(machine, o, device, d, &models_time);
    if (status == XH_OK) {
        machine->models_time = machine->models_time || models_time;
        machine->feeders += models_time ? 0 : o->cpu_count;
        machine->devices++;
    } else if (d->stream != NULL) {
        hyb_stream_destroy(d->stream); /* and its device */
    } else {
        hyb_device_close(device);
    }
    return status;
}

/* which of the devices seen this process drives, and with how many others */
typedef struct {
    int *index, count; /* among those seen, in order */
    int *sharers;      /* of each one seen: processes that drive it */
} deal_t;

/* Who of the node's processes drives each of the devices; what goes wrong with
 * another one's part is for that one to say. */
static xh_status_t deal_out(const hyb_machine_t *machine,
                            const hyb_local_t *local,
                            const char *const *addresses, int devices,
                            deal_t *deal)
{
    hyb_local_t who = *local;
    int i, *theirs, count;
    xh_status_t status;

    for (who.rank = 0; who.rank < local->count; who.rank++) {
        status = hyb_topology_deal(machine->topology, &who, addresses, devices,
                                   &theirs, &count);
        if (status != XH_OK && who.rank == local->rank)
            return status;
        if (status != XH_OK)
            continue;
        for (i = 0; i < count; i++)
            deal->sharers[theirs[i]]++;
        if (who.rank == local->rank) {
            deal->index = theirs;
            deal->count = count;
        } else {
            free(theirs);
        }
    }
    return XH_OK;
}

/* Those of the devices seen that this process drives. */
static xh_status_t find_mine(const hyb_machine_t *machine,
                             const hyb_local_t *local,
                             const hyb_visible_devices_t *seen, deal_t *deal)
{
    static const hyb_local_t alone = {.rank = 0, .count = 1};
    size_t count = (size_t)seen->count + 1;
    hyb_device_info_t *info = calloc(count, sizeof(*info));
    const char **addresses = calloc(count, sizeof(*addresses));
    xh_status_t status = XH_ERR_MEMORY;
    int i;

    deal->sharers = calloc(count, sizeof(*deal->sharers));
    if (info != NULL && addresses != NULL && deal->sharers != NULL) {
        for (i = 0; i < seen->count; i++) {
            addresses[i] = info[i].pci_address;
            seen->chosen[i].backend->describe(seen->chosen[i].index, &info[i]);
        }
        status = deal_out(machine, seen->own ? &alone : local, addresses,
                          seen->count, deal);
    }
    free(addresses);
    free(info);
    return status;
}

/*
 * Threads that feed one of so many devices, at most so many as have a core. One
 * is enough where it has nothing to copy, or little, as from emulated devices.
 * A core copies some 10 GB/s, a link brings several times as much.
 */
static int feeders_of(const hyb_machine_t *machine, hyb_device_choice_t choice,
                      int devices, int cores)
{
    enum { MOST = 4, PART = 4 };
    int asked = (int)xh_settings_int("copy_threads");
    int share = machine->cpu_count / (PART * devices);

    if (machine->tile_return == HYB_RETURN_DIRECT || cores < 1)
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
static void place_feeders(hyb_machine_t *machine, hyb_device_choice_t choice,
                          int placed, int count)
{
    int left = machine->cpu_count - placed;
    hyb_device_info_t info;

    if (left >= 2 && choice.backend->describe(choice.index, &info) == XH_OK)
        hyb_topology_put_near_last(machine->topology, info.pci_address,
                                   machine->cpus, left, count);
}

/* Open the devices dealt, each with feeders on cores near it. One that does not
 * open is left out, but settings that make no sense are an error. */
static xh_status_t open_dealt(hyb_machine_t *machine,
                              const hyb_device_choice_t *chosen,
                              const deal_t *deal)
{
    int i, placed = 0, left;
    xh_status_t status;

    for (i = 0; i < deal->count && machine->devices < HYB_EXECUTORS - 1; i++) {
        opening_t o = {.choice = chosen[deal->index[i]],
                       .sharers = deal->sharers[deal->index[i]]};

        left = machine->cpu_count - placed;
        o.cpu_count = feeders_of(machine, o.choice, deal->count, left);
        o.cpus =
            &machine
                 ->cpus[left > 0 ? left - o.cpu_count : i % machine->cpu_count];
        if (left > 0) {
            place_feeders(machine, o.choice, placed, o.cpu_count);
            placed += o.cpu_count;
        }
        status = open_device(machine, &o);
        if (status == XH_ERR_INPUT)
            return status;
        if (status != XH_OK)
            xh_log_warning("device %d of %s is left out", o.choice.index,
                           o.choice.backend->name);
    }
    return XH_OK;
}

static xh_status_t open_devices(hyb_machine_t *machine,
                                const hyb_local_t *local,
                                const hyb_visible_devices_t *seen)
{
    hyb_visible_devices_t found = {.own = false};
    deal_t deal = {.count = 0};
    xh_status_t status = XH_OK;

    if (seen == NULL)
        status = hyb_devices_choose(xh_settings_text("devices"), &found.chosen,
                                    &found.count);
    if (seen == NULL)
        seen = &found;
    if (status == XH_OK && seen->count > 0)
        status = find_mine(machine, local, seen, &deal);
    if (status == XH_OK)
        status = open_dealt(machine, seen->chosen, &deal);
    free(deal.index);
    free(deal.sharers);
    free(found.chosen);
    return status;
}

/* Threads of the team: as asked for, else a core each that no feeder needs. */
static int team_size(const hyb_machine_t *machine, int threads)
{
    int size = machine->cpu_count - machine->feeders;

    if (threads > 0)
        return threads;
    return size > 1 ? size : 1;
}

static xh_status_t open_team(hyb_machine_t *machine, int threads)
{
    HYB_TRY(hyb_team_create(machine->cpus, machine->cpu_count,
                            team_size(machine, threads), &machine->team));
    hyb_team_add_helpers(machine->team, machine->feeders);
    return XH_OK;
}

static hyb_tile_return_t tile_return_of_setting(void)
{
    const char *text = xh_settings_text("tile_return");

    if (strcmp(text, "product") == 0)
        return HYB_RETURN_PRODUCT;
    return strcmp(text, "direct") == 0 ? HYB_RETURN_DIRECT : HYB_RETURN_STAGED;
}

static xh_status_t read_settings(hyb_machine_t *machine)
{
    machine->tile = xh_settings_int("tile");
    machine->slots = (int)xh_settings_int("pipeline");
    machine->tile_return = tile_return_of_setting();
    machine->segment_bytes = 1 << 30;
    return choose_kernel(machine);
}

static xh_status_t open_all(hyb_machine_t *machine, int threads,
                            const hyb_local_t *local,
                            const hyb_visible_devices_t *seen)
{
    static const hyb_local_t alone = {.rank = 0, .count = 1};

    if (local == NULL)
        local = &alone;
    HYB_TRY(read_settings(machine));
    HYB_TRY(hyb_topology_open(NULL, &machine->topology));
    HYB_TRY(hyb_topology_cores(machine->topology, local, &machine->cpus,
                               &machine->cpu_count));
    HYB_TRY(open_devices(machine, local, seen));
    return open_team(machine, threads);
}

xh_status_t hyb_machine_open(int threads, const hyb_local_t *local,
                             const hyb_visible_devices_t *seen,
                             hyb_machine_t **machine_p)
{
    hyb_machine_t *machine = calloc(1, sizeof(*machine));
    xh_status_t status;

    if (machine == NULL)
        return XH_ERR_MEMORY;
    status = open_all(machine, threads, local, seen);
    if (status != XH_OK) {
        hyb_machine_close(machine);
        return status;
    }
    *machine_p = machine;
    return XH_OK;
}

void hyb_machine_close(hyb_machine_t *machine)
{
    int i;

    if (machine == NULL)
        return;
    for (i = 0; i < machine->devices; i++)
        hyb_stream_destroy(machine->device[i].stream);
    hyb_team_destroy(machine->team);
    free(machine->cpus);
    hyb_topology_close(machine->topology);
    free(machine);
}

hyb_team_t *hyb_machine_team(hyb_machine_t *machine)
{
    return machine->team;
}

const hyb_kernel_t *hyb_machine_kernel(const hyb_machine_t *machine)
{
    return machine->kernel;
}

int hyb_machine_devices(const hyb_machine_t *machine)
{
    return machine->devices;
}

hyb_device_t *hyb_machine_device(const hyb_machine_t *machine, int index)
{
    return hyb_stream_device(machine->device[index].stream);
}

bool hyb_machine_works(const hyb_machine_t *machine, int device)
{
    return !hyb_device_failed(hyb_machine_device(machine, device));
}

int hyb_machine_working_devices(const hyb_machine_t *machine)
{
    int i, count = 0;

    for (i = 0; i < machine->devices; i++)
        count += hyb_machine_works(machine, i);
    return count;
}

uint64_t hyb_machine_memory(const hyb_machine_t *machine, int device)
{
    return machine->device[device].memory;
}

void hyb_machine_set_aside(hyb_machine_t *machine, int device, uint64_t bytes)
{
    machine->device[device].aside = bytes;
    hyb_stream_release(machine->device[device].stream);
}

bool hyb_machine_models_time(const hyb_machine_t *machine)
{
    return machine->models_time;
}

void hyb_machine_describe(hyb_machine_t *machine, const char *prefix, FILE *out)
{
    char text[256];
    hyb_device_info_t info;
    int i;

    hyb_topology_describe(machine->topology, text, sizeof(text));
    fprintf(out, "%s%s\n", prefix, text);
    fprintf(out, "%steam of %d threads, kernel %s\n", prefix,
            hyb_team_size(machine->team),
            machine->kernel != NULL ? machine->kernel->name : "blas");
    for (i = 0; i < machine->devices; i++)
        if (hyb_device_describe(hyb_machine_device(machine, i), &info) == XH_OK)
            fprintf(out, "%sdevice %d: %s (%s:%d), %.1f GiB\n", prefix, i,
                    info.name, info.backend, info.index,
                    (double)info.memory / (1 << 30));
}

/* ---- pinning on all devices ---------------------------------------------- */

static size_t bytes_of(xh_view_t v)
{
    return (size_t)(v.ld * v.cols) * sizeof(double);
}

/* What is refused MOST times is not asked for again: each time is said. */
static void pin_on(hyb_device_t *device, const hyb_pin_t *pin)
{
    enum { MOST = 3 };
    int64_t i, count = hyb_pins_count(pin), refused = 0;
    xh_status_t status = XH_OK;

    for (i = 0; i < count && refused < MOST && status != XH_ERR_DEVICE; i++) {
        xh_view_t v = hyb_pins_part(pin, i);

        status = hyb_device_pin(device, v.data, bytes_of(v));
        refused += status == XH_ERR_MEMORY;
    }
    if (refused > 0 && count > 1)
        xh_log_warning("%lld of %lld segments of a matrix are pinned",
                       (long long)(i - refused), (long long)count);
}

void hyb_machine_pin(hyb_machine_t *machine, xh_view_t matrix)
{
    hyb_pins_t *pins = &machine->pins;
    hyb_pin_t *pin = &pins->pin[pins->count];
    int i;

    if (matrix.rows == 0 || matrix.cols == 0 || pins->count == HYB_PINS)
        return;
    *pin =
        (hyb_pin_t){matrix, hyb_pins_segment(matrix, machine->segment_bytes)};
    pins->count++;
    for (i = 0; i < machine->devices; i++)
        if (hyb_machine_works(machine, i))
            pin_on(hyb_machine_device(machine, i), pin);
}

void hyb_machine_pin_flat(hyb_machine_t *machine, double *memory, size_t bytes)
{
    int64_t count = (int64_t)(bytes / sizeof(double));

    hyb_machine_pin(machine, (xh_view_t){memory, count, 1, count});
}

void hyb_machine_unpin(hyb_machine_t *machine, const double *memory)
{
    hyb_pins_t *pins = &machine->pins;
    int64_t segment;
    int i, j = 0;

    while (j < pins->count && pins->pin[j].matrix.data != memory)
        j++;
    if (j == pins->count)
        return;
    for (i = 0; i < machine->devices; i++)
        for (segment = 0; segment < hyb_pins_count(&pins->pin[j]); segment++)
            hyb_device_unpin(hyb_machine_device(machine, i),
                             hyb_pins_part(&pins->pin[j], segment).data);
    pins->pin[j] = pins->pin[--pins->count];
}
