/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/device_mpi.h"

#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl/comm/waits.h"
#include "hpl/grid/agree.h"

/* Doubles of the messages: one that libraries copy at once, one that they do
 * not. */
enum { SHORT = 16, LONG = 1 << 16 };

static const double patience = 20.0; /* seconds */

typedef struct {
    hyb_device_info_t info;
    hyb_queue_t *queue;
    hyb_event_t *done;
    hyb_buffer_t *memory;
    hyb_block_t out, in;
    xh_view_t host;
    int rank, processes;
} probe_t;

/* Does the library say that it does not know this kind of device? */
static bool is_denied(const char *backend)
{
    static const char *const name[][2] = {
        {"cuda", "MPIX_Query_cuda_support"}, /* Open MPI and MPICH */
        {"hip", "MPIX_Query_rocm_support"},  /* Open MPI */
        {"hip", "MPIX_Query_hip_support"}};  /* MPICH */
    void *program = dlopen(NULL, RTLD_LAZY);
    int (*knows)(void) = NULL;

    for (int i = 0; i < 3 && program != NULL && knows == NULL; i++)
        if (strcmp(backend, name[i][0]) == 0)
            *(void **)&knows = dlsym(program, name[i][1]);
    return knows != NULL && knows() == 0;
}

/* ---- the device's side --------------------------------------------------- */

static xh_status_t prepare(hyb_device_t *device, probe_t *p)
{
    const size_t bytes = 2 * LONG * sizeof(double);

    XH_TRY(hyb_device_describe(device, &p->info));
    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &p->queue));
    XH_TRY(hyb_event_create(device, &p->done));
    XH_TRY(hyb_buffer_create(device, bytes, &p->memory));
    p->out = hyb_block(p->memory, 0, LONG, 1);
    p->in = hyb_block(p->memory, LONG, LONG, 1);
    if (hyb_block_address(p->out) == NULL || is_denied(p->info.backend)) {
        xh_log_error("device_mpi=on: the MPI library cannot take memory of %s "
                     "devices",
                     p->info.backend);
        return XH_ERR_INPUT;
    }
    return XH_OK;
}

static xh_status_t finish(const probe_t *p)
{
    XH_TRY(hyb_event_record(p->queue, p->done));
    return hyb_event_await(p->done, patience);
}

static xh_status_t open_probe(hyb_machine_t *machine, probe_t *p)
{
    p->host = (xh_view_t){malloc(LONG * sizeof(double)), LONG, 1, LONG};
    if (p->host.data == NULL)
        return XH_ERR_MEMORY;
    if (hyb_machine_working_devices(machine) == 0) {
        xh_log_error("device_mpi=on: this process has no device");
        return XH_ERR_INPUT;
    }
    XH_TRY(prepare(hyb_machine_device(machine, 0), p));
    for (int i = 0; i < LONG; i++)
        p->host.data[i] = p->rank + 1.0 / (i + 1);
    XH_TRY(hyb_queue_copy_in(p->queue, p->host, p->out));
    return finish(p);
}

static void close_probe(probe_t *p)
{
    hyb_buffer_destroy(p->memory);
    hyb_event_destroy(p->done);
    hyb_queue_destroy(p->queue);
    free(p->host.data);
}

/* ---- messages ------------------------------------------------------------ */

/* Of a signal, or of time. */
static void end_in_words(int signal)
{
    static const char words[] =
        "xhpl: error: device_mpi=on: the MPI library crashes or hangs on "
        "device memory, for which it is not built\n";

    (void)signal;
    _exit(write(STDERR_FILENO, words, sizeof(words) - 1) >= 0 ? 2 : 3);
}

static bool has_passed_on(const probe_t *p, MPI_Comm comm, int count)
{
    int next = (p->rank + 1) % p->processes;
    int last = (p->rank + p->processes - 1) % p->processes;
    double end = xh_clock_now() + patience;
    MPI_Request request[2];
    int done = 0;
    int error = MPI_Irecv(hyb_block_address(p->in), count, MPI_DOUBLE, last, 0,
                          comm, &request[0]);

    if (error == MPI_SUCCESS)
        error = MPI_Isend(hyb_block_address(p->out), count, MPI_DOUBLE, next, 0,
                          comm, &request[1]);
    while (error == MPI_SUCCESS && !done) {
        error = MPI_Testall(2, request, &done, hpl_no_statuses);
        if (!done && xh_clock_now() > end)
            end_in_words(0);
    }
    return error == MPI_SUCCESS;
}

static bool pass_on(const probe_t *p, MPI_Comm comm)
{
    struct sigaction ours = {.sa_handler = end_in_words}, segv, bus;
    bool passed;

    sigaction(SIGSEGV, &ours, &segv);
    sigaction(SIGBUS, &ours, &bus);
    passed = has_passed_on(p, comm, SHORT) && has_passed_on(p, comm, LONG);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    return passed;
}

static bool is_what_was_sent(const probe_t *p)
{
    int last = (p->rank + p->processes - 1) % p->processes;

    for (int i = 0; i < LONG && !p->info.models_time; i++)
        if (p->host.data[i] != last + 1.0 / (i + 1))
            return false;
    return true;
}

static xh_status_t exchange(const probe_t *p)
{
    MPI_Comm comm;
    bool passed;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    passed = pass_on(p, comm);
    MPI_Comm_free(&comm);
    XH_TRY(hyb_queue_copy_out(p->queue, p->in, p->host));
    XH_TRY(finish(p));
    if (passed && is_what_was_sent(p))
        return XH_OK;
    xh_log_error("device_mpi=on: a message between devices did not come as it "
                 "was sent: the MPI library is not built for %s devices",
                 p->info.backend);
    return XH_ERR_INPUT;
}

xh_status_t hyb_device_mpi_probe(hyb_machine_t *machine, bool *takes_p)
{
    probe_t p = {.queue = NULL};
    xh_status_t status;

    *takes_p = strcmp(xh_settings_text("device_mpi"), "on") == 0;
    if (!*takes_p)
        return XH_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p.processes);
    status = hpl_agree(MPI_COMM_WORLD, open_probe(machine, &p));
    if (status == XH_OK)
        status = hpl_agree(MPI_COMM_WORLD, exchange(&p));
    close_probe(&p);
    return status;
}
