/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/termination.h"

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

static const int signals[] = {SIGTERM, SIGINT, SIGHUP};

enum { SIGNALS = sizeof(signals) / sizeof(signals[0]), SECONDS_MOST = 10 };

/* All that a handler may do is wake the thread. */
static sem_t wake;
static volatile sig_atomic_t arrived; /* 0: no signal */

static pthread_t thread;
static bool is_open;
static struct {
    bool is_caught;          /* ignored ones are not */
    struct sigaction before; /* of a library, or the default */
} of[SIGNALS];
static void (*listener)(void *context, int signal);
static void *of_listener;

static void handle(int signal)
{
    if (arrived == 0)
        arrived = signal;
    sem_post(&wake);
}

static void give_back(void)
{
    for (int i = 0; i < SIGNALS; i++)
        if (of[i].is_caught)
            sigaction(signals[i], &of[i].before, NULL);
}

static void *wait_for_signal(void *argument)
{
    int signo;

    (void)argument;
    while (sem_wait(&wake) != 0)
        continue; /* interrupted */
    signo = arrived;
    if (signo == 0)
        return NULL;
    alarm(SECONDS_MOST); /* which ends the process */
    listener(of_listener, signo);
    give_back();
    raise(signo);
    return NULL;
}

void xhpl_at_termination(void (*fn)(void *context, int signal), void *context)
{
    int provided;

    MPI_Query_thread(&provided);
    listener = fn;
    of_listener = context;
    arrived = 0;
    sem_init(&wake, 0, 0);
    is_open = provided >= MPI_THREAD_FUNNELED &&
              pthread_create(&thread, NULL, wait_for_signal, NULL) == 0;
    xhpl_at_termination_again();
}

void xhpl_at_termination_again(void)
{
    struct sigaction now, ours = {.sa_handler = handle, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    for (int i = 0; is_open && i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &now) != 0 ||
            now.sa_handler == SIG_IGN || now.sa_handler == handle)
            continue;
        of[i].before = now;
        of[i].is_caught = sigaction(signals[i], &ours, NULL) == 0;
    }
}

void xhpl_at_termination_end(void)
{
    if (!is_open)
        return;
    give_back();
    sem_post(&wake);
    pthread_join(thread, NULL);
    is_open = false;
}
