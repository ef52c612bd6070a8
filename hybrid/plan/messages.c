/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/messages.h"

#include <stdbool.h>

double hyb_messages_transfer(const hyb_model_link_t *link, double bytes)
{
    return link->bandwidth > 0.0 ? link->latency + bytes / link->bandwidth
                                 : 0.0;
}

int hyb_messages_rounds(int processes)
{
    int rounds = 0;

    while (1 << rounds < processes)
        rounds++;
    return rounds;
}

/* Messages, one after the other, until the panel is at distance in a ring. */
static int hops(int bcast, int npcol, int distance)
{
    int first = bcast % 2 == 1 ? 2 : 1;
    int second = first + (npcol - first + 1) / 2;

    if (bcast >= 2 && distance >= second)
        return distance - second + 2;
    return distance;
}

double hyb_messages_broadcast(const hyb_model_link_t *link, int bcast,
                              int npcol, int distance, double bytes)
{
    int members = npcol - (bcast == 5);

    if (distance == 0 || link->bandwidth <= 0.0)
        return 0.0;
    if (bcast < 4 || members < 2 || (bcast == 5 && distance == 1))
        return hops(bcast, npcol, distance) *
               hyb_messages_transfer(link, bytes);
    return (hyb_messages_rounds(members) + members - 1) * link->latency +
           2.0 * bytes * (members - 1) / members / link->bandwidth;
}

int hyb_messages_copies(int bcast, int npcol, int distance)
{
    bool modified = bcast % 2 == 1;

    if (npcol == 1)
        return 0;
    if (distance == 0)
        return 1 + (modified && npcol > 2) + (bcast >= 2 && npcol > 3);
    if (bcast >= 4)
        return modified && distance == 1 ? 1 : 2;
    return distance == npcol - 1 || (modified && distance == 1) ? 1 : 2;
}
