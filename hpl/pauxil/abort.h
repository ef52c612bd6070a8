/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Call fn before this process ends the job, to save what is known by then;
 * NULL: no function. The thread that met the error calls fn once, while other
 * threads may still compute. fn must return and must not call MPI. If another
 * process ends the job, fn is not called.
 */
void hpl_at_abort(void (*fn)(void *context), void *context);

/*
 * End all processes of the job with exit status 3; outside of MPI this one. A
 * thread that must not call MPI gives the MPI thread two seconds for it, then
 * ends this process, which makes the launcher end the other processes.
 * Order:  after the error was reported.
 */
void hpl_abort_job(void) __attribute__((noreturn));

/* Like hpl_abort_job, with another exit status. */
void hpl_abort_job_as(int status) __attribute__((noreturn));

/* End the job if another thread wants that; polled by the thread that calls
 * MPI. */
void hpl_abort_if_wanted(void *context);

/* Note rank and host, for error messages of threads that must not call MPI. */
void hpl_abort_identify(void);
