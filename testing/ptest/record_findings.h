/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_FINDINGS_H
#define XHPL_RECORD_FINDINGS_H

#include <jansson.h>

/*
 * "findings": the warnings and errors that this process says from now on, or
 * from the first call on.
 */
void xhpl_record_findings_open(void);

/*
 * Process 0 has those of all processes as well from now on, in the order of
 * their times; collective over MPI_COMM_WORLD.
 */
void xhpl_record_findings_gather(void);

/* Those up to now. */
json_t *xhpl_record_findings(void);

void xhpl_record_findings_close(void);

#endif
