/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"

/*
 * The devices of a process, kept busy with columns of their own while the team
 * is measured, and measured meanwhile: they swap rows, solve, and update C := C
 * - L2 U in their memory, factor a panel, which also goes to the host and back,
 * and vectors do as in back-substitution.
 */
typedef struct hyb_resident_devices hyb_resident_devices_t;

/*
 * C of m rows, panels of nb columns, again and again until the end, which has
 * to come; as many columns as rows, if memory allows, and if that takes no
 * longer than about so many seconds. No product on the machine meanwhile.
 *
 * bytes      in   of the devices' memory together, at most
 * devices_p  out  NULL: one of them has too little memory, or fails
 */
void hyb_resident_devices_begin(hyb_machine_t *machine, int64_t m, int64_t nb,
                                double bytes, double seconds,
                                hyb_resident_devices_t **devices_p);

/* Seconds, medians; INFINITY: a device failed. */
typedef struct {
    double column;   /* all together, for a column of C */
    double transfer; /* of a panel of m + nb rows, both ways */
    double factor;   /* of such a panel by one; 0: they cannot */
    double peers;    /* of L2 from the first one to all others; 0: they do not
                        reach it */
    double subtract; /* y := y - A x of m x nb by one, x and y on the host */
} hyb_resident_seconds_t;

/* Accepts NULL. */
hyb_resident_seconds_t hyb_resident_devices_end(hyb_resident_devices_t *d);
