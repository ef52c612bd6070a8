/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * From now on a process that waits inside MPI gives its core to others now and
 * then. MPICH's own setting for it has no effect over UCX: where processes
 * outnumber cores, each message took until the kernel took the core away.
 * Other MPI libraries do what their own settings say.
 */
void hpl_yield_in_mpi(void);
