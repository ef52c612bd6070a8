/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 3 */
#include "hpl/comm/waits.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>
#include "hpl.h"
#include "hpl/pfact/pivot.h"
#include "testing/unit/unit_mpi.h"

enum { LATE = 1, TAG = 3, GO = 4 };

/* Stands before the library's: no message leaves before it is received. */
int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag,
              MPI_Comm comm, MPI_Request *request)
{
    return PMPI_Issend(buffer, count, type, to, tag, comm, request);
}

/* Do the notes name the late process and nobody else? */
static bool only_late_is_noted(void)
{
    hpl_wait_t notes[HPL_WAITS_MOST];

    return hpl_waits_notes(notes) == 1 && notes[0].whom.first == LATE &&
           notes[0].whom.count == 1;
}

static void let_go(void)
{
    MPI_Send(NULL, 0, MPI_INT, LATE, GO, MPI_COMM_WORLD);
}

static void wait_for_go(int source)
{
    MPI_Recv(NULL, 0, MPI_INT, source, GO, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* What process 0 waits for: a number of each of the others. */
typedef struct {
    double number[2];
    MPI_Request requests[2];
    hpl_open_t with[2];
    hpl_messages_t messages;
} awaited_t;

static void begin(awaited_t *a)
{
    for (int i = 0; i < 2; i++) {
        a->with[i] = (hpl_open_t){2 - i, sizeof(double)};
        MPI_Irecv(&a->number[i], 1, MPI_DOUBLE, 2 - i, TAG, MPI_COMM_WORLD,
                  &a->requests[i]);
    }
    a->messages = (hpl_messages_t){MPI_COMM_WORLD, "a number", -1, 2,
                                   a->requests,    a->with};
}

static void send_number(void)
{
    double number = unit_rank();

    MPI_Send(&number, 1, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
}

TEST(messages_that_are_polled_are_noted_while_they_are_open)
{
    bool gone = false;
    awaited_t a;

    hpl_waits_want(true);
    if (unit_rank() == LATE)
        wait_for_go(0);
    if (unit_rank() != 0) {
        send_number();
    } else {
        begin(&a);
        while (!hpl_messages_test(&a.messages))
            if (!gone && only_late_is_noted()) {
                let_go();
                gone = true;
            }
        assert_true(gone);
    }
    hpl_waits_want(false);
}

/* ---- inside MPI ---------------------------------------------------------- */

static int late_pid;

/* Another thread: tell the late process to send once it is published. */
static void *read_until_late(void *context)
{
    hpl_wait_t wait;

    (void)context;
    do
        usleep(100);
    while (!hpl_waits_read(&wait) || wait.whom.first != LATE);
    kill(late_pid, SIGUSR1);
    return NULL;
}

TEST(what_is_published_inside_mpi_is_open)
{
    int number, pid = (int)getpid();
    pthread_t reader;
    sigset_t go;
    awaited_t a;

    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &go, NULL);
    MPI_Bcast(&pid, 1, MPI_INT, LATE, MPI_COMM_WORLD);
    late_pid = pid;
    if (unit_rank() == LATE)
        sigwait(&go, &number);
    if (unit_rank() != 0) {
        send_number();
        return;
    }
    begin(&a);
    assert_int_equal(pthread_create(&reader, NULL, read_until_late, NULL), 0);
    hpl_messages_wait(&a.messages);
    pthread_join(reader, NULL);
    assert_true(a.number[0] == 2.0 && a.number[1] == LATE);
}

/* ---- pivots -------------------------------------------------------------- */

enum { NB = 4 };

static void poll_until(bool (*is_so)(void *), void *subject, void *gone_p)
{
    bool *gone = gone_p;

    while (!is_so(subject))
        if (!*gone && only_late_is_noted()) {
            let_go();
            *gone = true;
        }
}

static double proposed_row(HPL_T_grid *grid, const hpl_pivot_wait_t *wait)
{
    HPL_T_panel panel = {.grid = grid, .nb = NB, .jb = NB, .m = 3 * NB};
    double proposal[HPL_PROPOSAL_ROWS + 2 * NB] = {0.0};

    proposal[HPL_PROPOSAL_KEY] = 1.0 + grid->myrow;
    proposal[HPL_PROPOSAL_ROW] = NB * grid->myrow;
    proposal[HPL_PROPOSAL_OWNER] = grid->myrow;
    proposal[HPL_PROPOSAL_HAS_CURRENT] = grid->myrow == 0;
    hpl_pivot_agree(&panel, proposal, wait);
    return proposal[HPL_PROPOSAL_ROW];
}

/* Also who has all that comes, and cannot send. */
TEST(a_pivot_names_the_late_process_and_not_its_sender)
{
    double scratch[HPL_PIVOT_PEERS * (HPL_PROPOSAL_ROWS + 2 * NB)];
    bool gone = unit_rank() == LATE;
    HPL_T_grid grid;

    assert_int_equal(HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, 3, 1, &grid),
                     0);
    hpl_waits_want(true);
    if (unit_rank() == LATE) {
        wait_for_go(0);
        wait_for_go(2);
    }
    assert_true(proposed_row(&grid, &(hpl_pivot_wait_t){scratch, poll_until,
                                                        &gone}) == 2 * NB);
    assert_true(gone);
    hpl_waits_want(false);
    HPL_grid_exit(&grid);
}
