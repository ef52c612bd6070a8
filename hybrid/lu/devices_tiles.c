/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "hybrid/lu/agenda.h"
#include "hybrid/lu/devices_private.h"
#include "hybrid/cpu/blas.h"
#include "hybrid/cpu/gemm_alone.h"
#include "base/product.h"

/* ---- on the devices: the leader ------------------------------------------
 */

/* Blocks of the current part up to column `to` have met its panel. */
static void apply_until(hyb_lu_t *lu, int64_t to)
{
    hyb_devices_t *d = lu->devices;
    int64_t nb = lu->columns.nb, end;

    for (; d->applied < to; d->applied = end) {
        end = Mmin((d->applied / nb + 1) * nb, to);
        hyb_columns_apply(&lu->columns,
                          (hyb_run_t){d->applied, end - d->applied});
    }
}

/* The iteration whose tiles are on the devices cannot be completed. */
static _Noreturn void give_up(const hyb_lu_t *lu, const char *what,
                              const char *why)
{
    HPL_pabort(__LINE__, "hyb_devices", "iteration %d: %s%s",
               lu->devices->current, what, why);
}

/* By the calling thread, with what multiplies on the cores of this run. */
static void multiply(const hyb_lu_t *lu, const xh_gemm_t *product)
{
    xh_status_t status = lu->multiplier == HYB_BY_BLAS
                             ? hyb_blas_gemm(product)
                             : hyb_gemm_alone(product);

    if (status != XH_OK)
        give_up(lu, "a tile was not multiplied: ", xh_status_text(status));
}

/* In pieces of some milliseconds, between which messages move on. */
static void multiply_and_poll(hyb_lu_t *lu, const xh_gemm_t *product)
{
    static const double flop = 5e8;
    xh_rectangle_t piece = {.rows = 0};
    xh_gemm_t part;

    while (xh_gemm_next_piece(product, flop, &piece)) {
        part = xh_gemm_part(product, piece);
        multiply(lu, &part);
        hyb_agenda_poll_messages(lu);
    }
}

/* Also where no device is left since it was planned: members take all tiles. */
static void begin_offload(hyb_lu_t *lu, hyb_devices_part_t *part)
{
    hyb_devices_t *d = lu->devices;
    hyb_offload_t *offload;

    d->applied = part->from;
    if (hyb_offload_begin(d->node, &part->product, &offload) != XH_OK)
        give_up(lu, "out of memory for tiles", "");
    part->member_rate = lu->thread_rate;
    part->begun = xh_clock_now();
    pthread_mutex_lock(&d->lock);
    d->offload = offload;
    pthread_mutex_unlock(&d->lock);
}

/* The next iteration's tiles, once its columns of L2 are there. */
static void begin_next(hyb_lu_t *lu)
{
    hyb_devices_t *d = lu->devices;
    hyb_devices_part_t *part;

    while (d->current < atomic_load(&lu->open) &&
           hyb_devices_part(lu, d->current)->from ==
               hyb_devices_part(lu, d->current)->to)
        d->current++;
    if (d->current >= atomic_load(&lu->open))
        return;
    part = hyb_devices_part(lu, d->current);
    if (hyb_l2_columns_complete(lu->flat, d->current))
        begin_offload(lu, part);
}

/* What goes into the record of the iteration. */
static void note_times(const hyb_lu_t *lu, hyb_devices_part_t *part,
                       const hyb_report_t *report)
{
    int i, devices = hyb_machine_devices(lu->devices->node);

    for (i = 0; i < Mmin(devices, HYB_ITERATION_DEVICES); i++) {
        part->multiplied[i] = report->device[i].compute_seconds;
        part->waited[i] = report->device[i].wait_seconds;
    }
}

/* Actors behind the members of the team. */
static void trace(const hyb_lu_t *lu, const hyb_devices_part_t *part,
                  const hyb_report_t *report)
{
    const hyb_devices_t *d = lu->devices;
    char name[32];
    int i;

    if (!xh_trace_on())
        return;
    for (i = 0; i < hyb_machine_devices(d->node); i++) {
        if (report->device[i].seconds == 0.0)
            continue;
        snprintf(name, sizeof(name), "device %d", i);
        xh_trace_name_actor(lu->members + i, name);
        xh_trace_span(lu->members + i, "gemm", d->current, part->begun,
                      part->begun + report->device[i].seconds);
    }
}

/* flop/s of a device, without its waits for columns. */
static double busy_rate(const hyb_work_t *work)
{
    double seconds = work->seconds - work->wait_seconds;

    return seconds > 0.0 ? work->flop / seconds : 0.0;
}

/* Seconds that a member spent otherwise than in updates, or than waiting for
 * them; a panel that comes from another column of processes is no update. */
static double other_seconds(const hyb_lu_t *lu, const hyb_timer_sum_t *now,
                            const hyb_timer_sum_t *then)
{
    static const hyb_activity_t others[] = {HYB_PANEL,    HYB_SWAP,
                                            HYB_SOLVE,    HYB_BROADCAST,
                                            HYB_EXCHANGE, HYB_WAIT_ROWS};
    double seconds = 0.0;
    size_t i;

    for (i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        seconds += now->seconds[others[i]] - then->seconds[others[i]];
    if (lu->grid->npcol > 1)
        seconds += now->seconds[HYB_WAIT_PANEL] - then->seconds[HYB_WAIT_PANEL];
    return seconds / lu->members;
}

static void learn(hyb_lu_t *lu, hyb_devices_part_t *part,
                  const hyb_report_t *report)
{
    hyb_devices_t *d = lu->devices;
    const hyb_plan_t *plan = hyb_lu_plan(lu, d->current);
    hyb_timer_sum_t now = hyb_timer_sum(lu->spent, lu->members);
    const hyb_timer_sum_t *then = &plan->before;
    hyb_ratio_sample_t sample = {
        .host_flop = now.flop - then->flop,
        .host_seconds =
            (now.seconds[HYB_MULTIPLY] - then->seconds[HYB_MULTIPLY]) /
            lu->members,
        .other_seconds = other_seconds(lu, &now, then)};
    double rate = 0.0;
    int i;

    for (i = 0; i < hyb_machine_devices(d->node); i++) {
        if (report->device[i].dropped) /* it says nothing of the others */
            continue;
        sample.device_flop += report->device[i].flop;
        rate += busy_rate(&report->device[i]);
    }
    if (!hyb_lu_shows_rate(lu, d->current, sample.host_flop))
        sample.host_flop = sample.host_seconds = 0.0;
    note_times(lu, part, report);
    trace(lu, part, report);
    if (rate > 0.0) {
        d->rate = rate;
        sample.device_seconds = sample.device_flop / rate;
    }
    hyb_ratio_learn(&d->ratio, part->situation, &sample);
    part->balanced = hyb_ratio_share(&d->ratio, part->situation,
                                     sample.device_flop + sample.host_flop);
}

/* All tiles are complete, and no member is at work on one. */
static void finish(hyb_lu_t *lu, hyb_devices_part_t *part)
{
    hyb_devices_t *d = lu->devices;
    hyb_offload_t *offload = NULL;
    hyb_report_t report;

    pthread_mutex_lock(&d->lock);
    if (d->helpers == 0) {
        offload = d->offload;
        d->offload = NULL;
    }
    pthread_mutex_unlock(&d->lock);
    if (offload == NULL)
        return;
    if (hyb_offload_finish(offload, &report) != XH_OK)
        give_up(lu, "a tile was lost", "");
    free(report.owner);
    d->tile_columns = report.tiling.most_cols;
    apply_until(lu, part->to);
    learn(lu, part, &report);
    part->ended = part->begun + report.seconds;
    part->finished = true;
    d->current++;
}

/* The tiles that are on the devices; they may be the last ones. */
static void attend(hyb_lu_t *lu)
{
    hyb_devices_t *d = lu->devices;
    hyb_devices_part_t *part = hyb_devices_part(lu, d->current);

    hyb_devices_release(lu, d->current);
    apply_until(lu, part->from + hyb_offload_columns_done(d->offload));
    if (hyb_offload_lost(d->offload))
        give_up(lu, "a device is lost that wrote into the matrix ",
                "(direct=on)");
    if (hyb_offload_done(d->offload))
        finish(lu, part);
}

void hyb_devices_poll(hyb_lu_t *lu)
{
    hyb_devices_t *d = lu->devices;

    if (d->offload != NULL)
        attend(lu);
    if (d->offload != NULL)
        return;
    begin_next(lu);
    if (d->offload != NULL)
        hyb_devices_release(lu, d->current);
}

/* ---- helping: all members ------------------------------------------------
 */

/* Once all tiles are complete nobody comes in: the leader waits for those who
 * are. */
static hyb_offload_t *enter(hyb_devices_t *d)
{
    hyb_offload_t *offload;

    pthread_mutex_lock(&d->lock);
    offload = d->offload;
    if (offload != NULL && hyb_offload_done(offload))
        offload = NULL;
    if (offload != NULL)
        d->helpers++;
    pthread_mutex_unlock(&d->lock);
    return offload;
}

static void leave(hyb_devices_t *d)
{
    pthread_mutex_lock(&d->lock);
    d->helpers--;
    pthread_mutex_unlock(&d->lock);
}

/* flop/s of one member; in the first iterations by what all did so far. */
static double member_rate(const hyb_lu_t *lu, const hyb_devices_part_t *part)
{
    hyb_timer_sum_t sum;

    if (part->member_rate > 0.0)
        return part->member_rate;
    sum = hyb_timer_sum(lu->spent, lu->members);
    return sum.seconds[HYB_MULTIPLY] > 0.0
               ? sum.flop / sum.seconds[HYB_MULTIPLY]
               : 0.0;
}

/* Tiles to be left to the devices. */
static int64_t tiles_to_keep(const hyb_lu_t *lu, const hyb_devices_part_t *part,
                             hyb_devices_help_t which)
{
    const hyb_devices_t *d = lu->devices;
    double rate = d->rate > 0.0 ? d->rate : hyb_offload_rate(d->offload);

    if (which == HYB_TILES_GIVEN_BACK)
        return INT64_MAX;
    return hyb_split_tiles_to_keep(&d->split, rate, member_rate(lu, part));
}

/* It is no waiting, though done while waiting. */
static void multiply_tile(hyb_lu_t *lu, const xh_gemm_t *tile, int member)
{
    hyb_timer_mark_t mark =
        hyb_timer_enter(lu->spent, member, HYB_HELP, lu->devices->current);

    if (member == 0)
        multiply_and_poll(lu, tile);
    else
        multiply(lu, tile);
    hyb_timer_leave(lu->spent, member, mark);
}

bool hyb_devices_help(hyb_lu_t *lu, hyb_devices_help_t which, int member)
{
    hyb_devices_t *d = lu->devices;
    hyb_offload_t *offload = enter(d);
    hyb_offload_tile_t tile;
    xh_gemm_t product;
    const hyb_devices_part_t *part;
    bool any;

    if (offload == NULL)
        return false;
    part = hyb_devices_part(lu, d->current);
    any = hyb_offload_take(offload, tiles_to_keep(lu, part, which), &tile);
    if (any) {
        product = xh_gemm_part(&part->product, tile.part);
        multiply_tile(lu, &product, member);
        hyb_offload_give(offload, &tile);
    }
    leave(d);
    return any;
}
