/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "base/status.h"
#include "hpl.h"
#include "hpl/pauxil/abort.h"

enum { LINE_SIZE = 1024, PROCESS_SIZE = MPI_MAX_PROCESSOR_NAME + 64 };

/* " from process # 3 on node17,"; empty outside of MPI */
static void print_process(char text[PROCESS_SIZE])
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    text[0] = '\0';
    if (!hpl_mpi_runs())
        return;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(text, PROCESS_SIZE, " from process # %d on %s,", rank, host);
}

/*
 * "HPL ERROR from process # 3 on node17, on line 12 of function f: ..." as one
 * line without its end. Very long messages are cut.
 */
static void print(char text[LINE_SIZE], const char *kind, const char *process,
                  int line, const char *function, const char *form,
                  va_list values) __attribute__((format(printf, 6, 0)));
static void print(char text[LINE_SIZE], const char *kind, const char *process,
                  int line, const char *function, const char *form,
                  va_list values)
{
    char place[32] = " in";
    size_t length;

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
    print(text, "ERROR", "", LINE, SRNAME, FORM, values);
    va_end(values);
    HPL_fprintf(stderr, "%s\n", text);
    exit(XH_EXIT_RUNTIME);
}

void HPL_warn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM, ...)
{
    char text[LINE_SIZE];
    va_list values;

    va_start(values, FORM);
    print(text, "WARNING", "", LINE, SRNAME, FORM, values);
    va_end(values);
    HPL_fprintf(STREAM, "%s\n", text);
}

void HPL_pabort(int LINE, const char *SRNAME, const char *FORM, ...)
{
    char text[LINE_SIZE], process[PROCESS_SIZE];
    va_list values;

    print_process(process);
    va_start(values, FORM);
    print(text, "ERROR", process, LINE, SRNAME, FORM, values);
    va_end(values);
    xh_log_error_as_is(text);
    hpl_abort_job();
}

void HPL_pwarn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM,
               ...)
{
    char text[LINE_SIZE], process[PROCESS_SIZE];
    va_list values;

    print_process(process);
    va_start(values, FORM);
    print(text, "WARNING", process, LINE, SRNAME, FORM, values);
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
