/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_CPU_CENSUS_H
#define XH_CPU_CENSUS_H

/* All parts of a machine, whether this process may use them; 0: unknown. */
typedef struct {
    int sockets;
    int cores;      /* hardware threads of one count once */
    int numa_nodes; /* memory nodes */
} xh_census_t;

/* Of the machine whose /sys lies below the folder root, "" for this one. */
xh_census_t xh_cpu_census(const char *root);

#endif
