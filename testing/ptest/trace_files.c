/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/trace_files.h"

#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/trace.h"
#include "hpl/grid/agree.h"
#include "hpl_solver.h"

/* More actors than threads and devices of any node; unused ones cost little. */
enum { ACTORS = 4096, SPANS_EACH = 1 << 17 };

/* Messages of a file: the size of a process's part, then pieces of it. */
enum { TAG_SIZE = 1, TAG_PIECE, PIECE = 1 << 20 };

/* how a file is made of the parts of all processes */
typedef struct {
    xh_status_t (*part)(int process, double zero, char **text_p,
                        size_t *size_p);
    const char *head, *separator, *tail;
} format_t;

static int my_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* ---- before the tests ---------------------------------------------------- */

/* The name of the file of iterations, "" where there will be none. */
static const char *possible_iterations(const char *name)
{
    if (name[0] == '\0' || hpl_solver()->iterations != NULL)
        return name;
    if (my_rank() == 0)
        xh_log_warning("the %s solver keeps no record of its iterations: %s "
                       "is not written",
                       hpl_solver()->name, name);
    return "";
}

static xh_status_t open_file(const char *option, const char *name,
                             xhpl_trace_file_t *file)
{
    if (!file->wanted)
        return XH_OK;
    file->out = fopen(name, "w");
    if (file->out != NULL)
        return XH_OK;
    xh_log_error("--%s: cannot write %s: %s", option, name, strerror(errno));
    return XH_ERR_INPUT;
}

static xh_status_t open_both(const char *trace, const char *iterations,
                             xhpl_trace_files_t *files)
{
    xh_status_t status;

    if (files->trace.wanted && strcmp(trace, iterations) == 0) {
        xh_log_error("--trace and --iterations both name %s; allowed: two "
                     "files",
                     trace);
        return XH_ERR_INPUT;
    }
    status = open_file("trace", trace, &files->trace);
    if (status == XH_OK)
        status = open_file("iterations", iterations, &files->iterations);
    if (status != XH_OK && files->trace.out != NULL)
        fclose(files->trace.out);
    return status;
}

xh_status_t xhpl_trace_files_open(const char *trace, const char *iterations,
                                  xhpl_trace_files_t *files_p)
{
    const char *rows = possible_iterations(iterations);
    xhpl_trace_files_t files = {.trace.wanted = trace[0] != '\0',
                                .iterations.wanted = rows[0] != '\0'};
    xh_status_t status = XH_OK;

    if (my_rank() == 0)
        status = open_both(trace, rows, &files);
    status = hpl_agree(MPI_COMM_WORLD, status);
    if (status != XH_OK)
        return status;
    if (files.trace.wanted)
        xh_trace_open(ACTORS, SPANS_EACH);
    MPI_Barrier(MPI_COMM_WORLD);
    files.zero = xh_clock_now();
    *files_p = files;
    return XH_OK;
}

/* ---- after the tests ----------------------------------------------------- */

static void send_part(const char *text, uint64_t size)
{
    uint64_t done, length;

    MPI_Send(&size, 1, MPI_UINT64_T, 0, TAG_SIZE, MPI_COMM_WORLD);
    for (done = 0; done < size; done += length) {
        length = size - done < PIECE ? size - done : PIECE;
        MPI_Send(text + done, (int)length, MPI_BYTE, 0, TAG_PIECE,
                 MPI_COMM_WORLD);
    }
}

/* Write the part that process sends. */
static void receive_part(int process, const char *separator, FILE *out)
{
    static char piece[PIECE];
    uint64_t size, done;
    MPI_Status status;
    int length;

    MPI_Recv(&size, 1, MPI_UINT64_T, process, TAG_SIZE, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    if (size > 0)
        fputs(separator, out);
    for (done = 0; done < size; done += (uint64_t)length) {
        MPI_Recv(piece, PIECE, MPI_BYTE, process, TAG_PIECE, MPI_COMM_WORLD,
                 &status);
        MPI_Get_count(&status, MPI_BYTE, &length);
        fwrite(piece, 1, (size_t)length, out);
    }
}

static xh_status_t close_file(FILE *out)
{
    int failed = ferror(out);

    errno = failed ? EIO : 0;
    if (fclose(out) == 0 && !failed)
        return XH_OK;
    xh_log_error("cannot write a file of --trace or --iterations: %s",
                 strerror(errno));
    return XH_ERR_IO;
}

/* All parts, that of this process 0 first. */
static xh_status_t write_parts(const format_t *format, const char *mine,
                               size_t size, FILE *out)
{
    int processes;

    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    fputs(format->head, out);
    fwrite(mine, 1, size, out);
    for (int process = 1; process < processes; process++)
        receive_part(process, format->separator, out);
    fputs(format->tail, out);
    return close_file(out);
}

static xh_status_t write_file(const format_t *format, double zero,
                              const xhpl_trace_file_t *file)
{
    int rank = my_rank();
    char *text = NULL;
    size_t size = 0;
    xh_status_t status;

    if (!file->wanted)
        return XH_OK;
    status = hpl_agree(MPI_COMM_WORLD, format->part(rank, zero, &text, &size));
    if (status == XH_OK && rank == 0)
        status = write_parts(format, text, size, file->out);
    else if (status == XH_OK)
        send_part(text, size);
    else if (rank == 0)
        fclose(file->out);
    free(text);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* Say what the trace does not show. */
static void report_spans(void)
{
    int64_t spans[2] = {xh_trace_kept(), xh_trace_lost()}, sum[2];

    MPI_Reduce(spans, sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (my_rank() != 0)
        return;
    if (sum[0] == 0)
        xh_log_warning("the trace is empty: the %s solver records no spans",
                       hpl_solver()->name);
    if (sum[1] > 0)
        xh_log_warning("the trace lacks %" PRId64 " spans, the oldest: only "
                       "%d of each thread and device are kept",
                       sum[1], SPANS_EACH);
}

xh_status_t xhpl_trace_files_write(xhpl_trace_files_t *files)
{
    const format_t events = {.part = xh_trace_text,
                             .head = "{\"traceEvents\":[\n",
                             .separator = ",\n",
                             .tail = "\n]}\n"};
    const format_t rows = {.part = hpl_solver()->iterations,
                           .head = "",
                           .separator = "",
                           .tail = ""};
    xh_status_t status, other;

    if (files->trace.wanted)
        report_spans();
    status = write_file(&events, files->zero, &files->trace);
    other = write_file(&rows, files->zero, &files->iterations);
    xh_trace_close();
    return status != XH_OK ? status : other;
}
