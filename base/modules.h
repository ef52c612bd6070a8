/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_MODULES_H
#define XH_MODULES_H

/*
 * Keep in memory, whoever unloads them, all shared libraries that are loaded
 * now and whose file names begin with prefix. Returns how many.
 *
 * MPI_Finalize of Open MPI 4.1 needs it, with "mca_": it unloads the module
 * that speaks to PMIx when a thread of its own may still call it once more.
 * About one process of several hundred on a busy machine ended with a
 * segmentation fault, all its work done.
 */
int xh_modules_keep(const char *prefix);

#endif
