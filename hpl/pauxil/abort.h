/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Call fn before this process ends the job, to save what is known by then;
 * NULL: no function. The thread that met the error calls it, once, while others
 * may still compute. fn makes no MPI calls and returns. If another process ends
 * the job, it is not called.
 */
void hpl_at_abort(void (*fn)(void *context), void *context);

/*
 * End all processes of the job with exit status 3; outside of MPI this one. A
 * thread that may not call MPI gives the one that may two seconds for it, then
 * ends this process, which makes the launcher end the others.
 * Order:  after the error was reported.
 */
void hpl_abort_job(void) __attribute__((noreturn));

/* The same with another exit status. */
void hpl_abort_job_as(int status) __attribute__((noreturn));

/* End the job if another thread wants it; to be polled by the one that calls
 * MPI. */
void hpl_abort_if_wanted(void *context);

/* Note rank and host for errors of threads that may not ask MPI. */
void hpl_abort_identify(void);
