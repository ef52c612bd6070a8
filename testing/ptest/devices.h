/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include "hpl_solver.h"

/* A device in a test; NaN: unknown. */
typedef struct {
    int rank;
    char host[64], name[24], model[64]; /* "cuda:0", "NVIDIA H200" */
    double rate;                        /* flop/s while it multiplies */
    double up, down;       /* bytes/s of its link while it copies */
    double link_wait;      /* s in which only its link worked */
    double clock, celsius; /* Hz; at the end */
} xhpl_device_t;

/*
 * Gather, on process 0 of comm, how the devices of all processes worked when
 * system was solved, ordered by rank; the caller frees the list. NULL on other
 * processes, and if there are no devices. Collective over comm.
 */
xhpl_device_t *xhpl_devices_gather(MPI_Comm comm, const hpl_system_t *system,
                                   int *count_p);

/*
 * Warn if devices are slow compared with other devices of their model, one line
 * each for products and for copies to and from them, which names the slowest.
 * At least three devices are needed to tell, or two that differ.
 */
void xhpl_devices_judge(const xhpl_device_t *list, int count);
