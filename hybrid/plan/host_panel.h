/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_HOST_PANEL_H
#define HYB_HOST_PANEL_H

#include <stdbool.h>
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/plan/timing.h"

/* A random panel that a team factors again and again. */
typedef struct hyb_host_panel hyb_host_panel_t;

/* m >= nb. Errors: XH_ERR_MEMORY */
xh_status_t hyb_host_panel_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                                  int64_t m, int nb,
                                  hyb_host_panel_t **panel_p);
void hyb_host_panel_destroy(hyb_host_panel_t *panel); /* accepts NULL */

/*
 * From now on other processes hold further rows, agree with this one on each
 * pivot, and one of them has the top's rows. agree NULL: no longer.
 */
void hyb_host_panel_share(hyb_host_panel_t *panel, hyb_panel_agree_fn_t agree,
                          void *context, bool has_top);

/* Copy the panel out of its matrix, by the caller alone. */
void hyb_host_panel_load(hyb_host_panel_t *panel);

/* Factor it, after it was loaded, by the first members of the team. */
void hyb_host_panel_factor(hyb_host_panel_t *panel, int members);

/* Seconds of so many calls of either; it is loaded before each factorization,
 * untimed. */
hyb_seconds_t hyb_host_panel_load_seconds(hyb_host_panel_t *panel, int calls);
hyb_seconds_t hyb_host_panel_seconds(hyb_host_panel_t *panel, int members,
                                     int calls);

#endif
