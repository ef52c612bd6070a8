/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/abort.h"

#include <pthread.h>
#include <stdbool.h>
#include "base/log.h"
#include "base/status.h"
#include "hpl.h"

/* If several threads meet errors, the others wait for the first. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*listener)(void *context);
static void *of_listener;

void hpl_at_abort(void (*fn)(void *context), void *context)
{
    pthread_mutex_lock(&lock);
    listener = fn;
    of_listener = context;
    pthread_mutex_unlock(&lock);
}

static bool mpi_runs(void)
{
    int begun, ended;

    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    return begun && !ended;
}

void hpl_abort_job(void)
{
    pthread_mutex_lock(&lock);
    if (listener != NULL)
        listener(of_listener);
    listener = NULL;
    pthread_mutex_unlock(&lock);
    if (mpi_runs())
        MPI_Abort(MPI_COMM_WORLD, XH_EXIT_RUNTIME);
    exit(XH_EXIT_RUNTIME);
}

/* ---- upstream's messages ------------------------------------------------- */

enum { LINE_SIZE = 1024 };

/* " from process # 3 on node17,"; empty outside of MPI */
static void print_process(char *text, size_t size)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    if (!mpi_runs())
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(text, size, " from process # %d on %s,", rank, host);
}

typedef enum { ALONE, WITH_PROCESS } where_t;

/*
 * "HPL ERROR from process # 3 on node17, on line 12 of function f: ..." as one
 * line without its end. Very long messages are cut.
 */
__attribute__((format(printf, 6, 0))) static void
print(char text[LINE_SIZE], const char *kind, where_t where, int line,
      const char *function, const char *form, va_list values)
{
    char process[MPI_MAX_PROCESSOR_NAME + 64] = "", place[32] = " in";
    size_t length;

    if (where == WITH_PROCESS)
        print_process(process, sizeof(process));
    if (line > 0)
        snprintf(place, sizeof(place), " on line %d of", line);
    snprintf(text, LINE_SIZE, "HPL %s%s%s function %.200s: ", kind, process,
             place, function);
    length = strlen(text);
    vsnprintf(text + length, LINE_SIZE - length, form, values);
    for (length = strlen(text); length > 0 && text[length - 1] == '\n';)
        text[--length] = '\0';
}

void HPL_abort(int LINE, const char *SRNAME, const char *FORM, ...)
{
    char text[LINE_SIZE];
    va_list values;

    va_start(values, FORM);
    print(text, "ERROR", ALONE, LINE, SRNAME, FORM, values);
    va_end(values);
    HPL_fprintf(stderr, "%s\n", text);
    exit(XH_EXIT_RUNTIME);
}

void HPL_warn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...)
{
    char text[LINE_SIZE];
    va_list values;

    va_start(values, FORM);
    print(text, "WARNING", ALONE, LINE, SRNAME, FORM, values);
    va_end(values);
    HPL_fprintf(STREAM, "%s\n", text);
}

void HPL_pabort(int LINE, const char *SRNAME, const char *FORM, ...)
{
    char text[LINE_SIZE];
    va_list values;

    va_start(values, FORM);
    print(text, "ERROR", WITH_PROCESS, LINE, SRNAME, FORM, values);
    va_end(values);
    xh_log_error_as_is(text);
    hpl_abort_job();
}

void HPL_pwarn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM,
               ...)
{
    char text[LINE_SIZE];
    va_list values;

    va_start(values, FORM);
    print(text, "WARNING", WITH_PROCESS, LINE, SRNAME, FORM, values);
    va_end(values);
    HPL_fprintf(STREAM, "%s\n", text);
}

void HPL_fprintf(FILE *STREAM, const char *FORM, ...)
{
    va_list values;

    va_start(values, FORM);
    vfprintf(STREAM, FORM, values);
    va_end(values);
    fflush(STREAM);
}
