/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * SIGTERM, SIGINT or SIGHUP terminates a process: its launcher sends it when
 * another process failed, a batch system when the time is over, or a person.
 * From now on such a signal calls fn, once, on a thread of its own while all
 * other threads continue, to save what the process knows. When fn returns, the
 * signal ends the process as it would have before; if fn takes 10 s, SIGALRM
 * does. An ignored signal stays ignored. If MPI allows no further thread,
 * signals end the process at once.
 *
 * fn      makes no MPI calls
 * Order:  within MPI; one at a time
 */
void xhpl_at_termination(void (*fn)(void *context, int signal), void *context);

/* Catch the signals again, in case a library that was loaded since has replaced
 * the handlers, like LLVM in an OpenCL. */
void xhpl_at_termination_again(void);

/* Stop catching signals. Does not return while fn runs. */
void xhpl_at_termination_end(void);
