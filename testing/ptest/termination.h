/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_TERMINATION_H
#define XHPL_TERMINATION_H

/*
 * SIGTERM, SIGINT or SIGHUP terminates a process: its launcher sends it when
 * another process failed, a batch system when the time is over, or a person.
 * This saves what the process knows.
 */

enum { XHPL_TERMINATION_SECONDS = 10 }; /* time limit of the function called */

/*
 * From now on such a signal calls fn, once, on a thread of its own while all
 * others continue. When fn returns, the signal ends the process; if it takes
 * too long, SIGALRM does. A signal that is ignored stays ignored. If MPI allows
 * no further thread, signals end the process at once.
 *
 * fn      makes no MPI calls
 * Order:  within MPI; one at a time
 */
void xhpl_at_termination(void (*fn)(void *context, int signal), void *context);

/* Stop that. Does not return while fn runs. */
void xhpl_at_termination_end(void);

#endif
