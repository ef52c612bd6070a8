/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/xdgemm/interruption.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>

#define SAME 500000000LL /* nanoseconds in which a signal counts once */

static const int watched[] = {SIGINT, SIGTERM};

enum { WATCHED = sizeof(watched) / sizeof(watched[0]) };

static atomic_int noted;      /* 0: no signal */
static atomic_llong noted_at; /* nanoseconds; 0: never */

/* It uses only what a handler may use. */
static void note(int number)
{
    long long first = 0, now;
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    now = t.tv_sec * 1000000000LL + t.tv_nsec;
    if (atomic_compare_exchange_strong(&noted_at, &first, now)) {
        atomic_store(&noted, number);
    } else if (now - first > SAME) {
        signal(number, SIG_DFL);
        raise(number); /* which waits for the end of this function */
    }
}

void xdg_interruption_watch(void)
{
    struct sigaction before,
        ours = {.sa_handler = note, .sa_flags = SA_RESTART};

    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < WATCHED; i++)
        if (sigaction(watched[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(watched[i], &ours, NULL);
}

int xdg_interruption(void)
{
    return atomic_load(&noted);
}
