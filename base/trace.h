/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XH_TRACE_H
#define XH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/status.h"

/*
 * The time line of this process: who did what from when to when. An actor is
 * whoever does one thing at a time: a thread, a device, a link. Each has a
 * ring of spans of its own, so recording takes no lock; the newest spans
 * overwrite the oldest.
 *
 *     if (xh_trace_on())
 *         xh_trace_span(actor, "panel", k, begin, xh_clock_now());
 *
 * There is one trace a process, off until it is opened and after it is closed;
 * everything then costs one relaxed load.
 */

/*
 * Record from now on. Memory is taken when an actor is named or has its first
 * span: 32 bytes a span. A trace that is open is closed first.
 *
 * actors      in  actors are 0 .. actors - 1; spans of others are lost
 * spans_each  in  spans that are kept of each actor, at least 1
 *
 * Order: not while others record.
 */
void xh_trace_open(int actors, int64_t spans_each);

/* Is the trace open? */
bool xh_trace_on(void);

/*
 * Call actor name, such as "thread 0" or "device 0"; 31 characters of it are
 * copied. An actor without spans does not appear.
 * Order: by the actor's own thread, or while that does not record.
 */
void xh_trace_name_actor(int actor, const char *name);

/*
 * actor was busy with name from begin to end.
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
 * Spans that are kept, and those that were recorded but are not: overwritten,
 * without memory, of no valid actor, or not finite.
 * Order: not while others record.
 */
int64_t xh_trace_kept(void);
int64_t xh_trace_lost(void);

/*
 * What is kept, as events of the Chrome trace format: JSON objects, one a
 * line, with a comma and a line end between them and neither after the last.
 * They become a file between "[" and "]".
 *
 * process  in   the pid of the events
 * zero     in   s of xh_clock_now, the moment that times count from
 * json_p   out  the caller's to free(), ends with a 0 byte
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

#endif
