/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <inttypes.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/arithmetic.h"
#include "base/blas_library.h"
#include "base/log.h"
#include "base/output.h"
#include "base/settings.h"
#include "base/status.h"
#include "hpl.h"
#include "hpl/comm/schedule.h"
#include "hpl/grid/agree.h"
#include "hpl/pauxil/abort.h"
#include "testing/planner/planner.h"
#include "testing/ptest/blas_report.h"
#include "testing/ptest/capacity.h"
#include "testing/ptest/command_line.h"
#include "testing/ptest/record.h"
#include "testing/ptest/run.h"
#include "testing/ptest/processes.h"
#include "testing/ptest/solvers.h"
#include "testing/ptest/run_summary.h"
#include "testing/ptest/termination.h"
#include "testing/ptest/trace_files.h"
#include "testing/ptest/trust.h"

/* An error inside MPI ends the job with a message that tells where. */
static void abort_job(MPI_Comm *comm, int *code, ...)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    (void)comm;
    MPI_Error_string(*code, text, &length);
    xh_log_error("MPI: %s", text);
    hpl_abort_job();
}

static void identify(int rank, const char *host)
{
    MPI_Errhandler handler;

    xh_log_identify("xhpl", rank, host);
    MPI_Comm_create_errhandler(abort_job, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Errhandler_free(&handler);
}

/* Received lists must not index beyond their arrays. */
static void check_lists(const xhpl_command_t *command)
{
    const xhpl_quantity_row_t *wrong =
        command->run ? xhpl_parameters_invalid(&command->parameters) : NULL;

    if (wrong != NULL)
        HPL_pabort(0, "receive_command",
                   "rank 0 sent values that cannot be %s: a message or that "
                   "process's memory was damaged",
                   wrong->what);
}

/* Broadcast the command that process 0 reads. */
static xhpl_command_t receive_command(int argc, char **argv, int rank)
{
    xhpl_command_t command;

    if (rank == 0) {
        xhpl_record_listen();
        xhpl_command_read(argc, argv, xhpl_size(MPI_COMM_WORLD), &command);
    }
    MPI_Bcast(&command, sizeof(command), MPI_BYTE, 0, MPI_COMM_WORLD);
    check_lists(&command);
    MPI_Barrier(MPI_COMM_WORLD); /* the sender also knows that the broadcast is
                                    complete */
    if (command.quiet)
        xh_log_limit(XH_LOG_WARNING);
    return command;
}

/* Open the output device; NULL: the file cannot be opened, which is reported.
 */
static FILE *open_device(const xhpl_command_t *command)
{
    const xhpl_parameters_t *parameters = &command->parameters;
    int device = xhpl_parameters_value(parameters, XHPL_DEVICE);
    FILE *out;

    if (device == XHPL_DEVICE_STDOUT)
        return stdout;
    if (device == XHPL_DEVICE_STDERR)
        return stderr;
    return xh_output_stream("line 3 of HPL.dat", parameters->output,
                            command->force ? NULL : "HPLinpack", &out) == XH_OK
               ? out
               : NULL;
}

/* Write a file's data to disk; returns whether that succeeded. */
static bool is_synced(FILE *out)
{
    return fflush(out) == 0 &&
           (fsync(fileno(out)) == 0 || (errno != EIO && errno != ENOSPC &&
                                        errno != EDQUOT && errno != EFBIG));
}

/* Close the output device; collective; an error is reported. */
static xh_status_t close_device(FILE *out)
{
    bool is_said = out != NULL && ferror(out); /* the report has logged it */
    xh_status_t status = XH_OK;

    if (out != NULL && out != stderr &&
        !(is_synced(out) && (out == stdout || fclose(out) == 0)))
        status = XH_ERR_IO;
    if (status != XH_OK && !is_said)
        xh_log_error("cannot write all of the report: %s", strerror(errno));
    return hpl_agree(MPI_COMM_WORLD, status);
}

/* Report the self-test only if the user asked for nothing else. */
static void report_trust(const xhpl_command_t *command,
                         const xhpl_trust_t *trust)
{
    if (command->ask == XHPL_ASK_TRUST && xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_info("trust: all results are right: %" PRId64 " of %" PRId64
                    " shapes in %.3f s",
                    trust->tried, trust->shapes, trust->seconds);
}

/* Order: a solver is open. Only process 0 has a device. */
static int run_tests(const xhpl_command_t *command, xhpl_record_t *record,
                     const xhpl_weights_t *weights, int rank)
{
    xhpl_trace_files_t files;
    xhpl_forecast_t forecast;
    xhpl_trust_t trust;
    bool solved = false;
    int ready, status = XH_EXIT_INPUT;
    xh_status_t trusted;
    FILE *out = NULL;

    if (xhpl_capacity_check(&command->parameters, weights) != XH_OK ||
        xhpl_blas_report(&command->parameters) != XH_OK)
        return XH_EXIT_INPUT;
    trusted = xhpl_trust(command, &trust);
    xhpl_record_trust(record, &trust);
    if (trusted != XH_OK)
        return XH_EXIT_RUNTIME;
    report_trust(command, &trust);
    if (command->ask == XHPL_ASK_TRUST)
        return XH_EXIT_PASSED;
    if (xhpl_planner_forecast(&command->parameters, weights, &forecast) !=
            XH_OK ||
        xhpl_trace_files_open(command, &files) != XH_OK)
        return XH_EXIT_INPUT;
    xhpl_record_note(record, XHPL_SOLVER_OPEN, NULL);
    if (rank == 0)
        xhpl_at_termination_again();
    if (rank == 0)
        out = open_device(command);
    ready = out != NULL;
    MPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ready)
        status = xhpl_run(command, out, record, &forecast, weights, &solved);
    if (close_device(out) != XH_OK)
        status = XH_EXIT_RUNTIME;
    return xhpl_trace_files_close(&files, solved) == XH_OK ? status
                                                           : XH_EXIT_RUNTIME;
}

static int run_command(const xhpl_command_t *command, xhpl_record_t *record,
                       int rank)
{
    xhpl_weights_t *weights = NULL;
    xh_status_t status;
    int provided, exit_status = XH_EXIT_INPUT;

    xhpl_settings_share();
    xhpl_hang_watch_begin();
    xh_arithmetic_keep_subnormals();
    hpl_message_chunk = (size_t)xh_settings_int("message_chunk");
    MPI_Query_thread(&provided);
    if (hpl_agree(MPI_COMM_WORLD, xh_blas_library_try_room()) != XH_OK)
        return XH_EXIT_INPUT;
    status = xhpl_solver_open(provided >= MPI_THREAD_FUNNELED);
    if (status != XH_OK)
        return status == XH_ERR_INPUT ? XH_EXIT_INPUT : XH_EXIT_RUNTIME;
    if (command->ask == XHPL_ASK_PLAN || command->ask == XHPL_ASK_PREDICT)
        exit_status = xhpl_planner_answer(command);
    else if (xhpl_weights_open(&command->parameters, xhpl_planner_rate,
                               &weights) == XH_OK)
        exit_status = run_tests(command, record, weights, rank);
    free(weights);
    xhpl_solver_close();
    return exit_status;
}

/* Called when a signal ends process 0. */
static void terminated(void *record, int signal)
{
    xhpl_summary_report_interrupted();
    xhpl_record_terminated(record, signal);
}

/* Run the tests; meanwhile catch signals on process 0. */
static int run_until_signal(const xhpl_command_t *command,
                            xhpl_record_t *record, int rank)
{
    int exit_status;

    if (!command->run)
        return command->exit_status;
    if (rank == 0)
        xhpl_at_termination(terminated, record);
    exit_status = run_command(command, record, rank);
    if (rank == 0)
        xhpl_at_termination_end();
    return exit_status;
}

/* Delete the checkpoints once all processes agree that report and record are
 * written. */
static void delete_checkpoints(int exit_status)
{
    xh_status_t status =
        exit_status == XH_EXIT_RUNTIME ? XH_ERR_INTERNAL : XH_OK;

    if (hpl_agree(MPI_COMM_WORLD, status) == XH_OK &&
        xhpl_solver_delete_checkpoints() && xhpl_rank(MPI_COMM_WORLD) == 0)
        xhpl_weights_delete();
}

static int status_at_end;

static void leave(int signal)
{
    static const char text[] =
        "xhpl: warning: the MPI library crashed in MPI_Finalize; the results "
        "are complete\n";

    (void)signal;
    if (write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
        status_at_end = XH_EXIT_RUNTIME;
    _exit(status_at_end);
}

/* Open MPI 4.1 may unload a module while one of its threads still calls it; the
 * exit status remains the run's. */
static void finalize(int exit_status)
{
    status_at_end = exit_status;
    fflush(NULL);
    signal(SIGSEGV, leave);
    signal(SIGBUS, leave);
    MPI_Finalize();
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}

int main(int argc, char **argv)
{
    xhpl_command_t command;
    xhpl_record_t *record;
    char host[MPI_MAX_PROCESSOR_NAME];
    int rank, length, provided, exit_status = XH_EXIT_INPUT;

    /* A failed write is reported where it occurs. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Get_processor_name(host, &length);
    xhpl_start_watch_begin(rank, host, provided >= MPI_THREAD_FUNNELED);
    command = receive_command(argc, argv, rank);
    xhpl_start_watch_end();
    identify(rank, host);
    if (xhpl_record_open(&command, &record) == XH_OK) {
        exit_status = run_until_signal(&command, record, rank);
        if (xhpl_record_close(record, exit_status) != XH_OK)
            exit_status = XH_EXIT_RUNTIME;
        if (command.run)
            delete_checkpoints(exit_status);
    }
    xhpl_hang_watch_end();
    finalize(exit_status);
    return exit_status;
}
