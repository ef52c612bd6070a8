/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "sim/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include "base/memory.h"
#include "base/status.h"
#include "hpl.h"
#include "hpl/panel/panel.h"
#include "hybrid/lu/system/huge_pages.h"

/* The system maps nothing unasked between 16 and 64 TiB; 64 TiB, or 2^46, is
 * half of a process's address space. */
static const uintptr_t nowhere = (uintptr_t)1 << 44, end = (uintptr_t)1 << 46;

void *sim_nowhere(void)
{
    return (void *)nowhere;
}

bool sim_is_nowhere(const void *address)
{
    return (uintptr_t)address >= nowhere && (uintptr_t)address < end;
}

/* ---- base/memory.h ------------------------------------------------------- */

xh_status_t __wrap_xh_memory_allocate(size_t bytes, void **memory_p)
{
    *memory_p = sim_nowhere();
    return XH_OK;
}

void __wrap_xh_memory_free(void *memory, size_t bytes)
{
}

void __wrap_xh_memory_touch(void *memory, size_t bytes, int part, int parts)
{
}

xh_status_t __wrap_xh_memory_available(const char *root, uint64_t *bytes_p)
{
    *bytes_p = (uint64_t)1 << 60;
    return XH_OK;
}

/* ---- hybrid/lu/system/huge_pages.h --------------------------------------- */

void __wrap_hyb_huge_pages_verify(const HPL_T_grid *grid, const HPL_T_pmat *mat,
                                  const hyb_lu_t *lu)
{
}

/* ---- hpl/panel/panel.h --------------------------------------------------- */

/* Lay out a panel of which only the pivots exist. */
void __wrap_hpl_panel_lay_out(HPL_T_panel *panel, size_t l2_doubles)
{
    size_t jb = (size_t)panel->jb;

    panel->length = l2_doubles + jb * jb + jb + 1;
    panel->len = (int)Mmin(panel->length, (size_t)INT_MAX);
    panel->WORK = panel->L2 = sim_nowhere();
    panel->L1 = panel->WORK + l2_doubles;
    panel->DPIV = realloc(panel->DPIV, (jb + 1) * sizeof(double));
    if (panel->DPIV == NULL)
        HPL_pabort(__LINE__, "hpl_panel_lay_out", "out of memory");
    panel->DINFO = panel->DPIV + jb;
    *panel->DINFO = 0.0;
}

void __wrap_hpl_panel_reserve_u(HPL_T_panel *panel, size_t count)
{
    panel->U = sim_nowhere();
}

void __wrap_hpl_panel_release(HPL_T_panel *panel)
{
    free(panel->DPIV);
    panel->DPIV = NULL;
}
