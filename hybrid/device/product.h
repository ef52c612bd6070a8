/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"
#include "hybrid/device/product_tiles.h"

/*
 * One product that the machine's devices compute while host threads do other
 * work. Devices write into C directly, so a device that fails, stalls or runs
 * out of memory leaves C half written: the product is lost, and no device takes
 * another of its tiles.
 *
 *     hyb_product_begin(machine, &gemm, devices, &product);
 *     hyb_product_start(product);
 *     while ((count = hyb_product_take_last(product, some, &first)) > 0)
 *         compute tiles first .. first + count - 1
 *     hyb_product_finish(product, &report);
 */

typedef struct {
    double seconds;      /* time of the whole product */
    double share;        /* the devices' share that the policy chose */
    hyb_tiling_t tiling; /* all fields 0 if the team worked alone */
    int16_t *owner; /* executor of each tile: 0 for the host, i + 1 for device
                       i; NULL if the team worked alone; the caller frees it */
    hyb_work_t team;
    hyb_work_t device[HYB_EXECUTORS - 1];
} hyb_report_t;

/*
 * Cut `gemm` into tiles for the devices that work and have memory for them.
 * `gemm` is borrowed until finish. A machine has one product at a time. If a
 * device refuses the memory, tiles become smaller; at its fifth refusal the
 * device counts as failed.
 *
 * devices  in  bit i: device i may take part
 * Errors: XH_ERR_ARG: shapes do not conform, there is nothing to multiply, or
 *         another product is not finished. XH_ERR_MEMORY. XH_ERR_DEVICE: no
 *         device works, or one failed as it began
 */
xh_status_t hyb_product_begin(hyb_machine_t *machine, const xh_gemm_t *gemm,
                              uint64_t devices, hyb_product_t **product_p);

/* Let the devices take tiles. The host may take some before this call. */
void hyb_product_start(hyb_product_t *product);

/*
 * Wait for the devices and free `product`. Every tile that the host took must
 * be computed, unless the product is lost.
 * Order: after start.
 *
 * report_p  out  `team` has the host's tiles, without times; `share` is 1; the
 *                caller frees `owner`. May be NULL
 * Errors: XH_ERR_DEVICE: the product is lost; a message names the device
 */
xh_status_t hyb_product_finish(hyb_product_t *product, hyb_report_t *report_p);
