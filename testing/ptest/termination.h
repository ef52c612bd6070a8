/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_TERMINATION_H
#define XHPL_TERMINATION_H

/*
 * A process is terminated by SIGTERM, SIGINT or SIGHUP: by its launcher when
 * another process failed, by a batch system when the time is over, by a person.
 * What it knows can be kept before.
 */

enum { XHPL_TERMINATION_SECONDS = 10 }; /* that it may take, at most */

/*
 * From now on call fn with such a signal, once, on a thread of its own while
 * all others go on; when it returns the process ends by the signal, and if it
 * takes too long, by SIGALRM. A signal that is ignored stays so. Where there
 * can be no such thread, signals end the process at once, as ever.
 *
 * fn       makes no MPI calls
 * Errors:  calls MPI
 * Order:   within MPI; one at a time
 */
void xhpl_at_termination(void (*fn)(void *context, int signal), void *context);

/* Call nobody any more. Where a call is under way this does not return. */
void xhpl_at_termination_end(void);

#endif
