/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/machine.h"

/*
 * May MPI read and write device memory in this run? True only if the setting
 * device_mpi asks for it, and each process has sent a short and a long message
 * from its first device to that of the next process, and the data arrived
 * unchanged. If the library crashes or hangs, the job ends here with a message
 * and status 2. Collective over MPI_COMM_WORLD.
 *
 * Errors: XH_ERR_INPUT  logged: MPI cannot, or a process has no device
 *         XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_mpi_probe_device(hyb_machine_t *machine, bool *takes_p);
