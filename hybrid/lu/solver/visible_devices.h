/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_VISIBLE_DEVICES_H
#define HYB_VISIBLE_DEVICES_H

#include "hybrid/lu/solver/neighbours.h"
#include "hybrid/device/machine.h"

/*
 * The devices that the setting chooses of those that this process sees, which
 * launchers may make other ones for each process (CUDA_VISIBLE_DEVICES); told
 * apart by PCI addresses. They are its own if every one has an address and no
 * other process of the node sees it. Where processes see different devices and
 * some are left that nobody drives, the first process of the node says which.
 * Collective, also after a failure here.
 *
 * so_far      in   status of this process; no devices are chosen after a
 *                  failure
 * neighbours  in   of comm, as they are bound
 * seen_p      out  free(seen_p->chosen)
 *
 * Errors: those of hyb_devices_choose, and so_far, of the worst process
 */
xh_status_t hyb_visible_devices_find(MPI_Comm comm, xh_status_t so_far,
                                     const hyb_neighbours_t *neighbours,
                                     hyb_visible_devices_t *seen_p);

#endif
