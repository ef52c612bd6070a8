/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * Doubles of panel memory on a process with mp local rows from the panel on,
 * on a grid of npcol process columns.
 */
size_t hpl_panel_doubles(int64_t mp, int jb, int npcol);

/* Local rows of the panel's top: jb on its owner, else 0; if the panel is wider
 * than nb, the top's block rows on this process. */
int hpl_panel_top_rows(const HPL_T_panel *panel);

/* The panel's number k: its columns are the matrix's k nb, k nb + 1, ... */
static inline int hpl_panel_number(const HPL_T_panel *panel)
{
    return panel->ja / panel->nb;
}

/*
 * Lay out L2 (l2_doubles doubles in the caller's format), L1, DPIV and DINFO in
 * WORK, which is whole pages; contents are lost.
 */
void hpl_panel_lay_out(HPL_T_panel *panel, size_t l2_doubles);

/* Let panel->U hold count doubles at least. */
void hpl_panel_reserve_u(HPL_T_panel *panel, size_t count);

/* Free WORK and U. */
void hpl_panel_release(HPL_T_panel *panel);
