/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * From now on yield the core regularly while waiting inside MPI. MPICH's own
 * setting for this has no effect over UCX: if processes outnumber cores, each
 * message waits until the kernel preempts a process. Other MPI libraries follow
 * their own settings.
 */
void hpl_yield_in_mpi(void);
