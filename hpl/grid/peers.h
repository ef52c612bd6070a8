/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include "hpl_types.h"

/*
 * Names of the other processes of my process column and row, for error
 * messages. Every received value that is used as an index is checked on
 * arrival.
 */
enum {
    HPL_HOST_SIZE = 64
}; /* bytes of a host's name with the 0; longer names are cut */

typedef enum { HPL_IN_MY_COLUMN, HPL_IN_MY_ROW } hpl_neighbourhood_t;

/* Gather the names of the peers' hosts into grid; collective over the grid.
 * Running out of memory ends the job. */
int hpl_peers_find(HPL_T_grid *grid);
void hpl_peers_forget(HPL_T_grid *grid);

/* Is x a whole number from least to most? */
bool hpl_is_index(double x, double least, double most);

/* Write the name of a process of my column or row: "rank 3 on node17". */
enum { HPL_PEER_SIZE = HPL_HOST_SIZE + 32 };
void hpl_peer_name(const HPL_T_grid *grid, hpl_neighbourhood_t where,
                   int process, char name[HPL_PEER_SIZE]);

/*
 * End the job with an error: a process of my column or row sent x as `what`,
 * but x is not a whole number from least to most.
 */
void hpl_peer_refuse(const HPL_T_grid *grid, hpl_neighbourhood_t where,
                     int process, const char *what, double x, double least,
                     double most) __attribute__((noreturn));
