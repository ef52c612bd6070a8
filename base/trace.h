/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * The time line of this process. An actor does one thing at a time: a thread, a
 * device, a link. Each has a ring of spans, so that recording takes no lock;
 * the newest spans overwrite the oldest.
 *
 *     if (xh_trace_on())
 *         xh_trace_span(actor, "panel", k, begin, xh_clock_now());
 *
 * There is one trace per process, off until it is opened and after it is
 * closed; while it is off, everything costs one relaxed load.
 */

/*
 * Record from now on; closes an open trace first. Naming an actor or its first
 * span allocates memory: 32 bytes per span.
 *
 * actors      in  actors are 0 .. actors - 1; spans of others are lost
 * spans_each  in  spans kept per actor, at least 1
 *
 * Order: not while others record.
 */
void xh_trace_open(int actors, int64_t spans_each);

/* Is the trace open? */
bool xh_trace_on(void);

/*
 * Give `actor` the name `name`, such as "thread 0"; 31 characters are copied.
 * An actor without spans does not appear.
 * Order: by the actor's own thread, or while that does not record.
 */
void xh_trace_name_actor(int actor, const char *name);

/*
 * Record that `actor` was busy with `name` from begin to end.
 *
 * actor      in  recorded by one thread at a time
 * name       in  a few words in static memory: only the pointer is kept
 * iteration  in  of the algorithm, or -1 if it belongs to none
 * begin,end  in  s, as of xh_clock_now; a span with one that is not finite
 *                is lost, one that ends before it begins has no length
 *
 * Cost: a few stores; the actor's first span may allocate.
 */
void xh_trace_span(int actor, const char *name, int iteration, double begin,
                   double end);

/*
 * Spans that are kept, and spans that are lost: overwritten, without memory, of
 * an invalid actor, or not finite.
 * Order: not while others record.
 */
int64_t xh_trace_kept(void);
int64_t xh_trace_lost(void);

/*
 * The kept spans as events of the Chrome trace format: JSON objects, one per
 * line, separated by commas. Between "[" and "]" they are a file.
 *
 * process  in   the pid of the events
 * zero     in   s of xh_clock_now that times count from
 * json_p   out  for free(); ends with a 0 byte
 * size_p   out  bytes, without that one
 *
 * Order:  not while others record.
 * Errors: XH_ERR_MEMORY
 * Source: Chrome trace event format, events X and M
 */
xh_status_t xh_trace_text(int process, double zero, char **json_p,
                          size_t *size_p);

/* Stop recording and forget everything. Order: not while others record. */
void xh_trace_close(void);
