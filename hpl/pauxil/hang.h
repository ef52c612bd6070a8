/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* A hang of the job, as the one who watches found it, for those who record it.
 */
typedef struct {
    int rank; /* of the process that all wait for; below 0: none is named */
    char host[64];  /* its host */
    char text[512]; /* as it was said */
    double seconds; /* without progress */
    bool ended;     /* the job was ended for it */
} hpl_hang_t;

/* Keep the last one. Any thread. */
void hpl_hang_note(const hpl_hang_t *hang);

/* False: there was none. Any thread. */
bool hpl_hang_found(hpl_hang_t *hang_p);
