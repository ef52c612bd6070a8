/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/product.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/product.h"
#include "base/settings.h"
#include "hybrid/device/machine_private.h"

static bool has(uint64_t devices, int device)
{
    return (devices >> device & 1) != 0;
}

/* Return the bits of `devices` that belong to working devices. */
static uint64_t working(const hyb_machine_t *machine, uint64_t devices)
{
    uint64_t found = 0;

    for (int i = 0; i < machine->devices; i++)
        if (has(devices, i) && hyb_machine_works(machine, i))
            found |= (uint64_t)1 << i;
    return found;
}

/* ---- cutting ------------------------------------------------------------- */

/*
 * The size of a tile if no rates are measured: several tens of tiles in all, so
 * that executors end together, but large enough to hide the link's latency.
 */
static int64_t plain_size(const int64_t shape[3])
{
    enum { LEAST = 256, MOST = 4096, UNIT = 64, ACROSS = 8 };
    int64_t size = xh_larger(shape[0], shape[1]) / ACROSS / UNIT * UNIT;

    return xh_smaller(MOST, xh_larger(LEAST, size));
}

/* Warn once that short memory makes tiles small, and the product slow. */
static void say_if_small(hyb_machine_t *machine,
                         const hyb_tiling_request_t *wanted,
                         const hyb_tiling_t *t)
{
    if (machine->said_small ||
        (2 * t->most_rows >= xh_smaller(wanted->tile_rows, t->m) &&
         2 * t->most_cols >= xh_smaller(wanted->tile_cols, t->n)))
        return;
    machine->said_small = true;
    xh_log_warning("a device has memory for tiles of %lld x %lld at most; %lld "
                   "x %lld would be faster",
                   (long long)t->most_rows, (long long)t->most_cols,
                   (long long)wanted->tile_rows, (long long)wanted->tile_cols);
}

/*
 * Choose how to cut the product m x n x k given by `shape`: by the setting's
 * tile size, else by the best size for the first device's measured rates. The
 * tiles must fit in the memory of every device.
 */
static hyb_tiling_request_t request(const hyb_machine_t *machine,
                                    const int64_t shape[3], uint64_t devices)
{
    hyb_tile_model_t model = {
        .m = shape[0], .n = shape[1], .k = shape[2], .slots = machine->slots};
    const hyb_machine_device_t *first = NULL;
    int64_t size = machine->tile > 0 ? machine->tile : plain_size(shape);
    uint64_t memory = UINT64_MAX;

    for (int i = machine->devices - 1; i >= 0; i--)
        if (has(devices, i)) {
            first = &machine->device[i];
            model.executors++;
            if (first->memory < memory)
                memory = first->memory;
        }
    if (machine->tile == 0 && first != NULL)
        size = hyb_tile_model_best(&model, &first->rates, size);
    return (hyb_tiling_request_t){.m = shape[0],
                                  .n = shape[1],
                                  .k = shape[2],
                                  .memory = memory,
                                  .tile_rows = size,
                                  .tile_cols = size,
                                  .c_slots = machine->slots};
}

/* ---- streams and memory -------------------------------------------------- */

/* Open a device's stream, and compute how much memory is left for tiles. */
static xh_status_t open_stream(hyb_machine_device_t *d)
{
    const hyb_stream_options_t options = {.stall_seconds =
                                              xh_settings_real("stall_seconds"),
                                          .rates = &d->rates,
                                          .cpus = d->cpu,
                                          .cpu_count = 1};
    hyb_device_info_t now;

    XH_TRY(hyb_stream_create(d->device, &options, &d->stream));
    XH_TRY(hyb_device_describe(d->device, &now));
    d->memory = now.memory_free / 16 * 15;
    if (d->memory > d->budget)
        d->memory = d->budget;
    return XH_OK;
}

/* Errors: XH_ERR_DEVICE: a device got no stream and has been declared failed */
static xh_status_t open_streams(hyb_machine_t *machine, uint64_t devices)
{
    for (int i = 0; i < machine->devices; i++) {
        hyb_machine_device_t *d = &machine->device[i];

        if (has(devices, i) && d->stream == NULL && open_stream(d) != XH_OK)
            hyb_device_fail(d->device, "it has no memory for queues");
    }
    return working(machine, devices) == devices ? XH_OK : XH_ERR_DEVICE;
}

/*
 * Shrink the tiles of all devices because device i could not allocate `bytes`.
 * A device with almost no memory would slow all others down, so its fifth
 * refusal fails it.
 */
static void shrink(hyb_machine_t *machine, int i, uint64_t bytes)
{
    enum { MOST = 4 };
    hyb_machine_device_t *d = &machine->device[i];

    if (d->refused++ == MOST) {
        hyb_device_fail(d->device, "it ran out of memory");
        return;
    }
    if (!d->is_said)
        xh_log_warning(
            "device %d lacks %.1f MiB for tiles; tiles become smaller", i,
            (double)bytes / (1 << 20));
    d->is_said = true;
    d->memory = bytes / 2;
}

/*
 * Provide memory for tiles cut by `tiling` on all devices in `devices`.
 * Errors: XH_ERR_MEMORY: a device refused, but may have enough for smaller
 * tiles. XH_ERR_DEVICE: a device has failed
 */
static xh_status_t make_room(hyb_machine_t *machine, uint64_t devices,
                             const hyb_tiling_t *tiling)
{
    xh_status_t status = XH_OK;

    for (int i = 0; i < machine->devices; i++) {
        if (!has(devices, i))
            continue;
        if (hyb_stream_reserve(machine->device[i].stream, tiling) ==
            XH_ERR_MEMORY) {
            shrink(machine, i, hyb_tiling_memory(tiling));
            status = XH_ERR_MEMORY;
        }
    }
    return working(machine, devices) == devices ? status : XH_ERR_DEVICE;
}

/* ---- begin --------------------------------------------------------------- */

/* Cut the product into tiles for which every device in `devices` has memory. */
static xh_status_t cut(hyb_machine_t *machine, const xh_gemm_t *gemm,
                       uint64_t devices, hyb_tiling_t *tiling_p)
{
    const int64_t shape[] = {gemm->c.rows, gemm->c.cols, xh_gemm_depth(gemm)};
    hyb_tiling_request_t wanted;
    xh_status_t status;

    do {
        wanted = request(machine, shape, devices);
        XH_TRY(hyb_tiling_plan(&wanted, tiling_p));
        status = make_room(machine, devices, tiling_p);
    } while (status == XH_ERR_MEMORY);
    say_if_small(machine, &wanted, tiling_p);
    return status;
}

xh_status_t hyb_product_begin(hyb_machine_t *machine, const xh_gemm_t *gemm,
                              uint64_t devices, hyb_product_t **product_p)
{
    double started = xh_clock_now();
    hyb_tiling_t tiling;
    hyb_product_t *p;

    if (!xh_gemm_conforms(gemm) || xh_gemm_flop(gemm) == 0.0 ||
        machine->multiplies)
        return XH_ERR_ARG;
    devices = working(machine, devices);
    if (devices == 0)
        return XH_ERR_DEVICE;
    XH_TRY(open_streams(machine, devices));
    XH_TRY(cut(machine, gemm, devices, &tiling));
    p = malloc(sizeof(*p));
    if (p == NULL || hyb_product_init(p, gemm, &tiling) != XH_OK) {
        free(p);
        return XH_ERR_MEMORY;
    }
    p->machine = machine;
    p->devices = devices;
    p->started = started;
    machine->multiplies = true;
    *product_p = p;
    return XH_OK;
}

void hyb_product_start(hyb_product_t *p)
{
    for (int i = 0; i < p->machine->devices; i++)
        if (has(p->devices, i))
            hyb_stream_begin(p->machine->device[i].stream, p, i + 1);
}

/* ---- finish -------------------------------------------------------------- */

static void say_lost(const hyb_device_info_t *device)
{
    xh_log_error("%s device %d (%s), which wrote into C, is lost",
                 device->backend, device->index, device->name);
}

/* Count the tiles that the host took: those from p->back on. */
static void count_host(const hyb_product_t *p, hyb_work_t *work)
{
    int64_t tiles = hyb_tiling_count(&p->tiling);

    work->tiles = tiles - p->back;
    for (int64_t tile = p->back; tile < tiles; tile++) {
        xh_rectangle_t part = hyb_tiling_tile(&p->tiling, tile).part;

        work->flop +=
            2.0 * (double)part.rows * (double)part.cols * (double)p->tiling.k;
    }
}

xh_status_t hyb_product_finish(hyb_product_t *p, hyb_report_t *report_p)
{
    hyb_report_t report = {.share = 1.0, .tiling = p->tiling};
    int lost;

    for (int i = 0; i < p->machine->devices; i++)
        if (has(p->devices, i))
            hyb_stream_finish(p->machine->device[i].stream, &report.device[i]);
    lost = hyb_product_lost(p);
    if (lost >= 0)
        say_lost(hyb_machine_device_info(p->machine, lost));
    count_host(p, &report.team);
    report.seconds = xh_clock_now() - p->started;
    if (lost < 0 && report_p != NULL) {
        report.owner = p->owner;
        p->owner = NULL; /* owned by the report now */
        *report_p = report;
    }
    p->machine->multiplies = false;
    hyb_product_destroy(p);
    free(p);
    return lost < 0 ? XH_OK : XH_ERR_DEVICE;
}
