/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/node/wait.h"

#include <assert.h>
#include <sched.h>

void hyb_poller_add(hyb_poller_t *poller, hyb_poll_fn_t poll, void *context)
{
    assert(poller->count < HYB_POLLED_MOST);
    poller->poll[poller->count] = poll;
    poller->context[poller->count++] = context;
}

void hyb_poller_poll(hyb_poller_t *poller)
{
    if (poller->polls)
        return;
    poller->polls = true;
    for (int i = 0; i < poller->count; i++)
        poller->poll[i](poller->context[i]);
    poller->polls = false;
}

void hyb_wait_turn(int *turns)
{
    enum { SPINS = 200 };

    if (*turns >= SPINS) {
        sched_yield();
        return;
    }
    ++*turns;
    hyb_wait_pause();
}

void hyb_wait_until(bool (*is_so)(void *subject), void *subject,
                    hyb_turn_fn_t turn, void *context)
{
    int turns = 0;

    while (!is_so(subject))
        if (!turn(context))
            hyb_wait_turn(&turns);
}
