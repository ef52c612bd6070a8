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
#include "base/output.h"
#include "base/trace.h"
#include "hpl/grid/agree.h"
#include "hpl_solver.h"
#include "testing/ptest/processes.h"

/* More actors than any node has threads and devices; unused ones cost little.
 */
enum { ACTORS = 4096, SPANS_EACH = 1 << 17 };

static const struct {
    const char *option, *mark, *head, *separator, *tail;
} rows[] = {[XHPL_TRACE] = {"--trace", "{\"traceEvents\":[",
                            "{\"traceEvents\":[\n", ",\n", "\n]}\n"},
            [XHPL_ITERATIONS] = {"--iterations", "rank,run,n,nb,", "", "", ""}};

/* ---- before the tests ---------------------------------------------------- */

static xh_status_t open_files(const xhpl_command_t *command,
                              xhpl_trace_files_t *files)
{
    const char *const names[] = {command->trace, command->iterations};

    for (int i = 0; i < XHPL_TRACE_FILES; i++)
        if (files->is_enabled[i])
            XH_TRY(xh_output_open(rows[i].option, names[i],
                                  command->force ? NULL : rows[i].mark,
                                  &files->out[i]));
    return XH_OK;
}

static void close_files(xhpl_trace_files_t *files)
{
    for (int i = 0; i < XHPL_TRACE_FILES; i++)
        xh_output_close(&files->out[i]);
}

xh_status_t xhpl_trace_files_open(const xhpl_command_t *command,
                                  xhpl_trace_files_t *files_p)
{
    bool are_kept = hpl_solver()->iterations != NULL;
    xhpl_trace_files_t files = {
        .is_enabled = {command->trace != NULL,
                       command->iterations != NULL && are_kept}};
    xh_status_t status = XH_OK;

    if (xhpl_rank(MPI_COMM_WORLD) == 0) {
        if (command->iterations != NULL && !are_kept)
            xh_log_warning("the %s solver keeps no record of its iterations: "
                           "%s is not written",
                           hpl_solver()->name, command->iterations);
        status = open_files(command, &files);
        if (status != XH_OK)
            close_files(&files);
    }
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    if (files.is_enabled[XHPL_TRACE])
        xh_trace_open(ACTORS, SPANS_EACH);
    MPI_Barrier(MPI_COMM_WORLD);
    files.zero = xh_clock_now();
    *files_p = files;
    return XH_OK;
}

/* ---- after the tests ----------------------------------------------------- */

/* Write the parts of all processes; mine is that of process 0. */
static void write_parts(int i, const char *mine, size_t size, FILE *out)
{
    char *text;

    fputs(rows[i].head, out);
    fwrite(mine, 1, size, out);
    for (int process = 1; process < xhpl_size(MPI_COMM_WORLD); process++) {
        xhpl_text_receive(MPI_COMM_WORLD, process, &text, &size);
        fputs(size > 0 ? rows[i].separator : "", out);
        fwrite(text, 1, size, out);
        free(text);
    }
    fputs(rows[i].tail, out);
}

static xh_status_t report(int i, bool is_written)
{
    if (is_written)
        return XH_OK;
    xh_log_error("cannot write the file of %s: %s", rows[i].option,
                 strerror(errno));
    return XH_ERR_IO;
}

static xh_status_t write_file(int i, xhpl_trace_files_t *files)
{
    int rank = xhpl_rank(MPI_COMM_WORLD);
    FILE *out = NULL;
    char *text = NULL;
    size_t size = 0;
    xh_status_t status;

    if (!files->is_enabled[i])
        return XH_OK;
    status = i == XHPL_TRACE
                 ? xh_trace_text(rank, files->zero, &text, &size)
                 : hpl_solver()->iterations(rank, files->zero, &text, &size);
    if (status == XH_OK && rank == 0) {
        out = xh_output_begin(&files->out[i]);
        status = report(i, out != NULL);
    }
    status = hpl_agree(MPI_COMM_WORLD, status);
    if (status == XH_OK && rank == 0)
        write_parts(i, text, size, out);
    else if (status == XH_OK)
        xhpl_text_send(MPI_COMM_WORLD, text, size);
    if (out != NULL && !xh_output_end(&files->out[i], out, status == XH_OK) &&
        status == XH_OK)
        status = report(i, false);
    free(text);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* Warn of spans that are missing in the trace. */
static void report_spans(void)
{
    int64_t spans[2] = {xh_trace_kept(), xh_trace_lost()}, sum[2];

    MPI_Reduce(spans, sum, 2, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (xhpl_rank(MPI_COMM_WORLD) != 0)
        return;
    if (sum[0] == 0)
        xh_log_warning("the trace is empty: the %s solver records no spans",
                       hpl_solver()->name);
    if (sum[1] > 0)
        xh_log_warning("the trace lacks %" PRId64 " spans, the oldest: only "
                       "%d of each thread and device are kept",
                       sum[1], SPANS_EACH);
}

static xh_status_t write_files(xhpl_trace_files_t *files)
{
    xh_status_t status, other;

    if (files->is_enabled[XHPL_TRACE])
        report_spans();
    status = write_file(XHPL_TRACE, files);
    other = write_file(XHPL_ITERATIONS, files);
    return status != XH_OK ? status : other;
}

xh_status_t xhpl_trace_files_close(xhpl_trace_files_t *files, bool solved)
{
    xh_status_t status = solved ? write_files(files) : XH_OK;

    xh_trace_close();
    close_files(files);
    return status;
}
