/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/termination.h"

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static const int heard[] = {SIGTERM, SIGINT, SIGHUP};

enum { HEARD = sizeof(heard) / sizeof(heard[0]) };

/* All that a handler may do is wake the thread. */
static sem_t wake;
static volatile sig_atomic_t arrived; /* 0: no signal */

static pthread_t thread;
static bool is_heard[HEARD]; /* others are ignored or have a handler */
static void (*listener)(void *context, int signal);
static void *of_listener;

static void handle(int signal)
{
    if (arrived == 0)
        arrived = signal;
    sem_post(&wake);
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
    alarm(XHPL_TERMINATION_SECONDS); /* which ends the process */
    listener(of_listener, signo);
    signal(signo, SIG_DFL);
    raise(signo);
    return NULL;
}

static void hear(int i)
{
    struct sigaction before,
        ours = {.sa_handler = handle, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    is_heard[i] = sigaction(heard[i], NULL, &before) == 0 &&
                  (before.sa_flags & SA_SIGINFO) == 0 &&
                  before.sa_handler == SIG_DFL &&
                  sigaction(heard[i], &ours, NULL) == 0;
}

void xhpl_at_termination(void (*fn)(void *context, int signal), void *context)
{
    int provided;

    MPI_Query_thread(&provided);
    listener = fn;
    of_listener = context;
    arrived = 0;
    if (provided < MPI_THREAD_FUNNELED || sem_init(&wake, 0, 0) != 0)
        listener = NULL;
    else if (pthread_create(&thread, NULL, wait_for_signal, NULL) != 0) {
        sem_destroy(&wake);
        listener = NULL;
    }
    for (int i = 0; listener != NULL && i < HEARD; i++)
        hear(i);
}

void xhpl_at_termination_end(void)
{
    if (listener == NULL)
        return;
    for (int i = 0; i < HEARD; i++)
        if (is_heard[i])
            signal(heard[i], SIG_DFL);
    sem_post(&wake);
    pthread_join(thread, NULL);
    sem_destroy(&wake);
    listener = NULL;
}
