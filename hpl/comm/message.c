/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "hpl/comm/schedule.h"

/* Blocking messages of upstream's interface: schedules of one round. */

static int run(hpl_schedule_t *s)
{
    hpl_schedule_begin(s);
    hpl_schedule_end(s);
    hpl_schedule_destroy(s);
    return HPL_SUCCESS;
}

int HPL_send(double *SBUF, int SCOUNT, int DEST, int STAG, MPI_Comm COMM)
{
    hpl_schedule_t *s = hpl_schedule_create(COMM, STAG);

    hpl_schedule_send(s, SBUF, (size_t)Mmax(SCOUNT, 0), DEST);
    return run(s);
}

int HPL_recv(double *RBUF, int RCOUNT, int SRC, int RTAG, MPI_Comm COMM)
{
    hpl_schedule_t *s = hpl_schedule_create(COMM, RTAG);

    hpl_schedule_receive(s, RBUF, (size_t)Mmax(RCOUNT, 0), SRC);
    return run(s);
}

int HPL_sdrv(double *SBUF, int SCOUNT, int STAG, double *RBUF, int RCOUNT,
             int RTAG, int PARTNER, MPI_Comm COMM)
{
    hpl_schedule_t *out = hpl_schedule_create(COMM, STAG);
    hpl_schedule_t *in = hpl_schedule_create(COMM, RTAG);

    hpl_schedule_receive(in, RBUF, (size_t)Mmax(RCOUNT, 0), PARTNER);
    hpl_schedule_send(out, SBUF, (size_t)Mmax(SCOUNT, 0), PARTNER);
    hpl_schedule_begin(in);
    run(out);
    hpl_schedule_end(in);
    hpl_schedule_destroy(in);
    return HPL_SUCCESS;
}
