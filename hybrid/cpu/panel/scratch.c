/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/panel/scratch.h"

#include <stdlib.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"

enum { LINE = 8 }; /* doubles */

/* Doubles between rows, chosen so that columns spread over the cache. */
static int64_t ld_for(int64_t cols)
{
    return xh_whole_units(cols, LINE) + LINE;
}

static int64_t top_doubles(const hyb_kernel_t *kernel, int64_t cols)
{
    return xh_whole_units(hyb_pack_size(cols, cols, kernel->rows), LINE);
}

size_t hyb_panel_scratch_doubles(const hyb_kernel_t *kernel, int most_cols,
                                 int members)
{
    int64_t rows = most_cols + members + 2; /* of L1, candidates, current */

    return (size_t)(rows * ld_for(most_cols) + top_doubles(kernel, most_cols) +
                    hyb_pack_size(most_cols, most_cols, kernel->cols));
}

static xh_status_t reserve(hyb_panel_scratch_t *scratch, int cols, int members)
{
    int64_t ld = ld_for(cols);
    void *memory;

    for (int i = 0; i < members; i++)
        XH_TRY(hyb_barrier_create(scratch->team, i + 1, &scratch->barriers[i]));
    scratch->bytes = hyb_panel_scratch_doubles(scratch->kernel, cols, members) *
                     sizeof(double);
    XH_TRY(xh_memory_allocate(scratch->bytes, &memory));
    scratch->ld = ld;
    scratch->rows = memory;
    scratch->candidates = scratch->rows + cols * ld;
    scratch->current = scratch->candidates + members * ld;
    scratch->top = scratch->current + 2 * ld;
    scratch->b = scratch->top + top_doubles(scratch->kernel, cols);
    return XH_OK;
}

xh_status_t hyb_panel_scratch_create(hyb_team_t *team,
                                     const hyb_kernel_t *kernel, int most_cols,
                                     hyb_panel_scratch_t **scratch_p)
{
    size_t members = (size_t)hyb_team_size(team);
    hyb_panel_scratch_t *scratch = calloc(1, sizeof(*scratch));
    xh_status_t status = XH_ERR_MEMORY;

    if (scratch != NULL) {
        scratch->team = team;
        scratch->kernel = kernel;
        scratch->barriers = calloc(members, sizeof(*scratch->barriers));
        scratch->offers = aligned_alloc(_Alignof(hyb_panel_offer_t),
                                        members * sizeof(*scratch->offers));
    }
    if (scratch == NULL || scratch->barriers == NULL || scratch->offers == NULL)
        xh_log_error("no memory for panels of %d columns", most_cols);
    else
        status = reserve(scratch, most_cols, (int)members);
    if (status == XH_OK)
        *scratch_p = scratch;
    else
        hyb_panel_scratch_destroy(scratch);
    return status;
}

void hyb_panel_scratch_destroy(hyb_panel_scratch_t *scratch)
{
    if (scratch == NULL)
        return;
    for (int i = 0;
         scratch->barriers != NULL && i < hyb_team_size(scratch->team); i++)
        hyb_barrier_destroy(scratch->barriers[i]);
    xh_memory_free(scratch->rows, scratch->bytes);
    free(scratch->barriers);
    free(scratch->offers);
    free(scratch);
}
