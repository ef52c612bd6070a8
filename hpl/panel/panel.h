/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl_types.h"

/*
 * Doubles of panel memory on a process with mp local rows from the panel on,
 * on a grid of npcol process columns.
 */
size_t hpl_panel_doubles(int64_t mp, int jb, int npcol);

/* Local rows that the panel's top occupies here: jb on its owner, else 0; of
 * one wider than nb its block rows here. */
int hpl_panel_top_rows(const HPL_T_panel *panel);

/* k: the panel's columns are the matrix's k nb, k nb + 1, ... */
static inline int hpl_panel_number(const HPL_T_panel *panel)
{
    return panel->ja / panel->nb;
}

/*
 * Lay L2 (l2_doubles in the caller's form), L1, DPIV and DINFO out in WORK,
 * which is 64-byte aligned; contents are lost.
 */
void hpl_panel_lay_out(HPL_T_panel *panel, size_t l2_doubles);

/* Let panel->U hold count doubles at least. */
void hpl_panel_reserve_u(HPL_T_panel *panel, size_t count);

/* Free WORK and U. */
void hpl_panel_release(HPL_T_panel *panel);
