/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"

/*
 * Keep the devices of a process busy with columns of their own while the team
 * is measured, and measure them meanwhile: they swap rows, solve, and update C
 * := C - L2 U in their memory, factor a panel, copy it to the host and back,
 * and multiply by a vector as in the back-substitution.
 */
typedef struct hyb_resident_devices hyb_resident_devices_t;

/*
 * Begin to update C of m rows with panels of nb columns, repeatedly until
 * hyb_resident_devices_end, which must be called. C has as many columns as
 * rows, unless memory is short or a product would take longer than about
 * `seconds`. No other product may use the machine meanwhile.
 *
 * bytes      in   limit for the memory of all devices together
 * devices_p  out  NULL: a device has too little memory, or fails
 */
void hyb_resident_devices_begin(hyb_machine_t *machine, int64_t m, int64_t nb,
                                double bytes, double seconds,
                                hyb_resident_devices_t **devices_p);

/* Medians, in seconds; INFINITY: a device failed. */
typedef struct {
    double column;   /* all devices together, per column of C */
    double transfer; /* a panel of m + nb rows, both ways */
    double factor;   /* a panel of m + nb rows by one device; 0: devices cannot
                        factor */
    double peers;    /* copies of L2 from the first device to all others; 0: no
                        access */
    double subtract; /* y := y - A x by one device, A is m x nb; x and y are on
                        the host */
} hyb_resident_seconds_t;

/* Stop and close the devices' work; return its times. `d` may be NULL. */
hyb_resident_seconds_t hyb_resident_devices_end(hyb_resident_devices_t *d);
