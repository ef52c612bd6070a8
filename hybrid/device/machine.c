/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "base/settings.h"
#include "hybrid/device/gemm_config_file.h"
#include "hybrid/device/rates.h"
#include "hybrid/cpu/trial/trial.h"
#include "hybrid/device/machine_private.h"

/*
 * Compute this process's share of the device's free memory, less some for the
 * vendor's library. A device with almost no free memory is refused: all devices
 * have tiles of one size, which would become tiny.
 *
 * sharers  in  processes that use the device, some of which may have taken
 *              their parts already
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

/* Open and measure a device, whose threads run on `cpu`, and compute how much
 * of its memory this process may use. */
static xh_status_t open_device(hyb_machine_t *machine,
                               hyb_device_choice_t choice, int sharers,
                               const int *cpu)
{
    hyb_machine_device_t *d = &machine->device[machine->devices];
    xh_status_t status;

    *d = (hyb_machine_device_t){.cpu = cpu};
    XH_TRY(hyb_device_open(choice, cpu, 1, &d->device));
    hyb_device_cut_copies(d->device, &machine->pinned);
    status = hyb_device_load_gemm_configs(d->device);
    if (status == XH_OK && machine->tile == 0 && !choice.backend->emulated)
        status = hyb_device_rates(d->device, &d->rates);
    if (status == XH_OK)
        status = hyb_device_describe(d->device, &d->info);
    if (status == XH_OK)
        status = budget(&d->info, sharers, &d->budget);
    if (status != XH_OK) {
        hyb_device_close(d->device);
        return status;
    }
    machine->models_time = machine->models_time || d->info.models_time;
    machine->feeders += !d->info.models_time;
    machine->devices++;
    return XH_OK;
}

/* ---- which process drives which devices ---------------------------------- */

static const hyb_local_t alone = {.rank = 0, .count = 1};

typedef struct {
    /* one entry per visible device */
    hyb_device_info_t *info;
    const char **address;
    int *sharers; /* number of processes that drive the device */
    /* the devices that this process drives, in order */
    int *index, count;
} deal_t;

/* Decide which of the node's processes drives each device. A process reports
 * only errors in its own part. */
static xh_status_t deal_out(const hyb_machine_t *machine,
                            const hyb_local_t *local,
                            const hyb_visible_devices_t *seen, deal_t *deal)
{
    const hyb_local_t *all = seen->own ? &alone : local;
    hyb_local_t who = *all;
    int *theirs, count;

    for (int i = 0; i < seen->count; i++) {
        deal->address[i] = deal->info[i].pci_address;
        seen->chosen[i].backend->describe(seen->chosen[i].index,
                                          &deal->info[i]);
    }
    for (who.rank = 0; who.rank < who.count; who.rank++) {
        xh_status_t status =
            hyb_topology_deal(machine->topology, &who, deal->address,
                              seen->count, &theirs, &count);

        if (status != XH_OK && who.rank == all->rank)
            return status;
        if (status != XH_OK)
            continue;
        for (int i = 0; i < count; i++)
            deal->sharers[theirs[i]]++;
        if (who.rank == all->rank) {
            deal->index = theirs;
            deal->count = count;
        } else {
            free(theirs);
        }
    }
    return XH_OK;
}

/*
 * Open the devices of this process, each with a feeder on a core near it. The
 * last `placed` cores of the list belong to feeders; the nearest free core
 * moves in front of them. The team takes its cores from the front. A device
 * that does not open is left out, but an invalid setting is an error.
 */
static xh_status_t open_dealt(hyb_machine_t *machine,
                              const hyb_device_choice_t *chosen,
                              const deal_t *deal)
{
    int placed = 0;

    for (int i = 0; i < deal->count && machine->devices < HYB_EXECUTORS - 1;
         i++) {
        int index = deal->index[i], left = machine->cpu_count - placed;
        int core = left > 0 ? left - 1 : i % machine->cpu_count;
        xh_status_t status;

        if (left > 0) {
            hyb_topology_put_nearest_last(
                machine->topology, deal->address[index], machine->cpus, left);
            placed++;
        }
        status = open_device(machine, chosen[index], deal->sharers[index],
                             &machine->cpus[core]);
        if (status == XH_ERR_INPUT)
            return status;
        if (status != XH_OK)
            xh_log_warning("device %d of %s is left out", chosen[index].index,
                           chosen[index].backend->name);
    }
    return XH_OK;
}

static xh_status_t open_devices(hyb_machine_t *machine,
                                const hyb_local_t *local,
                                const hyb_visible_devices_t *seen)
{
    size_t count = (size_t)seen->count;
    deal_t deal = {.info = calloc(count, sizeof(*deal.info)),
                   .address = calloc(count, sizeof(*deal.address)),
                   .sharers = calloc(count, sizeof(*deal.sharers))};
    xh_status_t status = XH_ERR_MEMORY;

    if (deal.info != NULL && deal.address != NULL && deal.sharers != NULL)
        status = deal_out(machine, local, seen, &deal);
    if (status == XH_OK)
        status = open_dealt(machine, seen->chosen, &deal);
    free(deal.info);
    free(deal.address);
    free(deal.sharers);
    free(deal.index);
    return status;
}

/* Create the team with `threads` threads; if 0, with one per core without a
 * feeder. */
static xh_status_t open_team(hyb_machine_t *machine, int threads)
{
    int left = machine->cpu_count - machine->feeders;

    if (threads <= 0)
        threads = left > 1 ? left : 1;
    XH_TRY(hyb_team_create(machine->cpus, machine->cpu_count, threads,
                           &machine->team));
    hyb_team_add_helpers(machine->team, machine->feeders);
    return XH_OK;
}

static xh_status_t open_all(hyb_machine_t *machine, int threads,
                            const hyb_local_t *local,
                            const hyb_visible_devices_t *seen)
{
    hyb_visible_devices_t found = {.own = false};
    xh_status_t status = XH_OK;

    machine->tile = xh_settings_int("tile");
    machine->slots = (int)xh_settings_int("pipeline");
    machine->segment_bytes = 1 << 30;
    XH_TRY(hyb_kernel_of_setting(&machine->kernel));
    XH_TRY(hyb_topology_open(NULL, &machine->topology));
    XH_TRY(hyb_topology_cores(machine->topology, local, &machine->cpus,
                              &machine->cpu_count));
    if (seen == NULL) {
        XH_TRY(hyb_devices_choose(xh_settings_text("devices"), &found.chosen,
                                  &found.count));
        seen = &found;
    }
    if (seen->count > 0)
        status = open_devices(machine, local, seen);
    free(found.chosen);
    return status == XH_OK ? open_team(machine, threads) : status;
}

xh_status_t hyb_machine_open(int threads, const hyb_local_t *local,
                             const hyb_visible_devices_t *seen,
                             hyb_machine_t **machine_p)
{
    hyb_machine_t *machine = calloc(1, sizeof(*machine));
    xh_status_t status;

    if (machine == NULL)
        return XH_ERR_MEMORY;
    status = open_all(machine, threads, local != NULL ? local : &alone, seen);
    if (status != XH_OK) {
        hyb_machine_close(machine);
        return status;
    }
    *machine_p = machine;
    return XH_OK;
}

void hyb_machine_close(hyb_machine_t *machine)
{
    if (machine == NULL)
        return;
    for (int i = 0; i < machine->devices; i++) {
        hyb_stream_destroy(machine->device[i].stream);
        hyb_device_close(machine->device[i].device);
    }
    hyb_team_destroy(machine->team);
    free(machine->cpus);
    hyb_topology_close(machine->topology);
    free(machine);
}

hyb_machine_t *hyb_machine_alone(const hyb_machine_t *machine, int device)
{
    hyb_machine_t *alone = malloc(sizeof(*alone));

    if (alone == NULL)
        return NULL;
    *alone = *machine;
    alone->pinned.count = 0;
    alone->devices = device >= 0 ? 1 : 0;
    if (device >= 0)
        alone->device[0] = machine->device[device];
    return alone;
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
    return machine->device[index].device;
}

bool hyb_machine_works(const hyb_machine_t *machine, int device)
{
    return !hyb_device_failed(hyb_machine_device(machine, device));
}

int hyb_machine_working_devices(const hyb_machine_t *machine)
{
    int count = 0;

    for (int i = 0; i < machine->devices; i++)
        count += hyb_machine_works(machine, i);
    return count;
}

const hyb_device_info_t *hyb_machine_device_info(const hyb_machine_t *machine,
                                                 int device)
{
    return &machine->device[device].info;
}

int hyb_machine_core(const hyb_machine_t *machine, int device)
{
    return *machine->device[device].cpu;
}

uint64_t hyb_machine_memory(const hyb_machine_t *machine, int device)
{
    return machine->device[device].budget;
}

double hyb_machine_rate(const hyb_machine_t *machine, int device, int64_t depth)
{
    const int64_t size = hyb_rate_size(HYB_RATE_SIZES - 1);
    double measured =
        hyb_rate_table_rate(&machine->device[device].rates, size, size, depth);

    return measured > 0.0 ? measured : machine->device[device].info.gemm_rate;
}

double hyb_machine_link_rate(const hyb_machine_t *machine, int device)
{
    double measured = machine->device[device].rates.link_rate;

    return measured > 0.0 ? measured : machine->device[device].info.link_rate;
}

void hyb_machine_free_tiles(hyb_machine_t *machine, int device)
{
    hyb_stream_destroy(machine->device[device].stream);
    machine->device[device].stream = NULL;
}

bool hyb_machine_models_time(const hyb_machine_t *machine)
{
    return machine->models_time;
}

void hyb_machine_describe(hyb_machine_t *machine, const char *prefix, FILE *out)
{
    char text[256];

    hyb_topology_describe(machine->topology, text, sizeof(text));
    fprintf(out, "%s%s\n", prefix, text);
    fprintf(out, "%steam of %d threads, kernel %s\n", prefix,
            hyb_team_size(machine->team),
            machine->kernel != NULL ? machine->kernel->name : "blas");
    for (int i = 0; i < machine->devices; i++) {
        const hyb_device_info_t *info = hyb_machine_device_info(machine, i);

        fprintf(out, "%sdevice %d: %s (%s:%d), %.1f GiB\n", prefix, i,
                info->name, info->backend, info->index,
                (double)info->memory / (1 << 30));
    }
}

/* ---- pinning on all devices ---------------------------------------------- */

/* Pin on one device. Each refusal is logged, so stop after MOST of them. */
static void pin_on(hyb_device_t *device, const hyb_pinned_matrix_t *pin)
{
    enum { MOST = 3 };
    int64_t i, count = hyb_pinned_count(pin), refused = 0;
    xh_status_t status = XH_OK;

    for (i = 0; i < count && refused < MOST && status != XH_ERR_DEVICE; i++) {
        xh_view_t v = hyb_pinned_part(pin, i);

        status = hyb_device_pin(device, v.data,
                                (size_t)(v.ld * v.cols) * sizeof(double));
        refused += status == XH_ERR_MEMORY;
    }
    if (refused > 0 && count > 1)
        xh_log_warning("%lld of %lld segments of a matrix are pinned",
                       (long long)(i - refused), (long long)count);
}

void hyb_machine_pin(hyb_machine_t *machine, xh_view_t matrix)
{
    hyb_pinned_memory_t *pinned = &machine->pinned;
    hyb_pinned_matrix_t *pin = &pinned->pin[pinned->count];

    if (matrix.rows == 0 || matrix.cols == 0 ||
        pinned->count == HYB_PINNED_MATRICES)
        return;
    *pin = (hyb_pinned_matrix_t){
        matrix, hyb_pinned_segment(matrix, machine->segment_bytes)};
    pinned->count++;
    for (int i = 0; i < machine->devices; i++)
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
    hyb_pinned_memory_t *pinned = &machine->pinned;
    int j = 0;

    while (j < pinned->count && pinned->pin[j].matrix.data != memory)
        j++;
    if (j == pinned->count)
        return;
    for (int i = 0; i < machine->devices; i++)
        for (int64_t segment = 0; segment < hyb_pinned_count(&pinned->pin[j]);
             segment++)
            hyb_device_unpin(hyb_machine_device(machine, i),
                             hyb_pinned_part(&pinned->pin[j], segment).data);
    pinned->pin[j] = pinned->pin[--pinned->count];
}
