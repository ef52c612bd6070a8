/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_RECORD_FINDINGS_H
#define XHPL_RECORD_FINDINGS_H

#include <jansson.h>

/*
 * "findings": the warnings and errors that this process reports from the first
 * call on.
 */
void xhpl_record_findings_open(void);

/*
 * Move the findings of all processes to process 0, ordered by time; collective
 * over MPI_COMM_WORLD.
 */
void xhpl_record_findings_gather(void);

/* Those so far. */
json_t *xhpl_record_findings(void);

void xhpl_record_findings_close(void);

#endif
