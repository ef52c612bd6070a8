/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_MESSAGES_H
#define HYB_MESSAGES_H

/* How long messages between processes take, of the model. */

/* Between neighbours; what all send at the same time is counted in. */
typedef struct {
    double latency;   /* s of a short message */
    double bandwidth; /* B/s each way; 0: messages take no time */
} hyb_model_link_t;

/* Seconds of one message of so many bytes. */
double hyb_messages_transfer(const hyb_model_link_t *link, double bytes);

/*
 * Seconds until a message of so many bytes has come, by the broadcast that
 * BCAST names, to the process of the row that is distance behind the root.
 */
double hyb_messages_broadcast(const hyb_model_link_t *link, int bcast,
                              int npcol, int distance, double bytes);

/* Rounds until all processes know what each knows, twice as many in each. */
int hyb_messages_rounds(int processes);

/* How often the process that is distance behind the root of that broadcast
 * sends or receives all of a panel. */
int hyb_messages_copies(int bcast, int npcol, int distance);

#endif
