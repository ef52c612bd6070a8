/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHOST_PANEL_H
#define XHOST_PANEL_H

#include <stdbool.h>
#include "base/status.h"
#include "hybrid/cpu/isa/kernel.h"
#include "hybrid/cpu/panel/panel.h"
#include "hybrid/node/team.h"

/* A random panel, and the columns that it is made of. */
typedef struct xhost_panel xhost_panel_t;

/* m >= nb. Errors: XH_ERR_MEMORY */
xh_status_t xhost_panel_create(const hyb_kernel_t *kernel, hyb_team_t *team,
                               int64_t m, int nb, xhost_panel_t **panel_p);
void xhost_panel_destroy(xhost_panel_t *panel); /* accepts NULL */

/*
 * Median of the seconds of so many factorizations, 1 <= calls <= 16, by the
 * first members of the team; the panel is loaded before each, untimed.
 */
double xhost_panel_seconds(xhost_panel_t *panel, int members, int calls);

/*
 * From now on a pivot is agreed on with others, who hold other rows, and of
 * whom one has the top's. NULL: no longer.
 */
typedef struct {
    hyb_panel_agree_fn_t agree;
    void *context; /* for agree */
    bool has_top;
} xhost_panel_others_t;

void xhost_panel_share(xhost_panel_t *panel,
                       const xhost_panel_others_t *others);

/* Load it, then factor it by the first members of the team. */
void xhost_panel_load(xhost_panel_t *panel);
void xhost_panel_factor(xhost_panel_t *panel, int members);

/* The same of loading it, by the caller alone. */
double xhost_panel_load_seconds(xhost_panel_t *panel, int calls);

/*
 * Flop/s of the factorization of a random panel by all members of team, the
 * best of nine: m nb^2 - nb^3 / 3 flop. The panel is loaded before each,
 * outside the time.
 *
 * m       in   rows, >= nb
 * rate_p  out  NaN if rows of P A - L U that were looked at are not 0: said
 *
 * Errors: XH_ERR_MEMORY
 */
xh_status_t xhost_panel_rate(const hyb_kernel_t *kernel, hyb_team_t *team,
                             int64_t m, int nb, double *rate_p);

#endif
