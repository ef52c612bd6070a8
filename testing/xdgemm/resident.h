/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/xdgemm/verify.h"

/*
 * Products of matrices that stay in the memory of a device, back to back, each
 * checked there: C := A B and C := -(A B) take turns, so that an element that
 * is not written is wrong, and residuals of row sums come to the host. Checks
 * are queued among the products, and XDG_AHEAD products are in flight when the
 * host waits for the oldest, so the device never waits for the host.
 */
enum { XDG_AHEAD = 4 };

typedef struct xdg_resident xdg_resident_t;

/*
 * Copy A and B to a device, with the vectors of `check`, which is borrowed.
 *
 * product  in  A and B in host memory; alpha is 1, beta 0
 * stall    in  seconds without a product after which the device counts as
 *              failed, besides those that a product takes
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t xdg_resident_open(hyb_device_t *device, const xh_gemm_t *product,
                              const xdg_row_check_t *check, double stall,
                              xdg_resident_t **resident_p);
void xdg_resident_close(xdg_resident_t *resident); /* accepts NULL */

/* Told of each product in turn, with what is wrong with it; returns whether to
 * multiply on. */
typedef bool xdg_product_fn_t(void *context, const xdg_wrong_rows_t *wrong);

/*
 * Multiply until `done` returns false, and finish what is in flight.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE: `done` is not told of the products in
 *         flight
 */
xh_status_t xdg_resident_run(xdg_resident_t *resident, xdg_product_fn_t *done,
                             void *context);

/* The same on the host, with one product at a time.
 * Errors: XH_ERR_MEMORY */
xh_status_t xdg_host_run(hyb_host_gemm_t *host, const xh_gemm_t *product,
                         const xdg_row_check_t *check, xdg_product_fn_t *done,
                         void *context);
