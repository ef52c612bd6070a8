/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_PEERS_H
#define HYB_PEERS_H

#include "hybrid/observe/health.h"

/*
 * What all processes told of late, as the first one keeps it, and what it says
 * of that. All accept NULL, and do nothing.
 */
typedef struct hyb_peers hyb_peers_t;

/* NULL: no memory, which ends no run. */
hyb_peers_t *hyb_peers_create(int count, int columns);
void hyb_peers_destroy(hyb_peers_t *peers);

/* Keep a copy of what a process of the grid tells. */
void hyb_peers_hear(hyb_peers_t *peers, int process,
                    const hyb_tidings_t *tidings);

/*
 * Judge what was heard, and say the verdict once it has held for a while and
 * is another than what was said last: at most every ten seconds.
 */
void hyb_peers_judge(hyb_peers_t *peers, double now);

#endif
