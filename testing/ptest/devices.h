/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <mpi.h>
#include <stddef.h>
#include "hpl_solver.h"

/* A device in a test; NAN: unknown. */
typedef struct {
    int rank;
    char host[64], name[24], model[64]; /* "cuda:0", "NVIDIA H200" */
    double rate;                        /* flop/s of products while at them */
    double up, down;                    /* B/s of its link while it copies */
    double link_wait; /* s in which it did nothing but copy over its link */
    double clock, celsius; /* Hz; at the end */
} xhpl_device_t;

/*
 * The devices of all processes of comm when system was solved, by rank, on its
 * process 0; free(). Elsewhere, and without any: NULL. Collective over comm.
 */
xhpl_device_t *xhpl_devices_gather(MPI_Comm comm, const hpl_system_t *system,
                                   int *count_p);

/*
 * Which devices are slow beside the others of their model, in one line each
 * for products, for the link to them and from them: warn of the slowest. At
 * least three are needed to tell who is, or two that differ.
 */
void xhpl_devices_judge(const xhpl_device_t *list, int count);
