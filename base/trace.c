/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/trace.h"

#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/log.h"
#include "base/text.h"

typedef struct {
    const char *name;
    double begin, end;
    int iteration;
} span_t;

enum { NAME_SIZE = 32, LINE = 64 };

/* Different threads write actors, so no two actors share a cache line. */
typedef struct {
    _Alignas(LINE) span_t *ring; /* NULL until needed */
    int64_t recorded;            /* spans since open */
    int64_t refused;             /* spans that were not stored */
    char name[NAME_SIZE];
} actor_t;

static struct {
    atomic_bool on;
    int actors;
    int64_t spans_each;
    actor_t *actor;
    atomic_int_fast64_t strangers; /* spans of invalid actors */
} trace;

void xh_trace_open(int actors, int64_t spans_each)
{
    void *memory;
    size_t bytes = (size_t)actors * sizeof(actor_t);

    xh_trace_close();
    if (actors < 1 || spans_each < 1 ||
        posix_memalign(&memory, LINE, bytes) != 0) {
        xh_log_warning("no trace of %d actors with %" PRId64 " spans each: "
                       "there is no memory for it",
                       actors, spans_each);
        return;
    }
    trace.actor = memory;
    for (int i = 0; i < actors; i++)
        trace.actor[i] = (actor_t){.ring = NULL};
    trace.actors = actors;
    trace.spans_each = spans_each;
    atomic_store(&trace.strangers, 0);
    atomic_store_explicit(&trace.on, true, memory_order_release);
}

bool xh_trace_on(void)
{
    return atomic_load_explicit(&trace.on, memory_order_relaxed);
}

/* Returns NULL if there is no such actor. */
static actor_t *find_actor(int actor)
{
    if (actor < 0 || actor >= trace.actors)
        return NULL;
    return &trace.actor[actor];
}

static bool has_ring(actor_t *a)
{
    if (a->ring == NULL)
        a->ring = calloc((size_t)trace.spans_each, sizeof(*a->ring));
    return a->ring != NULL;
}

void xh_trace_name_actor(int actor, const char *name)
{
    actor_t *a = xh_trace_on() ? find_actor(actor) : NULL;

    if (a == NULL)
        return;
    snprintf(a->name, sizeof(a->name), "%s", name);
    has_ring(a);
}

void xh_trace_span(int actor, const char *name, int iteration, double begin,
                   double end)
{
    actor_t *a;

    if (!xh_trace_on())
        return;
    a = find_actor(actor);
    if (a == NULL)
        atomic_fetch_add(&trace.strangers, 1);
    else if (!isfinite(begin) || !isfinite(end) || !has_ring(a))
        a->refused++;
    else
        a->ring[a->recorded++ % trace.spans_each] =
            (span_t){name, begin, fmax(begin, end), iteration};
}

static int64_t kept(const actor_t *a)
{
    return a->recorded < trace.spans_each ? a->recorded : trace.spans_each;
}

int64_t xh_trace_kept(void)
{
    int64_t sum = 0;

    for (int i = 0; i < trace.actors; i++)
        sum += kept(&trace.actor[i]);
    return sum;
}

int64_t xh_trace_lost(void)
{
    int64_t lost = atomic_load(&trace.strangers);

    for (int i = 0; i < trace.actors; i++) {
        const actor_t *a = &trace.actor[i];

        lost += a->refused + a->recorded - kept(a);
    }
    return lost;
}

/* Write text as a JSON string. */
static void write_string(FILE *out, const char *text)
{
    putc('"', out);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            putc('\\', out);
        if ((unsigned char)*text < ' ')
            fprintf(out, "\\u%04x", (unsigned)*text);
        else
            putc(*text, out);
    }
    putc('"', out);
}

/* Begin a fact about a process or one of its threads: {"kind": value}. */
static void begin_fact(FILE *out, const char *before, const char *fact,
                       int process, int actor)
{
    fprintf(out,
            "%s{\"name\":\"%s\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{",
            before, fact, process, actor);
}

static void write_facts(FILE *out, int process, int actor, const char *name)
{
    begin_fact(out, ",\n", "thread_name", process, actor);
    fputs("\"name\":", out);
    write_string(out, name);
    fputs("}}", out);
    begin_fact(out, ",\n", "thread_sort_index", process, actor);
    fprintf(out, "\"sort_index\":%d}}", actor);
}

/* Write a span; times in the format are microseconds. */
static void write_span(FILE *out, int process, int actor, double zero,
                       const span_t *span)
{
    fputs(",\n{\"name\":", out);
    write_string(out, span->name);
    fprintf(out, ",\"ph\":\"X\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f,\"dur\":%.3f",
            process, actor, 1e6 * (span->begin - zero),
            1e6 * (span->end - span->begin));
    if (span->iteration >= 0)
        fprintf(out, ",\"args\":{\"iteration\":%d}", span->iteration);
    putc('}', out);
}

static void write_actor(FILE *out, int process, int actor, double zero)
{
    const actor_t *a = &trace.actor[actor];
    int64_t i = a->recorded - kept(a);

    if (i == a->recorded)
        return;
    write_facts(out, process, actor, a->name[0] != '\0' ? a->name : "unnamed");
    for (; i < a->recorded; i++)
        write_span(out, process, actor, zero, &a->ring[i % trace.spans_each]);
}

static void write_process(FILE *out, int process)
{
    int64_t lost = xh_trace_lost();

    begin_fact(out, "", "process_name", process, 0);
    fprintf(out, "\"name\":\"process %d\"}}", process);
    if (lost == 0)
        return;
    begin_fact(out, ",\n", "process_labels", process, 0);
    fprintf(out, "\"labels\":\"%" PRId64 " spans lost\"}}", lost);
}

xh_status_t xh_trace_text(int process, double zero, char **json_p,
                          size_t *size_p)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    xh_status_t status;

    if (out != NULL)
        write_process(out, process);
    for (int i = 0; out != NULL && i < trace.actors; i++)
        write_actor(out, process, i, zero);
    status = xh_text_close(out, &text, "the trace");
    if (status == XH_OK) {
        *json_p = text;
        *size_p = size;
    }
    return status;
}

void xh_trace_close(void)
{
    atomic_store(&trace.on, false);
    for (int i = 0; i < trace.actors; i++)
        free(trace.actor[i].ring);
    free(trace.actor);
    trace.actor = NULL;
    trace.actors = 0;
}
