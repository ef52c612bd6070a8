/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* A hang of the job, as found by the watching thread, to be recorded. */
typedef struct {
    int rank;       /* the process that all wait for; negative: unknown */
    char host[64];  /* its host */
    char text[512]; /* the message logged */
    double seconds; /* s without progress */
    bool ended;     /* was the job ended for this hang? */
} hpl_hang_t;

/* Store a hang; the last one is kept. Any thread may call this. */
void hpl_hang_note(const hpl_hang_t *hang);

/* Get the stored hang; false: there was none. Any thread may call this. */
bool hpl_hang_found(hpl_hang_t *hang_p);
