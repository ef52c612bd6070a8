/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_CEILING_H
#define XHPL_RECORD_CEILING_H

/*
 * What the cores of this process reach in fused multiply-adds on registers,
 * while those of all processes of the node do the same. Of processes that may
 * use the same cores, the first measures and the others sleep, so that sums
 * over a node count each core once. Collective over MPI_COMM_WORLD.
 *
 * cores_p   out  cores that took part, 0 where another process measures
 * gflops_p  out  Gflop/s, 0 likewise and where it cannot be measured
 *
 * Order:  before threads are pinned or at work.
 * Cost:   less than a tenth of a second.
 */
void xhpl_record_ceiling(int *cores_p, double *gflops_p);

#endif
