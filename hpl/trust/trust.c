/* SPDX-License-Identifier: BSD-3-Clause */
#include "hpl/trust/trust.h"

#include "base/arithmetic.h"
#include "hpl.h"
#include "hpl/pauxil/map.h"

bool hpl_trust(const HPL_T_grid *grid, int n, int nb)
{
    hpl_map_t map = hpl_map(nb, grid->nprow, grid->myrow);
    char where[HPL_TRUST_WHERE];
    xh_exact_t checks = {0};

    hpl_trust_core(where);
    xh_arithmetic_is_right(&checks, where);
    hpl_trust_blas(&checks, hpl_map_count(&map, n), Mmin(nb, n));
    hpl_trust_messages(&checks, grid, hpl_trust_panel(grid, n, nb));
    return atomic_load(&checks.wrong) == 0;
}
