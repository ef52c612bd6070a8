/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "hybrid/device/copiers.h"
#include "hybrid/device/flight.h"
#include "hybrid/device/product_return.h"

enum { ACROSS = 4 }; /* tiles of a row, and of a column */

/* what both ways have in common */
typedef struct {
    hyb_flight_t flight;
    hyb_team_t *copiers;
    hyb_event_t *begin;
    hyb_tiling_t tiling;
    xh_gemm_t product;
    double *memory; /* of the operands */
    size_t bytes;
    double patience;
    bool models_time;
} lab_t;

/* Memory is written, so that copies do not come from one page of zeros. */
static xh_status_t make_operands(lab_t *lab, int64_t tile)
{
    int64_t long_side = ACROSS * tile;
    int64_t i, doubles = long_side * (long_side + 2 * tile);
    size_t bytes = (size_t)doubles * sizeof(double);
    double *a, *b;
    xh_status_t status =
        hyb_pinned_alloc(lab->flight.device, bytes, &lab->memory);

    if (status != XH_OK)
        return status;
    lab->bytes = bytes;
    for (i = 0; i < doubles; i++)
        lab->memory[i] = 0.5;
    a = lab->memory + long_side * long_side;
    b = a + long_side * tile;
    lab->product =
        (xh_gemm_t){.alpha = -1.0,
                    .beta = 1.0,
                    .a = {a, long_side, tile, long_side},
                    .b = {b, tile, long_side, tile},
                    .c = {lab->memory, long_side, long_side, long_side}};
    return XH_OK;
}

static xh_status_t plan(lab_t *lab, const hyb_return_trial_t *trial)
{
    const hyb_tiling_request_t request = {.m = ACROSS * trial->tile,
                                          .n = ACROSS * trial->tile,
                                          .k = trial->tile,
                                          .memory = trial->memory,
                                          .tile_rows = trial->tile,
                                          .tile_cols = trial->tile,
                                          .c_slots = trial->slots};

    return hyb_tiling_plan(&request, &lab->tiling);
}

static void close_lab(lab_t *lab)
{
    hyb_pinned_free(lab->flight.device, lab->memory, lab->bytes);
    hyb_event_destroy(lab->begin);
    hyb_flight_close(&lab->flight);
    hyb_team_destroy(lab->copiers);
}

static xh_status_t open_lab(hyb_device_t *device,
                            const hyb_return_trial_t *trial, lab_t *lab_p)
{
    hyb_device_info_t info;
    xh_status_t status = hyb_device_describe(device, &info);

    *lab_p = (lab_t){.patience = trial->patience};
    if (status == XH_OK)
        status = hyb_flight_open(&lab_p->flight, device);
    if (status != XH_OK)
        return status;
    lab_p->models_time = info.models_time;
    if (!info.models_time)
        lab_p->copiers = hyb_copiers_open(trial->cpus, trial->cpu_count);
    status = hyb_event_create(device, &lab_p->begin);
    if (status == XH_OK)
        status = plan(lab_p, trial);
    if (status == XH_OK)
        status = make_operands(lab_p, trial->tile);
    if (status != XH_OK)
        close_lab(lab_p);
    return status;
}

static xh_status_t land(lab_t *lab, const hyb_job_t *job, hyb_slot_t *slot)
{
    bool done = false;
    xh_status_t status;

    if (slot->tile < 0)
        return XH_OK;
    status = hyb_event_wait(slot->out.end, lab->patience, &done);
    if (status == XH_OK && !done) {
        hyb_device_fail(lab->flight.device, "it stalled: no result in time");
        status = XH_ERR_DEVICE;
    }
    if (status == XH_OK && !lab->models_time)
        hyb_copiers_commit(lab->copiers, &lab->flight, job, slot);
    slot->tile = -1;
    return status;
}

/* All tiles, as a stream does them, and the device's seconds for all. */
static xh_status_t pass_tiles(lab_t *lab, const hyb_job_t *job,
                              double *seconds_p)
{
    hyb_flight_t *f = &lab->flight;
    int64_t tile, tiles = hyb_tiling_count(&job->tiling);
    hyb_slot_t *last = NULL;
    xh_status_t status = hyb_flight_prepare(f, job);

    if (status == XH_OK)
        status = hyb_event_record(f->in, lab->begin);
    for (tile = 0; status == XH_OK && tile < tiles + f->slots; tile++) {
        hyb_slot_t *slot = &f->slot[tile % f->slots];

        status = land(lab, job, slot);
        if (status != XH_OK || tile >= tiles)
            continue;
        last = slot;
        status = hyb_flight_launch(f, job, tile, (int)(tile % f->slots));
    }
    if (status == XH_OK)
        status = hyb_event_elapsed(lab->begin, last->out.end, seconds_p);
    return status;
}

typedef enum { WHOLE_TILES, PRODUCTS_ONLY } return_t;

/* Once more one way; *seconds_p: the least so far. */
static xh_status_t try(lab_t *lab, return_t what, double *seconds_p)
{
    double seconds;
    hyb_job_t job;
    xh_status_t status = hyb_job_init(&job, &lab->product, &lab->tiling);

    if (status != XH_OK)
        return status;
    lab->flight.product_only = what == PRODUCTS_ONLY;
    status = pass_tiles(lab, &job, &seconds);
    if (status == XH_OK)
        *seconds_p = fmin(*seconds_p, seconds);
    else if (!hyb_device_failed(lab->flight.device))
        hyb_flight_drain(&lab->flight, lab->patience);
    hyb_job_destroy(&job);
    return status;
}

xh_status_t hyb_product_return_pays(hyb_device_t *device,
                                    const hyb_return_trial_t *trial,
                                    bool *pays_p)
{
    enum { TIMES = 2 };
    static const double clearly = 0.95;
    double whole = INFINITY, product_only = INFINITY;
    lab_t lab;
    xh_status_t status = open_lab(device, trial, &lab);
    int i;

    if (status != XH_OK)
        return status;
    for (i = 0; i < TIMES && status == XH_OK; i++) {
        status = try(&lab, WHOLE_TILES, &whole);
        if (status == XH_OK)
            status = try(&lab, PRODUCTS_ONLY, &product_only);
    }
    close_lab(&lab);
    if (status == XH_OK)
        *pays_p = product_only < clearly * whole;
    return status;
}
