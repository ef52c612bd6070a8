/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/hang.h"

#include <math.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/log.h"
#include "base/settings.h"
#include "hpl.h"
#include "hybrid/observe/hang/job.h"
#include "hybrid/observe/watchdog.h"

static hyb_hang_job_t job = {.listener = -1};
static pthread_t thread;
static bool is_open;
static int stop_event = -1; /* file descriptor that ends the thread */

/* ---- the thread ---------------------------------------------------------- */

/* Seconds between two updates. */
static double poll_interval(void)
{
    return fmin(0.5, job.patience / 8.0);
}

/* Update the state, `gap` seconds after the last update. A gap of more than two
 * intervals, in which this process was stopped, counts as two. Between phases
 * this process may wait for all. */
static void update_state(double gap)
{
    hyb_state_t *state = &job.state;
    hpl_ranks_t all = {0, 1, job.count};

    hyb_watchdog_state(fmin(gap, 2.0 * poll_interval()), state);
    hpl_waits_want(state->stall > job.patience / 4.0);
    if (state->kind != HYB_STATE_BETWEEN)
        return;
    hyb_state_add_wait(state, &(hpl_wait_t){"all others", -1, 0.0, all});
    state->kind = HYB_STATE_BETWEEN;
}

static bool is_server(void)
{
    return job.rank == 0 && job.host != NULL;
}

/* Wait for an event, at most for one interval. Returns false if the thread must
 * end. */
static bool wait_for_event(struct pollfd *fds)
{
    int count = 1;

    fds[0] = (struct pollfd){.fd = stop_event, .events = POLLIN};
    if (!is_server())
        count += hyb_hang_client_fds(fds + 1);
    else if (job.listener >= 0)
        count += hyb_hang_server_fds(&job, fds + 1);
    poll(fds, (nfds_t)count, (int)(1000.0 * poll_interval()) + 1);
    return (fds[0].revents & POLLIN) == 0;
}

static void *watch(void *context)
{
    struct pollfd *fds = context;
    double now, last = xh_clock_wall();

    while (wait_for_event(fds)) {
        now = xh_clock_wall();
        update_state(now - last);
        last = now;
        if (is_server())
            hyb_hang_server_step(&job, fds + 1, now);
        else
            hyb_hang_client_step(&job, now);
    }
    free(fds);
    return NULL;
}

/* ---- begin and end ------------------------------------------------------- */

/* Raise the limit of open files: each connection takes a descriptor, and the
 * run itself needs some. */
static bool raise_file_limit(void)
{
    enum { RUN_FILES = 256 };
    rlim_t needed = (rlim_t)hyb_hang_server_fds_limit(&job) + RUN_FILES;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return false;
    if (files.rlim_max >= needed) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        return true;
    }
    xh_log_warning(
        "hang: the watchdog needs %llu open files and the system allows %llu "
        "(ulimit -Hn): each process reports only on itself",
        (unsigned long long)needed, (unsigned long long)files.rlim_max);
    return false;
}

/* Remove those addresses of process 0 that other hosts have, too. */
static void remove_shared_addresses(void)
{
    hyb_addresses_t *list = &job.rendezvous.addresses;
    unsigned mask = job.is_same_host ? 0 : hyb_addresses_also_mine(list);

    MPI_Allreduce(MPI_IN_PLACE, &mask, 1, MPI_UNSIGNED, MPI_BOR,
                  MPI_COMM_WORLD);
    hyb_addresses_remove(list, mask);
}

/* Let process 0 listen; on loopback only, if all processes reach it that way.
 */
static void open_rendezvous(void)
{
    uint64_t mine = hyb_loopback_network(job.host[job.rank]);
    uint64_t server = mine;
    int is_remote; /* is any process on another host than process 0? */

    MPI_Bcast(&server, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    job.is_same_host = mine == server;
    is_remote = !job.is_same_host;
    MPI_Allreduce(MPI_IN_PLACE, &is_remote, 1, MPI_INT, MPI_MAX,
                  MPI_COMM_WORLD);
    if (job.rank == 0 && job.count > 1 &&
        xh_settings_int("hang_sockets") == 0 && raise_file_limit())
        job.listener = hyb_connection_listen(!is_remote, &job.rendezvous);
    MPI_Bcast(&job.rendezvous, sizeof(job.rendezvous), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    if (is_remote)
        remove_shared_addresses();
}

static void exchange_hosts(void)
{
    char mine[MPI_MAX_PROCESSOR_NAME];
    int length;

    MPI_Get_processor_name(mine, &length);
    snprintf(job.host[job.rank], HYB_HOST_SIZE, "%.*s", HYB_HOST_SIZE - 1,
             mine);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, job.host, HYB_HOST_SIZE,
                  MPI_CHAR, MPI_COMM_WORLD);
}

static bool begin_thread(void)
{
    size_t limit = 1 + (size_t)hyb_hang_server_fds_limit(&job);
    struct pollfd *fds = calloc(limit, sizeof(*fds));

    stop_event = eventfd(0, EFD_CLOEXEC);
    if (fds != NULL && stop_event >= 0 &&
        pthread_create(&thread, NULL, watch, fds) == 0)
        return true;
    free(fds);
    return false;
}

static void close_connections(void)
{
    if (is_server())
        hyb_hang_server_close(&job);
    else
        hyb_hang_client_close(&job);
}

void hyb_hang_open(void)
{
    double hang = xh_settings_real("hang");

    job = (hyb_hang_job_t){.patience = hyb_watchdog_patience(), .listener = -1};
    if (job.patience <= 0.0)
        return;
    job.limit = hang < 0.0 ? 10.0 * job.patience : hang;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.count);
    job.host = calloc((size_t)job.count, HYB_HOST_SIZE);
    if (job.host == NULL)
        HPL_pabort(__LINE__, "hyb_hang_open", "out of memory");
    exchange_hosts();
    open_rendezvous();
    hyb_hang_client_open();
    if (job.rank != 0) /* so that process 0 knows it before anything stops */
        hyb_hang_client_step(&job, xh_clock_wall());
    is_open = job.rank != 0 || hyb_hang_server_open(&job);
    if (is_open && !begin_thread()) {
        close_connections();
        is_open = false;
    }
}

void hyb_hang_open_alone(int rank, double patience)
{
    job = (hyb_hang_job_t){
        .rank = rank, .count = 1, .patience = patience, .listener = -1};
    hyb_hang_client_open();
    is_open = patience > 0.0 && begin_thread();
}

static void end_thread(void)
{
    uint64_t one = 1;

    if (write(stop_event, &one, sizeof(one)) == (ssize_t)sizeof(one))
        pthread_join(thread, NULL);
    close_connections();
}

void hyb_hang_close(void)
{
    if (is_open)
        end_thread();
    is_open = false;
    hpl_waits_want(false);
    if (job.listener >= 0)
        close(job.listener);
    if (stop_event >= 0)
        close(stop_event);
    job.listener = stop_event = -1;
    free(job.host);
    job.host = NULL;
}
