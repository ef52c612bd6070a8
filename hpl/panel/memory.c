/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"
#include "hpl.h"
#include "hpl/panel/panel.h"

enum { ALIGNMENT = 4096 }; /* whole pages, which devices can pin */

/* Return memory for at least `count` doubles; contents may be lost. */
static double *reserve(double *memory, size_t count, size_t *capacity_p)
{
    if (count <= *capacity_p)
        return memory;
    free(memory);
    memory = aligned_alloc(ALIGNMENT, (count * sizeof(double) + ALIGNMENT - 1) /
                                          ALIGNMENT * ALIGNMENT);
    if (memory == NULL)
        HPL_pabort(__LINE__, "hpl_panel", "out of memory for %zu MiB",
                   count * sizeof(double) >> 20);
    xh_memory_prefer_huge(memory, count * sizeof(double));
    *capacity_p = count;
    return memory;
}

void hpl_panel_reserve_u(HPL_T_panel *panel, size_t count)
{
    panel->U = reserve(panel->U, count, &panel->ucapacity);
}

void hpl_panel_lay_out(HPL_T_panel *panel, size_t l2_doubles)
{
    size_t jb = (size_t)panel->jb;

    panel->length = l2_doubles + jb * jb + jb + 1;
    panel->len = (int)Mmin(panel->length, (size_t)INT_MAX);
    panel->WORK = reserve(panel->WORK, panel->length, &panel->capacity);
    panel->L2 = panel->WORK;
    panel->L1 = panel->WORK + l2_doubles;
    panel->DPIV = panel->L1 + jb * jb;
    panel->DINFO = panel->DPIV + jb;
    *panel->DINFO = 0.0;
}

void hpl_panel_release(HPL_T_panel *panel)
{
    free(panel->WORK);
    free(panel->U);
    panel->WORK = panel->U = NULL;
    panel->capacity = panel->ucapacity = 0;
}
