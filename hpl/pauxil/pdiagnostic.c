/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl.h"
#include "base/log.h"
#include "hpl/auxil/diagnostic.h"
#include "hpl/pauxil/abort.h"

enum { NAME_LENGTH = MPI_MAX_PROCESSOR_NAME + 64 };

/* "process # 3 on node17", written to name; NULL outside of MPI */
static const char *process_name(char *name)
{
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length;

    if (!hpl_mpi_runs())
        return NULL;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    snprintf(name, NAME_LENGTH, "process # %d on %s", rank, host);
    return name;
}

void HPL_pwarn(FILE *STREAM, int LINE, const char *SRNAME, const char *FORM,
               ...)
{
    char name[NAME_LENGTH];
    hpl_origin_t origin = {.kind = "WARNING",
                           .process = process_name(name),
                           .function = SRNAME,
                           .line = LINE};
    va_list values;

    va_start(values, FORM);
    hpl_diagnostic_write(STREAM, &origin, FORM, values);
    va_end(values);
}

void HPL_pabort(int LINE, const char *SRNAME, const char *FORM, ...)
{
    char name[NAME_LENGTH], line[HPL_DIAGNOSTIC_SIZE];
    hpl_origin_t origin = {.kind = "ERROR",
                           .process = process_name(name),
                           .function = SRNAME,
                           .line = LINE};
    va_list values;

    va_start(values, FORM);
    hpl_diagnostic_print(&origin, FORM, values, line);
    va_end(values);
    xh_log_error_as_is(line);
    hpl_abort_job();
}
