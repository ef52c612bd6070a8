/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_SENSORS_H
#define HYB_SENSORS_H

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

#endif
