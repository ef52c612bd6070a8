/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_APPLY_H
#define XDG_APPLY_H

#include "hybrid/node/team.h"
#include "base/view.h"

/*
 * y := op(V) x in extended precision, by all members of team.
 *
 * x  in   as many as op(V) has columns
 * y  out  as many as op(V) has rows
 */
void xdg_apply(hyb_team_t *team, xh_view_t v, xh_trans_t op,
               const long double *x, long double *y);

/* norms[i] := 2-norm of row i of op(V), by all members of team. */
void xdg_row_norms(hyb_team_t *team, xh_view_t v, xh_trans_t op, double *norms);

#endif
