/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/fill.h"

#include "base/memory.h"
#include "hybrid/lu/generate.h"
#include "hybrid/lu/lu.h"
#include "hybrid/lu/verify/carried.h"

/* Back by pages what the host keeps of columns that live on devices: diagonal
 * blocks, and b. The loop writes them while the devices wait. */
static void touch_kept(const hyb_lu_t *lu, int64_t from)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_map_t rows = hpl_map(mat->nb, lu->grid->nprow, lu->grid->myrow);
    hpl_map_t cols = hpl_map_columns(lu->grid, mat->nb);

    for (int64_t j = from; j < lu->ledger.columns; j++) {
        bool is_b = j >= lu->ledger.columns_of_a;
        int64_t g = hpl_map_global(&cols, j) / mat->nb * mat->nb;
        int64_t i = is_b ? 0 : hpl_map_count(&rows, g);
        int64_t end = is_b ? mat->mp : hpl_map_count(&rows, g + mat->nb);

        xh_memory_touch(Mptr(mat->A, i, j, mat->ld),
                        (size_t)(Mmin(end, mat->mp) - i) * sizeof(double), 0,
                        1);
    }
}

/* The columns that live in host memory. */
static HPL_T_pmat host_matrix(const hyb_lu_t *lu)
{
    HPL_T_pmat host = *lu->mat;

    host.nq = (int)hyb_ledger_first(&lu->ledger,
                                    hyb_homes_in_host_memory(&lu->homes));
    return host;
}

void hyb_fill_touch(hyb_lu_t *lu)
{
    HPL_T_pmat host = host_matrix(lu);

    touch_kept(lu, host.nq);
    hyb_generate_touch(lu->means.team, &host);
}

void hyb_fill_random(hyb_lu_t *lu, int seed)
{
    HPL_T_pmat host = host_matrix(lu);

    lu->seed = seed;
    touch_kept(lu, host.nq);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->generate(lu->homes.place[i], seed);
    hyb_generate(lu->means.team, lu->grid, &host, seed);
    hyb_carried_sum(lu);
}
