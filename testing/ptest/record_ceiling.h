/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_CEILING_H
#define XHPL_RECORD_CEILING_H

/*
 * What the cores of this process reach in fused multiply-adds on registers,
 * while those of all processes of the node do the same. A core that several
 * processes have is left to the first of them, so that sums over a node count
 * each core once; and all together take no more of them than a control group
 * grants time for. Collective over MPI_COMM_WORLD.
 *
 * cpus      in   a processor of each core, as a text list; NULL: all that the
 *                calling thread may use
 * cores_p   out  cores that took part, 0 where others measured them all
 * gflops_p  out  Gflop/s, 0 likewise and where it cannot be measured
 *
 * Order:  while no thread of the process is at work.
 * Cost:   less than a tenth of a second.
 */
void xhpl_record_ceiling(const char *cpus, int *cores_p, double *gflops_p);

#endif
