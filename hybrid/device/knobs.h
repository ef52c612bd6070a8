/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdint.h>
#include "base/status.h"

/*
 * A backend whose product is a template has knobs, each with the values that
 * are worth a try. A cut has a value of each, and values left over are 0. There
 * is a cut for each of some depths of products, and the nearest one counts.
 */
enum { HYB_KNOBS = 12, HYB_KNOB_VALUES = 12, HYB_CUT_DEPTHS = 5 };

typedef struct {
    const char *name;
    int count, values[HYB_KNOB_VALUES];
} hyb_knob_t;

typedef struct {
    int values[HYB_KNOBS];
} hyb_cut_t;

static inline int64_t hyb_cut_depth(int d) /* of 0 .. HYB_CUT_DEPTHS - 1 */
{
    return (int64_t)128 << d;
}

typedef struct hyb_device hyb_device_t;

/* What may be changed of device's products, count of them, or none and NULL. */
const hyb_knob_t *hyb_device_knobs(hyb_device_t *device, int *count_p);

/*
 * How device cuts products of about hyb_cut_depth(d); set: from now on, NULL:
 * in its own way.
 * Order:  while no work is queued.
 * Errors: XH_ERR_ARG     the device has no knobs, or cannot: said as
 *                        information, and nothing has changed
 *         XH_ERR_DEVICE
 */
xh_status_t hyb_device_cut(hyb_device_t *device, int d, hyb_cut_t *cut_p);
xh_status_t hyb_device_set_cut(hyb_device_t *device, int d,
                               const hyb_cut_t *cut);
