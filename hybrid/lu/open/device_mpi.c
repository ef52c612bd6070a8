/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/open/device_mpi.h"

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

/* Doubles of the messages: libraries copy the short one at once, but not the
 * long one. */
enum { SHORT = 16, LONG = 1 << 16 };

/* Two vectors in a device's memory: number 0 is sent, number 1 is received. */
typedef struct {
    hyb_queue_t *queue;
    hyb_event_t *done;
    hyb_buffer_t *memory;
    double patience; /* s */
} mailbox_t;

static xh_status_t open_mailbox(hyb_device_t *device, mailbox_t *m)
{
    XH_TRY(hyb_queue_create(device, HYB_QUEUE_NORMAL, &m->queue));
    XH_TRY(hyb_event_create(device, &m->done));
    return hyb_buffer_create(device, 2 * LONG * sizeof(double), &m->memory);
}

static void close_mailbox(mailbox_t *m)
{
    hyb_buffer_destroy(m->memory);
    hyb_event_destroy(m->done);
    hyb_queue_destroy(m->queue);
}

static hyb_device_view_t vector(const mailbox_t *m, int number)
{
    return hyb_device_view(m->memory, (int64_t)number * LONG, LONG, 1);
}

static double *address(const mailbox_t *m, int number)
{
    return hyb_device_view_address(vector(m, number));
}

static xh_view_t host_vector(double *data)
{
    return (xh_view_t){data, LONG, 1, LONG};
}

static xh_status_t finish(const mailbox_t *m)
{
    XH_TRY(hyb_event_record(m->queue, m->done));
    return hyb_event_await(m->done, m->patience);
}

static xh_status_t put(const mailbox_t *m, double *from)
{
    XH_TRY(hyb_queue_copy_in(m->queue, host_vector(from), vector(m, 0)));
    return finish(m);
}

static xh_status_t get(const mailbox_t *m, double *to)
{
    XH_TRY(hyb_queue_copy_out(m->queue, vector(m, 1), host_vector(to)));
    return finish(m);
}

typedef struct {
    hyb_device_info_t info;
    mailbox_t box;
    double host[LONG];
    int rank, processes;
} probe_t;

/* Does the MPI library say that it does not support this kind of device? */
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

static xh_status_t open_device(hyb_device_t *device, probe_t *p)
{
    XH_TRY(hyb_device_describe(device, &p->info));
    XH_TRY(open_mailbox(device, &p->box));
    if (address(&p->box, 0) != NULL && !is_denied(p->info.backend))
        return XH_OK;
    xh_log_error("device_mpi=on: the MPI library cannot send from the memory "
                 "of %s devices",
                 p->info.backend);
    return XH_ERR_INPUT;
}

static xh_status_t open_probe(hyb_machine_t *machine, probe_t *p)
{
    if (p == NULL)
        return XH_ERR_MEMORY;
    if (hyb_machine_working_devices(machine) == 0) {
        xh_log_error("device_mpi=on: this process has no device");
        return XH_ERR_INPUT;
    }
    p->box = (mailbox_t){.patience = 20.0};
    MPI_Comm_rank(MPI_COMM_WORLD, &p->rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p->processes);
    XH_TRY(open_device(hyb_machine_device(machine, 0), p));
    for (int i = 0; i < LONG; i++)
        p->host[i] = p->rank + 1.0 / (i + 1);
    return put(&p->box, p->host);
}

/* End the process with a message, after a signal or a timeout. */
static void end_with_message(int signal)
{
    static const char words[] =
        "xhpl: error: device_mpi=on: the MPI library crashes or hangs on "
        "device memory, for which it is not built\n";

    (void)signal;
    _exit(write(STDERR_FILENO, words, sizeof(words) - 1) >= 0 ? 2 : 3);
}

static int neighbour(const probe_t *p, int distance)
{
    return (p->rank + p->processes + distance) % p->processes;
}

static bool has_passed_on(const probe_t *p, MPI_Comm comm, int count)
{
    double end = xh_clock_now() + p->box.patience;
    MPI_Request request[2];
    int done = 0;
    int error = MPI_Irecv(address(&p->box, 1), count, MPI_DOUBLE,
                          neighbour(p, -1), 0, comm, &request[0]);

    if (error == MPI_SUCCESS)
        error = MPI_Isend(address(&p->box, 0), count, MPI_DOUBLE,
                          neighbour(p, 1), 0, comm, &request[1]);
    while (error == MPI_SUCCESS && !done) {
        error = MPI_Testall(2, request, &done, hpl_no_statuses);
        if (!done && xh_clock_now() > end)
            end_with_message(0);
    }
    return error == MPI_SUCCESS;
}

static bool pass_on(const probe_t *p, MPI_Comm comm)
{
    struct sigaction action = {.sa_handler = end_with_message}, segv, bus;
    bool passed;

    sigaction(SIGSEGV, &action, &segv);
    sigaction(SIGBUS, &action, &bus);
    passed = has_passed_on(p, comm, SHORT) && has_passed_on(p, comm, LONG);
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    return passed;
}

static bool is_message_intact(const probe_t *p)
{
    for (int i = 0; i < LONG; i++)
        if (p->host[i] != neighbour(p, -1) + 1.0 / (i + 1))
            return false;
    return true;
}

static xh_status_t exchange(probe_t *p)
{
    MPI_Comm comm;
    bool passed;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    passed = pass_on(p, comm);
    MPI_Comm_free(&comm);
    XH_TRY(get(&p->box, p->host));
    if (passed && is_message_intact(p))
        return XH_OK;
    xh_log_error("device_mpi=on: a message between devices arrived damaged: "
                 "the MPI library is not built for %s devices",
                 p->info.backend);
    return XH_ERR_INPUT;
}

xh_status_t hyb_mpi_probe_device(hyb_machine_t *machine, bool *takes_p)
{
    probe_t *p;
    xh_status_t status;

    *takes_p = strcmp(xh_settings_text("device_mpi"), "on") == 0;
    if (!*takes_p)
        return XH_OK;
    p = calloc(1, sizeof(*p));
    status = hpl_agree(MPI_COMM_WORLD, open_probe(machine, p));
    if (status == XH_OK)
        status = hpl_agree(MPI_COMM_WORLD, exchange(p));
    if (p != NULL)
        close_mailbox(&p->box);
    free(p);
    return status;
}
