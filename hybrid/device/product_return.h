/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PRODUCT_RETURN_H
#define HYB_PRODUCT_RETURN_H

#include <stdbool.h>
#include "hybrid/device/device.h"

typedef struct {     /* a product that is tried */
    int64_t tile;    /* rows, columns and depth of a tile; 4 x 4 tiles */
    int slots;       /* tiles in flight, >= 1 */
    uint64_t memory; /* bytes of the device for tiles */
    double patience; /* seconds without a result that are a stall */
    const int *cpus; /* of the threads that the device's stream has, borrowed */
    int cpu_count;
} hyb_return_trial_t;

/*
 * Is device clearly sooner done where C does not go there, as it returns the
 * product only and the host adds that to C? A product is tried both ways, with
 * the threads that a stream has, on the device's clock: so shallow a one that
 * the link is what it waits for, for otherwise C comes in unnoticed. Slow: for
 * when a node is opened.
 *
 * Errors: XH_ERR_MEMORY  the device works on
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_product_return_pays(hyb_device_t *device,
                                    const hyb_return_trial_t *trial,
                                    bool *pays_p);

#endif
