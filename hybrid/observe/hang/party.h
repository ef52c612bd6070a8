/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <poll.h>
#include "hpl/pauxil/hang.h"
#include "hybrid/observe/hang/blame.h"
#include "hybrid/observe/hang/wire.h"

/*
 * What the files of this folder share: this process among the others. All of it
 * belongs to the watching thread.
 */
enum { HYB_HOST = sizeof(((hpl_hang_t *)0)->host) };

typedef struct {
    int rank, count;
    char (*host)[HYB_HOST]; /* by rank; NULL: this process is alone */
    double patience,
        limit; /* s until it is said; until the job ends, 0: never */
    hyb_meeting_t meeting; /* no addresses: there are no connections */
    bool is_beside;        /* process 0, where loopback leads to it */
    int listener;          /* of process 0, or below 0 */
    hyb_state_t mine;
} hyb_party_t;

/* s, however short the patience is */
#define HYB_ANSWER_SECONDS 3.0 /* in which a process that runs answers */
#define HYB_GRACE_SECONDS 5.0  /* in which a launcher ends a job */

hyb_frame_t hyb_party_frame(const hyb_party_t *party, hyb_word_t word);
hyb_frame_t hyb_party_last_frame(const hyb_party_t *party, const char *why);

/* ---- the first process: collects what others say ------------------------- */

bool hyb_collector_open(const hyb_party_t *party); /* false: no memory */
/* What it waits for; at most so many. A turn is taken once these were polled.
 */
int hyb_collector_fds(const hyb_party_t *party, struct pollfd *fds_p);
int hyb_collector_fds_most(const hyb_party_t *party);
void hyb_collector_turn(const hyb_party_t *party, const struct pollfd *fds,
                        double now);
void hyb_collector_close(const hyb_party_t *party);

/* ---- the others: tell it ------------------------------------------------- */

void hyb_teller_open(void);
int hyb_teller_fds(struct pollfd *fds_p);
void hyb_teller_turn(const hyb_party_t *party, double now);
void hyb_teller_close(const hyb_party_t *party);

/* ---- in words ------------------------------------------------------------ */

/* "iteration 7 of 40, in the exchange: ...: it waits for rank 1 on n02: rows,
 * 4096 bytes" */
void hyb_words_of_state(const hyb_party_t *party, const hyb_state_t *state,
                        char *text, size_t size);

/* "all wait for rank 1 on n02, which ...; rank 0 on n01 waits ..." */
void hyb_words_of_blame(const hyb_party_t *party, const hyb_witness_t *witness,
                        const hyb_blame_t *blame, char *text, size_t size);

/* Say it, and end the job with exit status 3; the record is completed. */
void hyb_hang_end_job(const char *text) __attribute__((noreturn));
