/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_COMM_H
#define HPL_COMM_H

#include "hpl_misc.h"

int HPL_binit_1rinM(HPL_T_panel *PANEL);
int HPL_bcast_1rinM(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_1rinM(HPL_T_panel *PANEL);
int HPL_binit_1ring(HPL_T_panel *PANEL);
int HPL_bcast_1ring(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_1ring(HPL_T_panel *PANEL);
int HPL_binit_2rinM(HPL_T_panel *PANEL);
int HPL_bcast_2rinM(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_2rinM(HPL_T_panel *PANEL);
int HPL_binit_2ring(HPL_T_panel *PANEL);
int HPL_bcast_2ring(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_2ring(HPL_T_panel *PANEL);
int HPL_bcast(HPL_T_panel *PANEL, int *IFLAG);
int HPL_binit(HPL_T_panel *PANEL);
int HPL_binit_blonM(HPL_T_panel *PANEL);
int HPL_bcast_blonM(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_blonM(HPL_T_panel *PANEL);
int HPL_binit_blong(HPL_T_panel *PANEL);
int HPL_bcast_blong(HPL_T_panel *PANEL, int *IFLAG);
int HPL_bwait_blong(HPL_T_panel *PANEL);
int HPL_bwait(HPL_T_panel *PANEL);
int HPL_recv(double *RBUF, int RCOUNT, int SRC, int RTAG, MPI_Comm COMM);
int HPL_sdrv(double *SBUF, int SCOUNT, int STAG, double *RBUF, int RCOUNT, int RTAG, int PARTNER, MPI_Comm COMM);
int HPL_send(double *SBUF, int SCOUNT, int DEST, int STAG, MPI_Comm COMM);

#endif
