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

/* A handler may do no more than wake the thread. */
static sem_t wake_thread;
static volatile sig_atomic_t signal_number; /* 0: no signal */

static pthread_t thread;
static bool is_open;
static struct {
    bool is_caught;          /* false: the signal is ignored */
    struct sigaction before; /* the handler of a library, or the default */
} handlers[SIGNALS];
static void (*callback)(void *context, int signal);
static void *callback_context;

static void handle(int signal)
{
    if (signal_number == 0)
        signal_number = signal;
    sem_post(&wake_thread);
}

static void restore_handlers(void)
{
    for (int i = 0; i < SIGNALS; i++)
        if (handlers[i].is_caught)
            sigaction(signals[i], &handlers[i].before, NULL);
}

static void *wait_for_signal(void *argument)
{
    int signo;

    (void)argument;
    while (sem_wait(&wake_thread) != 0)
        continue; /* interrupted */
    signo = signal_number;
    if (signo == 0)
        return NULL;
    alarm(SECONDS_MOST); /* SIGALRM ends the process */
    callback(callback_context, signo);
    restore_handlers();
    raise(signo);
    return NULL;
}

void xhpl_at_termination(void (*fn)(void *context, int signal), void *context)
{
    int provided;

    MPI_Query_thread(&provided);
    callback = fn;
    callback_context = context;
    signal_number = 0;
    sem_init(&wake_thread, 0, 0);
    is_open = provided >= MPI_THREAD_FUNNELED &&
              pthread_create(&thread, NULL, wait_for_signal, NULL) == 0;
    xhpl_at_termination_again();
}

void xhpl_at_termination_again(void)
{
    struct sigaction current,
        ours = {.sa_handler = handle, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    for (int i = 0; is_open && i < SIGNALS; i++) {
        if (sigaction(signals[i], NULL, &current) != 0 ||
            current.sa_handler == SIG_IGN || current.sa_handler == handle)
            continue;
        handlers[i].before = current;
        handlers[i].is_caught = sigaction(signals[i], &ours, NULL) == 0;
    }
}

void xhpl_at_termination_end(void)
{
    if (!is_open)
        return;
    restore_handlers();
    sem_post(&wake_thread);
    pthread_join(thread, NULL);
    is_open = false;
}
