/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_ABORT_H
#define HPL_ABORT_H

#include <stdbool.h>

/* Can MPI be called: has it begun, and not ended? */
bool hpl_mpi_runs(void);

/*
 * Have fn called before this process ends the job, so that what is known by
 * then can be kept; NULL: nobody. It is called once, by the thread that met the
 * error, while others may still compute. It makes no MPI calls, and ends by
 * itself. Where another process ends the job it is not called.
 */
void hpl_at_abort(void (*fn)(void *context), void *context);

/*
 * End all processes of the job with exit status 3; outside of MPI this one.
 * Order:  what happened was said before.
 */
void hpl_abort_job(void) __attribute__((noreturn));

#endif
