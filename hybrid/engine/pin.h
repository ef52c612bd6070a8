/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PIN_H
#define HYB_PIN_H

/*
 * Keep the calling thread on count of the system's processors; count 0 leaves
 * it as it is. Returns 0 or the system's error number.
 */
int hyb_pin_thread(const int *cpus, int count);

#endif
