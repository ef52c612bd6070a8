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
#include "testing/ptest/processes.h"

/* More actors than any node has threads and devices; unused ones cost little.
 */
enum { ACTORS = 4096, SPANS_EACH = 1 << 17 };

static const struct {
    const char *option, *head, *separator, *tail;
} rows[] = {[XHPL_TRACE] = {"trace", "{\"traceEvents\":[\n", ",\n", "\n]}\n"},
            [XHPL_ITERATIONS] = {"iterations", "", "", ""}};

/* ---- before the tests ---------------------------------------------------- */

static xh_status_t open_files(const char *const names[XHPL_TRACE_FILES],
                              xhpl_trace_files_t *files)
{
    for (int i = 0; i < XHPL_TRACE_FILES; i++) {
        if (!files->wanted[i])
            continue;
        files->out[i] = fopen(names[i], "w");
        if (files->out[i] == NULL) {
            xh_log_error("--%s: cannot write %s: %s", rows[i].option, names[i],
                         strerror(errno));
            if (i > 0 && files->out[0] != NULL)
                fclose(files->out[0]);
            return XH_ERR_INPUT;
        }
    }
    return XH_OK;
}

xh_status_t xhpl_trace_files_open(const char *trace, const char *iterations,
                                  xhpl_trace_files_t *files_p)
{
    const char *const names[] = {trace, iterations};
    bool are_kept = hpl_solver()->iterations != NULL;
    xhpl_trace_files_t files = {
        .wanted = {trace != NULL, iterations != NULL && are_kept}};
    xh_status_t status = XH_OK;

    if (xhpl_rank(MPI_COMM_WORLD) == 0) {
        if (iterations != NULL && !are_kept)
            xh_log_warning("the %s solver keeps no record of its iterations: "
                           "%s is not written",
                           hpl_solver()->name, iterations);
        status = open_files(names, &files);
    }
    XH_TRY(hpl_agree(MPI_COMM_WORLD, status));
    if (files.wanted[XHPL_TRACE])
        xh_trace_open(ACTORS, SPANS_EACH);
    MPI_Barrier(MPI_COMM_WORLD);
    files.zero = xh_clock_now();
    *files_p = files;
    return XH_OK;
}

/* ---- after the tests ----------------------------------------------------- */

/* Write the parts of all processes, that of this process 0 first. */
static xh_status_t write_parts(int i, const char *mine, size_t size, FILE *out)
{
    char *text;
    int failed;

    fputs(rows[i].head, out);
    fwrite(mine, 1, size, out);
    for (int process = 1; process < xhpl_size(MPI_COMM_WORLD); process++) {
        xhpl_text_receive(MPI_COMM_WORLD, process, &text, &size);
        fputs(size > 0 ? rows[i].separator : "", out);
        fwrite(text, 1, size, out);
        free(text);
    }
    fputs(rows[i].tail, out);
    failed = ferror(out);
    errno = EIO;
    if (fclose(out) == 0 && !failed)
        return XH_OK;
    xh_log_error("cannot write a file of --trace or --iterations: %s",
                 strerror(errno));
    return XH_ERR_IO;
}

static xh_status_t write_file(int i, const xhpl_trace_files_t *files)
{
    int rank = xhpl_rank(MPI_COMM_WORLD);
    char *text = NULL;
    size_t size = 0;
    xh_status_t status;

    if (!files->wanted[i])
        return XH_OK;
    status = i == XHPL_TRACE
                 ? xh_trace_text(rank, files->zero, &text, &size)
                 : hpl_solver()->iterations(rank, files->zero, &text, &size);
    status = hpl_agree(MPI_COMM_WORLD, status);
    if (status == XH_OK && rank == 0)
        status = write_parts(i, text, size, files->out[i]);
    else if (status == XH_OK)
        xhpl_text_send(MPI_COMM_WORLD, text, size);
    else if (rank == 0)
        fclose(files->out[i]);
    free(text);
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* Warn of spans that the trace lacks. */
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

xh_status_t xhpl_trace_files_write(xhpl_trace_files_t *files)
{
    xh_status_t status, other;

    if (files->wanted[XHPL_TRACE])
        report_spans();
    status = write_file(XHPL_TRACE, files);
    other = write_file(XHPL_ITERATIONS, files);
    xh_trace_close();
    return status != XH_OK ? status : other;
}
