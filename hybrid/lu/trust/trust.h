/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_TRUST_H
#define HYB_TRUST_H

#include <stddef.h>
#include "base/exact.h"
#include "hpl.h"
#include "hybrid/lu/means.h"

/*
 * Do the kernel, the BLAS library, devices and messages compute and carry what
 * they should, in the shapes of a test of order n? The first wrong result of
 * this process is said; true if all is right. Collective over the grid, with no
 * factorization under way.
 */
bool hyb_trust(const hyb_means_t *means, const HPL_T_grid *grid, int n, int nb);

/*
 * May MPI read and write device memory in this run? Only if the setting
 * device_mpi asks for it, and then each process has sent a short and a long
 * message from its first device to that of the next one, and what came is what
 * was sent. A library that crashes or hangs ends the job here, in words, with
 * status 2.
 * Collective over MPI_COMM_WORLD.
 *
 * Errors: XH_ERR_INPUT  it cannot, or a process has no device: logged
 *         XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_trust_device_mpi(hyb_machine_t *machine, bool *takes_p);

/* ---- its parts ----------------------------------------------------------- */

/* An update and a panel, and what comes of them; few rows and columns. */
typedef struct {
    xh_exact_t checks;
    int64_t m, n, k, members; /* k: nb; members of the team */
    xh_view_t l1, u, top;     /* L1 U = top */
    xh_view_t l2, c, result;  /* C - L2 U = result */
    xh_view_t panel, factors; /* L below, U on and above its diagonal */
    int64_t *pivots;          /* rows that change places */
    double *memory;
    size_t bytes;
} hyb_trust_t;

/* Errors: XH_ERR_MEMORY; destroy then all the same */
xh_status_t hyb_trust_create(const hyb_means_t *means, int64_t rows, int64_t nb,
                             hyb_trust_t *trust_p);
void hyb_trust_destroy(hyb_trust_t *trust);

/* The arithmetic and the kernel, on each thread of the team. */
xh_status_t hyb_trust_host(const hyb_means_t *means, hyb_trust_t *trust);

/* The operations that device has. One that fails is no concern of trust. */
void hyb_trust_device(hyb_device_t *device, hyb_trust_t *trust);

/* Messages from and to the memory of device, which MPI takes; collective over
 * the grid. */
void hyb_trust_device_messages(hyb_device_t *device, const HPL_T_grid *grid,
                               size_t most, xh_exact_t *checks);

#endif
