/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/schedule.h"

/* Blocking messages of upstream's interface: schedules of one round. */

int HPL_sdrv(double *SBUF, int SCOUNT, int STAG, double *RBUF, int RCOUNT,
             int RTAG, int PARTNER, MPI_Comm COMM)
{
    hpl_schedule_t *out = hpl_schedule_create(COMM, STAG);
    hpl_schedule_t *in = hpl_schedule_create(COMM, RTAG);

    hpl_schedule_receive(in, RBUF, (size_t)Mmax(RCOUNT, 0), PARTNER);
    hpl_schedule_send(out, SBUF, (size_t)Mmax(SCOUNT, 0), PARTNER);
    hpl_schedule_begin(in);
    hpl_schedule_begin(out);
    hpl_schedule_end(out);
    hpl_schedule_end(in);
    return HPL_SUCCESS;
}

int HPL_send(double *SBUF, int SCOUNT, int DEST, int STAG, MPI_Comm COMM)
{
    return HPL_sdrv(SBUF, SCOUNT, STAG, NULL, 0, 0, DEST, COMM);
}

int HPL_recv(double *RBUF, int RCOUNT, int SRC, int RTAG, MPI_Comm COMM)
{
    return HPL_sdrv(NULL, 0, 0, RBUF, RCOUNT, RTAG, SRC, COMM);
}
