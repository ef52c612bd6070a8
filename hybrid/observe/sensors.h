/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SENSORS_H
#define HYB_SENSORS_H

#include "hpl_solver.h"

/* What the system tells of the processor that the caller runs on; NAN where it
 * does not. */
typedef struct {
    double mhz;     /* its clock now */
    double celsius; /* of the hottest part of the machine */
} hyb_sensors_t;

/*
 * root  in  "", or a folder that holds a copy of /proc and /sys
 * cpu   in  the system's number of the processor
 */
hyb_sensors_t hyb_sensors_read(const char *root, int cpu);

/*
 * The same of count processors. Those of which the system tells no clock are
 * left out.
 * Cost: a file each, tens of microseconds
 */
hpl_clocks_t hyb_sensors_clocks(const char *root, const int *cpus, int count);

#endif
