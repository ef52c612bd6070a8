/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/pauxil/abort.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "base/log.h"
#include "base/status.h"
#include "hpl.h"

/* If several threads meet errors, the later ones wait for the first. */
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

/* May this thread call MPI? Below MPI_THREAD_MULTIPLE only the thread that
 * initialized MPI may, except for such queries. */
static bool may_call_mpi(void)
{
    int level, is_main;

    if (!mpi_runs())
        return false;
    MPI_Query_thread(&level);
    MPI_Is_thread_main(&is_main);
    return is_main || level == MPI_THREAD_MULTIPLE;
}

/* Silence stderr, as MPI libraries print lines around the line with the reason.
 */
static void silence(void)
{
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

    if (nowhere >= 0)
        dup2(nowhere, STDERR_FILENO);
}

/* Was this process started without a launcher, so that no other process must be
 * ended? */
static bool is_alone(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size == 1 && getenv("OMPI_COMM_WORLD_SIZE") == NULL &&
           getenv("PMI_SIZE") == NULL && getenv("SLURM_STEP_NUM_TASKS") == NULL;
}

/* Launchers end a job at once, and drop output that they have not read: the
 * message with the reason. So wait first. A lone process exits without MPI,
 * whose daemon would print more lines after the message. */
static void abort_job(int status)
{
    const struct timespec until_read = {.tv_nsec = 300 * 1000 * 1000};

    if (is_alone()) {
        fflush(NULL);
        _exit(status);
    }
    nanosleep(&until_read, NULL);
    silence();
    MPI_Abort(MPI_COMM_WORLD, status);
}

static atomic_int wanted; /* exit status that another thread wants */

void hpl_abort_if_wanted(void *context)
{
    (void)context;
    if (atomic_load(&wanted) != 0)
        abort_job(atomic_load(&wanted));
}

/* Wait for the thread that calls MPI to end the job. That thread may be in a
 * call, or wait for this one: then end this process, and the launcher ends the
 * rest. */
static void let_job_be_aborted(int status)
{
    const struct timespec patience = {.tv_sec = 2};

    atomic_store(&wanted, status);
    nanosleep(&patience, NULL);
    _exit(status);
}

void hpl_abort_job(void)
{
    hpl_abort_job_as(XH_EXIT_RUNTIME);
}

void hpl_abort_job_as(int status)
{
    pthread_mutex_lock(&lock);
    if (listener != NULL)
        listener(of_listener);
    listener = NULL;
    pthread_mutex_unlock(&lock);
    if (may_call_mpi())
        abort_job(status);
    else if (mpi_runs())
        let_job_be_aborted(status);
    exit(status);
}

/* ---- upstream's messages ------------------------------------------------- */

enum { LINE_SIZE = 1024 };

enum { PROCESS_SIZE = MPI_MAX_PROCESSOR_NAME + 64 };

/* " from process # 3 on node17,", for threads that must not call MPI. */
static char this_process[PROCESS_SIZE];

/* Name this process; empty outside of MPI. */
static void print_process(char text[PROCESS_SIZE])
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    if (!may_call_mpi()) {
        snprintf(text, PROCESS_SIZE, "%s", mpi_runs() ? this_process : "");
        return;
    }
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(text, PROCESS_SIZE, " from process # %d on %s,", rank, host);
}

void hpl_abort_identify(void)
{
    if (may_call_mpi())
        print_process(this_process);
}

typedef enum { ALONE, WITH_PROCESS } where_t;

/*
 * Write "HPL ERROR from process # 3 on node17, on line 12 of function f: ..."
 * as one line without a line end. Very long messages are cut.
 */
__attribute__((format(printf, 6, 0))) static void
print(char text[LINE_SIZE], const char *kind, where_t where, int line,
      const char *function, const char *form, va_list values)
{
    char process[PROCESS_SIZE] = "", place[32] = " in";
    size_t length;

    if (where == WITH_PROCESS)
        print_process(process);
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
