/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_OFFLOAD_H
#define HYB_OFFLOAD_H

#include <stdbool.h>
#include "hybrid/device/machine.h"

/*
 * One product that the node's devices compute while host threads go on: begin,
 * release columns as they become ready, help with single tiles, finish.
 *
 *     hyb_offload_begin(node, &product, &offload);
 *     hyb_offload_release(offload, cols);           again and again, growing
 *     while (!hyb_offload_done(offload) &&          any host thread
 *            !hyb_offload_lost(offload))
 *         if (hyb_offload_take(offload, keep, &tile))
 *             compute(tile.part), hyb_offload_give(offload, &tile);
 *         else
 *             hyb_offload_wait(offload);            or what else there is to do
 *     hyb_offload_finish(offload, &report);
 *
 * Devices stay with the product until all of it is computed, so each takes
 * what another that fails gives back. With direct=on it gives nothing back: the
 * product is lost.
 */
typedef struct hyb_offload hyb_offload_t;

/*
 * Let all working devices have memory for tiles of any product up to m x n x k
 * now, and not when the first begins, and pinned memory on the host for these
 * tiles' return. A device that has not as much is dropped, said so.
 */
void hyb_offload_reserve(hyb_machine_t *node, int64_t m, int64_t n, int64_t k);

/* Bytes on the host that it takes. */
uint64_t hyb_offload_bytes(const hyb_machine_t *node, int64_t m, int64_t n,
                           int64_t k);

typedef struct {
    int64_t index;
    xh_rectangle_t part; /* of C */
} hyb_offload_tile_t;

/*
 * Let all working devices take tiles of product from the front, column of
 * tiles by column of tiles, as far as columns are released; none is yet. Where
 * no device works all tiles are for host threads to take. product is borrowed
 * until finish. A node has one offload at a time, and no hyb_machine_gemm
 * meanwhile.
 *
 * Errors: XH_ERR_ARG     shapes do not conform, or there is nothing to
 *                        multiply, or another offload is not finished
 *         XH_ERR_MEMORY
 */
xh_status_t hyb_offload_begin(hyb_machine_t *node, const xh_gemm_t *product,
                              hyb_offload_t **offload_p);

/*
 * Columns 0 .. cols - 1 of B and C are ready now; never fewer than before. A
 * tile starts once all its columns are. Any thread.
 */
void hyb_offload_release(hyb_offload_t *offload, int64_t cols);

/*
 * A tile for one host thread to compute: one that a failed device gave back,
 * else the last of those nobody has taken, if it is released; with no device
 * left, the first of them. False: there is none now. Any thread.
 *
 * keep  in  tiles to leave for the devices that work
 */
bool hyb_offload_take(hyb_offload_t *offload, int64_t keep,
                      hyb_offload_tile_t *tile_p);

/* The tile is computed. Any thread. */
void hyb_offload_give(hyb_offload_t *offload, const hyb_offload_tile_t *tile);

/* Tiles that nobody has taken, released or not. */
int64_t hyb_offload_remaining(const hyb_offload_t *offload);

/*
 * flop/s of the devices together in this product so far, by whole tiles; less
 * than they can where they waited for columns. 0: none has one done. Any
 * thread, without waiting.
 */
double hyb_offload_rate(const hyb_offload_t *offload);

/* Is every tile computed, by whomever? Any thread, without waiting. */
bool hyb_offload_done(const hyb_offload_t *offload);

/*
 * Has a device been lost that wrote into C, as direct=on has it, so that it is
 * never done? Any thread, without waiting.
 */
bool hyb_offload_lost(hyb_offload_t *offload);

/* Columns 0 .. this - 1 of C are computed, by whomever; without waiting. */
int64_t hyb_offload_columns_done(hyb_offload_t *offload);

/* Tiles in all, and how C is cut. */
const hyb_tiling_t *hyb_offload_tiling(const hyb_offload_t *offload);

/*
 * Have the devices no tile, and will they take none any more? What is then
 * left is the host's. Any thread, without waiting.
 */
bool hyb_offload_devices_idle(hyb_offload_t *offload);

/* Sleep until that is so, or a failed device has given a tile back. */
void hyb_offload_wait(hyb_offload_t *offload);

/*
 * Wait for the devices and free offload; every column must be released, and
 * every tile that was taken given. What failed devices leave from now on,
 * others that work complete, but no host thread can: to lose nothing, be done
 * before.
 *
 * report_p  out  as hyb_machine_gemm's: team has the tiles that were given,
 *                without times, share is 1; owner is the caller's to free().
 *                NULL if nobody asks
 * Errors: XH_ERR_DEVICE  a tile is left that nobody computed, or lost
 */
xh_status_t hyb_offload_finish(hyb_offload_t *offload, hyb_report_t *report_p);

#endif
