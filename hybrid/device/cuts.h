/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/* How a device's products are best cut, as a tuner has found; plain data. */
typedef struct {
    hyb_cut_t cut[HYB_CUT_DEPTHS];
    double rate[HYB_CUT_DEPTHS]; /* flop/s, as measured */
} hyb_cut_table_t;

/*
 * Read and write what is kept of model, whose devices have count knobs: in a
 * file of the kind "cuts" (hybrid/device/cache_file.h). Errors of writing as
 * there. Reading returns false without one; or if it is not of this model,
 * whole, with these knobs, which is said as information.
 */
bool hyb_cut_table_load(const char *model, const hyb_knob_t *knobs, int count,
                        hyb_cut_table_t *table_p);
xh_status_t hyb_cut_table_save(const char *model, const hyb_knob_t *knobs,
                               int count, const hyb_cut_table_t *table);

/* Let device cut its products as is kept of its model, if that is there and
 * possible. Errors: XH_ERR_DEVICE. Order: while no work is queued. */
xh_status_t hyb_device_load_cuts(hyb_device_t *device);
