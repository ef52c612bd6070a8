/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/product.h"

#include <stdlib.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/product.h"
#include "hybrid/device/machine_private.h"

static bool has(uint64_t devices, int device)
{
    return (devices >> device & 1) != 0;
}

/* Those of devices, as bits, that work. */
static uint64_t working(const hyb_machine_t *machine, uint64_t devices)
{
    uint64_t found = 0;

    for (int i = 0; i < machine->devices; i++)
        if (has(devices, i) && hyb_machine_works(machine, i))
            found |= (uint64_t)1 << i;
    return found;
}

static void say_dropped(int device)
{
    xh_log_warning("device %d is dropped; the others compute its tiles",
                   device);
}

/* ---- cutting ------------------------------------------------------------- */

/*
 * Where no rates are measured: some tens of tiles an executor, so that all end
 * together, and none so small that the link's latency shows.
 */
static int64_t plain_size(const int64_t shape[3])
{
    enum { LEAST = 256, MOST = 4096, UNIT = 64, ACROSS = 8 };
    int64_t size = xh_larger(shape[0], shape[1]) / ACROSS / UNIT * UNIT;

    return xh_smaller(MOST, xh_larger(LEAST, size));
}

/* Once: that memory is so short that it costs much speed. */
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
 * How a product of m x n x k, shape, is to be cut: to tiles of the size that is
 * asked for, else the best by the first device's measured rates, in memory that
 * every one of devices can give.
 */
static hyb_tiling_request_t request(const hyb_machine_t *machine,
                                    const int64_t shape[3], uint64_t devices)
{
    hyb_tile_model_t model = {.m = shape[0],
                              .n = shape[1],
                              .k = shape[2],
                              .slots = machine->slots,
                              .reads_c =
                                  machine->tile_return != HYB_RETURN_PRODUCT};
    const hyb_machine_device_t *first = NULL;
    int64_t size = machine->tile > 0 ? machine->tile : plain_size(shape);
    uint64_t memory = UINT64_MAX;

    for (int i = machine->devices - 1; i >= 0; i--)
        if (has(devices, i)) {
            first = &machine->device[i];
            model.executors++;
            if (first->memory - first->aside < memory)
                memory = first->memory - first->aside;
        }
    if (machine->tile == 0 && first != NULL) {
        if (machine->tile_return != HYB_RETURN_DIRECT)
            model.commit_rate =
                first->rates.commit_rate * first->commit_threads;
        size = hyb_tile_model_best(&model, &first->rates, size);
    }
    return (hyb_tiling_request_t){.m = shape[0],
                                  .n = shape[1],
                                  .k = shape[2],
                                  .memory = memory,
                                  .tile_rows = size,
                                  .tile_cols = size,
                                  .c_slots = machine->slots};
}

/* ---- memory -------------------------------------------------------------- */

/* A device had not as many bytes: it gets smaller tiles, as all do. One that
 * has next to nothing would make all slow. */
static void shrink(hyb_machine_t *machine, int i, uint64_t bytes)
{
    enum { MOST = 4 };
    hyb_machine_device_t *d = &machine->device[i];

    if (d->refused++ == MOST) {
        hyb_device_fail(hyb_stream_device(d->stream), "it ran out of memory");
        say_dropped(i);
        return;
    }
    if (!d->is_said)
        xh_log_warning(
            "device %d lacks %.1f MiB for tiles; tiles become smaller", i,
            (double)bytes / (1 << 20));
    d->is_said = true;
    d->memory = d->aside + bytes / 2;
}

/* All of devices have room for tiles that are cut so; false: not all had, but
 * may for smaller ones. */
static bool make_room(hyb_machine_t *machine, uint64_t devices,
                      const hyb_tiling_t *tiling)
{
    bool had = true;

    for (int i = 0; i < machine->devices; i++) {
        xh_status_t status =
            has(devices, i)
                ? hyb_stream_reserve(machine->device[i].stream, tiling)
                : XH_OK;

        if (status == XH_ERR_MEMORY)
            shrink(machine, i, hyb_tiling_memory(tiling));
        else if (status != XH_OK)
            say_dropped(i);
        had = had && status == XH_OK;
    }
    return had;
}

/*
 * The tiles of products up to shape; false: there are none. Smaller products
 * may have longer tiles, by the last one that is merged with its neighbour:
 * with room for these, where there is, none grows later.
 */
static bool longest_tiles(const hyb_machine_t *machine, const int64_t shape[3],
                          hyb_tiling_t *tiling_p)
{
    uint64_t devices = working(machine, ~(uint64_t)0);
    hyb_tiling_request_t wanted = request(machine, shape, devices);
    hyb_tiling_t longest;

    if (devices == 0 || hyb_tiling_plan(&wanted, tiling_p) != XH_OK)
        return false;
    longest = *tiling_p;
    longest.most_rows =
        xh_smaller(longest.m, longest.tile_rows + longest.tile_rows / 2);
    longest.most_cols =
        xh_smaller(longest.n, longest.tile_cols + longest.tile_cols / 2);
    if (hyb_tiling_memory(&longest) <= wanted.memory)
        *tiling_p = longest;
    return true;
}

void hyb_product_reserve(hyb_machine_t *machine, int64_t m, int64_t n,
                         int64_t k)
{
    const int64_t shape[] = {m, n, k};
    hyb_tiling_t tiling;

    for (int i = 0; i < machine->devices; i++) { /* others may have left */
        machine->device[i].memory = machine->device[i].budget;
        machine->device[i].refused = 0;
    }
    while (longest_tiles(machine, shape, &tiling) &&
           !make_room(machine, working(machine, ~(uint64_t)0), &tiling))
        ;
}

uint64_t hyb_product_bytes(const hyb_machine_t *machine, int64_t m, int64_t n,
                           int64_t k)
{
    hyb_tiling_t tiling;
    uint64_t bytes = 0;

    if (!longest_tiles(machine, (const int64_t[]){m, n, k}, &tiling))
        return 0;
    for (int i = 0; i < machine->devices; i++)
        if (hyb_machine_works(machine, i))
            bytes +=
                hyb_stream_staging_bytes(machine->device[i].stream, &tiling);
    return bytes;
}

/* ---- begin --------------------------------------------------------------- */

/* Tiles for which all of the way's devices that work have room. */
static xh_status_t cut(hyb_machine_t *machine, const xh_gemm_t *gemm,
                       const hyb_product_way_t *way, hyb_tiling_t *tiling_p,
                       uint64_t *devices_p)
{
    const int64_t shape[] = {gemm->c.rows, gemm->c.cols, xh_gemm_depth(gemm)};
    hyb_tiling_request_t wanted;

    do {
        *devices_p = working(machine, way->devices);
        wanted = request(machine, shape, *devices_p);
        XH_TRY(way->plan(&wanted, tiling_p));
    } while (!make_room(machine, *devices_p, tiling_p));
    say_if_small(machine, &wanted, tiling_p);
    return XH_OK;
}

xh_status_t hyb_product_begin(hyb_machine_t *machine, const xh_gemm_t *gemm,
                              const hyb_product_way_t *way,
                              hyb_product_t **product_p)
{
    static const hyb_product_way_t all_by_columns = {~(uint64_t)0,
                                                     hyb_tiling_plan};
    double started = xh_clock_now();
    uint64_t devices, before;
    hyb_tiling_t tiling;
    hyb_product_t *p;

    if (!xh_gemm_conforms(gemm) || xh_gemm_flop(gemm) == 0.0 ||
        machine->multiplies)
        return XH_ERR_ARG;
    if (way != NULL && working(machine, way->devices) == 0)
        return XH_ERR_DEVICE;
    way = way != NULL ? way : &all_by_columns;
    before = working(machine, way->devices);
    XH_TRY(cut(machine, gemm, way, &tiling, &devices));
    p = malloc(sizeof(*p));
    if (p == NULL || hyb_product_init(p, gemm, &tiling) != XH_OK) {
        free(p);
        return XH_ERR_MEMORY;
    }
    p->machine = machine;
    p->devices = devices;
    p->dropped = before & ~devices;
    p->started = started;
    for (int i = 0; i < machine->devices; i++)
        if (has(devices, i))
            hyb_stream_begin(machine->device[i].stream, p);
    machine->multiplies = true;
    *product_p = p;
    return XH_OK;
}

double hyb_product_rate(const hyb_product_t *p)
{
    double part = (double)atomic_load(&p->by_devices) /
                  (double)hyb_tiling_count(&p->tiling);
    double seconds = xh_clock_now() - p->started;

    return seconds > 0.0 ? part * xh_gemm_flop(p->gemm) / seconds : 0.0;
}

/* ---- finish -------------------------------------------------------------- */

static void finish_devices(hyb_product_t *p, hyb_report_t *report)
{
    for (int i = 0; i < p->machine->devices; i++) {
        report->device[i].dropped = has(p->dropped, i);
        if (!has(p->devices, i))
            continue;
        hyb_stream_finish(p->machine->device[i].stream, &report->device[i]);
        if (report->device[i].dropped && hyb_product_lost(p))
            xh_log_error(
                "device %d, which wrote into C (tile_return=direct), is lost",
                i);
        else if (report->device[i].dropped)
            say_dropped(i);
    }
}

/* What host threads gave. */
static void count_given(const hyb_product_t *p, hyb_work_t *work)
{
    int64_t tile, tiles = hyb_tiling_count(&p->tiling);

    for (tile = 0; tile < tiles; tile++)
        if (p->owner[tile] == 0) {
            xh_rectangle_t part = hyb_tiling_tile(&p->tiling, tile).part;

            work->tiles++;
            work->flop += 2.0 * (double)part.rows * (double)part.cols *
                          (double)p->tiling.k;
        }
}

xh_status_t hyb_product_finish(hyb_product_t *p, hyb_report_t *report_p)
{
    hyb_report_t report = {.share = 1.0, .tiling = p->tiling};
    bool done;

    hyb_product_end(p);
    finish_devices(p, &report);
    done = hyb_product_done(p);
    if (!done && !hyb_product_lost(p))
        xh_log_error("no device is left, and not all tiles are computed");
    count_given(p, &report.team);
    report.seconds = xh_clock_now() - p->started;
    if (done && report_p != NULL) {
        report.owner = p->owner;
        p->owner = NULL; /* the report's now */
        *report_p = report;
    }
    p->machine->multiplies = false;
    hyb_product_destroy(p);
    free(p);
    return done ? XH_OK : XH_ERR_DEVICE;
}
