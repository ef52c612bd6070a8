/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_COMM_H
#define HPL_COMM_H

#include "hpl_misc.h"

/*
 * The broadcast of a panel along its process row, from PANEL->pcol: begin it,
 * poll it while computing, wait for it. Several panels may be in flight when
 * their tags differ. Each returns HPL_SUCCESS unless said otherwise; a failure
 * inside MPI ends the job.
 *
 * binit  starts the broadcast along PANEL->algo->btopo; a second call before
 *        bwait does nothing
 * bcast  advances it without waiting; *IFLAG out, and the value returned, is
 *        HPL_SUCCESS once it is done here, else HPL_KEEP_TESTING
 * bwait  waits until it is done here
 */
typedef int hpl_panel_fn_t(HPL_T_panel *PANEL);
typedef int hpl_poll_fn_t(HPL_T_panel *PANEL, int *IFLAG);

hpl_panel_fn_t HPL_binit, HPL_bwait;
hpl_poll_fn_t HPL_bcast;

/* The same along one topology: HPL_1RING, HPL_1RING_M, ... HPL_BLONG_M. */
hpl_panel_fn_t HPL_binit_1ring, HPL_binit_1rinM, HPL_binit_2ring,
    HPL_binit_2rinM, HPL_binit_blong, HPL_binit_blonM;
hpl_poll_fn_t HPL_bcast_1ring, HPL_bcast_1rinM, HPL_bcast_2ring,
    HPL_bcast_2rinM, HPL_bcast_blong, HPL_bcast_blonM;
hpl_panel_fn_t HPL_bwait_1ring, HPL_bwait_1rinM, HPL_bwait_2ring,
    HPL_bwait_2rinM, HPL_bwait_blong, HPL_bwait_blonM;

/*
 * Blocking messages of COUNT doubles between two ranks of COMM. sdrv sends and
 * receives at once. A COUNT of 0 or less sends or receives nothing.
 */
int HPL_send(double *SBUF, int SCOUNT, int DEST, int STAG, MPI_Comm COMM);
int HPL_recv(double *RBUF, int RCOUNT, int SRC, int RTAG, MPI_Comm COMM);
int HPL_sdrv(double *SBUF, int SCOUNT, int STAG, double *RBUF, int RCOUNT,
             int RTAG, int PARTNER, MPI_Comm COMM);

#endif
