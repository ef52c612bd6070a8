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
#include "hybrid/observe/hang/party.h"
#include "hybrid/observe/watchdog.h"

static hyb_party_t party = {.listener = -1};
static pthread_t thread;
static bool is_open;
static int wake = -1; /* an event that ends the thread */

/* ---- the thread ---------------------------------------------------------- */

/* s between two looks */
static double tick(void)
{
    return fmin(0.5, party.patience / 8.0);
}

/* Where this process stands. The last while that it was stopped for is not
 * counted. Between phases it may wait for all. */
static void look_at_myself(double gap)
{
    hyb_state_t *mine = &party.mine;
    hpl_ranks_t all = {0, 1, party.count};

    hyb_watchdog_state(fmin(gap, 2.0 * tick()), mine);
    hpl_waits_want(mine->still > party.patience / 4.0);
    if (mine->doing != HYB_BETWEEN)
        return;
    hyb_state_await(mine, &(hpl_wait_t){"all others", -1, 0.0, all});
    mine->doing = HYB_BETWEEN;
}

/* Does this process collect what the others say? */
static bool collects(void)
{
    return party.rank == 0 && party.host != NULL;
}

/* Wait for whatever comes, at most for a tick; false: it is over. */
static bool wait_for_others(struct pollfd *fds)
{
    int count = 1;

    fds[0] = (struct pollfd){.fd = wake, .events = POLLIN};
    if (!collects())
        count += hyb_teller_fds(fds + 1);
    else if (party.listener >= 0)
        count += hyb_collector_fds(&party, fds + 1);
    poll(fds, (nfds_t)count, (int)(1000.0 * tick()) + 1);
    return (fds[0].revents & POLLIN) == 0;
}

static void *watch(void *context)
{
    struct pollfd *fds = context;
    double now, last = xh_clock_wall();

    while (wait_for_others(fds)) {
        now = xh_clock_wall();
        look_at_myself(now - last);
        last = now;
        if (collects())
            hyb_collector_turn(&party, fds + 1, now);
        else
            hyb_teller_turn(&party, now);
    }
    free(fds);
    return NULL;
}

/* ---- begin and end ------------------------------------------------------- */

/* A connection of each process takes a file, and the run has others. */
static bool may_open_files(void)
{
    enum { OTHERS = 256 };
    rlim_t needed = (rlim_t)hyb_collector_fds_most(&party) + OTHERS;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return false;
    if (files.rlim_max >= needed) {
        files.rlim_cur = files.rlim_max;
        setrlimit(RLIMIT_NOFILE, &files);
        return true;
    }
    xh_log_warning("hang: the system allows %llu open files, and %llu are "
                   "needed (ulimit -Hn): each process reports only on itself",
                   (unsigned long long)files.rlim_max,
                   (unsigned long long)needed);
    return false;
}

/* Where others do not have this address of process 0 themselves. */
static void leave_out_shared(void)
{
    hyb_addresses_t *list = &party.meeting.addresses;
    unsigned these = party.is_beside ? 0 : hyb_addresses_here(list);

    MPI_Allreduce(MPI_IN_PLACE, &these, 1, MPI_UNSIGNED, MPI_BOR,
                  MPI_COMM_WORLD);
    hyb_addresses_leave_out(list, these);
}

/* Where process 0 listens: on loopback only, if that leads to it from all. */
static void find_meeting(void)
{
    uint64_t mine = hyb_network_of_loopback(party.host[party.rank]);
    uint64_t first = mine;
    int apart;

    MPI_Bcast(&first, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    party.is_beside = mine == first;
    apart = !party.is_beside;
    MPI_Allreduce(MPI_IN_PLACE, &apart, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (party.rank == 0 && party.count > 1 &&
        xh_settings_int("hang_sockets") == 0 && may_open_files())
        party.listener = hyb_wire_listen(!apart, &party.meeting);
    MPI_Bcast(&party.meeting, sizeof(party.meeting), MPI_BYTE, 0,
              MPI_COMM_WORLD);
    if (apart)
        leave_out_shared();
}

/* Who is where. */
static void meet(void)
{
    char mine[MPI_MAX_PROCESSOR_NAME];
    int length;

    MPI_Get_processor_name(mine, &length);
    snprintf(party.host[party.rank], HYB_HOST, "%.*s", HYB_HOST - 1, mine);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, party.host, HYB_HOST,
                  MPI_CHAR, MPI_COMM_WORLD);
    find_meeting();
}

static bool begin_thread(void)
{
    size_t most = 1 + (size_t)hyb_collector_fds_most(&party);
    struct pollfd *fds = calloc(most, sizeof(*fds));

    wake = eventfd(0, EFD_CLOEXEC);
    if (fds != NULL && wake >= 0 &&
        pthread_create(&thread, NULL, watch, fds) == 0)
        return true;
    free(fds);
    return false;
}

static void part(void)
{
    if (collects())
        hyb_collector_close(&party);
    else
        hyb_teller_close(&party);
}

void hyb_hang_open(void)
{
    double hang = xh_settings_real("hang");

    party = (hyb_party_t){.patience = hyb_watchdog_patience(), .listener = -1};
    if (party.patience <= 0.0)
        return;
    party.limit = hang < 0.0 ? 10.0 * party.patience : hang;
    MPI_Comm_rank(MPI_COMM_WORLD, &party.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &party.count);
    party.host = calloc((size_t)party.count, HYB_HOST);
    if (party.host == NULL)
        HPL_pabort(__LINE__, "hyb_hang_open", "out of memory");
    meet();
    hyb_teller_open();
    if (party.rank != 0) /* known to process 0 before anything can stop */
        hyb_teller_turn(&party, xh_clock_wall());
    is_open = party.rank != 0 || hyb_collector_open(&party);
    if (is_open && !begin_thread()) {
        part();
        is_open = false;
    }
}

void hyb_hang_open_alone(int rank, double patience)
{
    party = (hyb_party_t){
        .rank = rank, .count = 1, .patience = patience, .listener = -1};
    hyb_teller_open();
    is_open = patience > 0.0 && begin_thread();
}

static void end_thread(void)
{
    uint64_t one = 1;

    if (write(wake, &one, sizeof(one)) == (ssize_t)sizeof(one))
        pthread_join(thread, NULL);
    part();
}

void hyb_hang_close(void)
{
    if (is_open)
        end_thread();
    is_open = false;
    hpl_waits_want(false);
    if (party.listener >= 0)
        close(party.listener);
    if (wake >= 0)
        close(wake);
    party.listener = wake = -1;
    free(party.host);
    party.host = NULL;
}
