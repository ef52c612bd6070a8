/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_DEVICES_H
#define XHPL_RECORD_DEVICES_H

#include <jansson.h>

/*
 * "devices": those of all processes, in the order of their ranks; collective
 * over MPI_COMM_WORLD. NULL on all processes but 0.
 */
json_t *xhpl_record_devices(void);

/*
 * J that this process's devices have counted; NAN if one does not tell, 0 if
 * there is none.
 */
double xhpl_record_devices_energy(void);

#endif
