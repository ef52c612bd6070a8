/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/panel/engine.h"

#include <stdlib.h>
#include "base/integers.h"
#include "base/log.h"
#include "base/memory.h"

enum { LINE = 8 }; /* doubles */

/* Columns are spread over the cache. */
static int64_t ld_for(int64_t cols)
{
    return xh_whole_units(cols, LINE) + LINE;
}

static int64_t top_doubles(const hyb_kernel_t *kernel, int64_t cols)
{
    return xh_whole_units(hyb_pack_size(cols, cols, kernel->rows), LINE);
}

size_t hyb_panel_engine_doubles(const hyb_kernel_t *kernel, int most_cols,
                                int members)
{
    int64_t rows = most_cols + members + 2; /* L1's, candidates, current */

    return (size_t)(rows * ld_for(most_cols) + top_doubles(kernel, most_cols) +
                    hyb_pack_size(most_cols, most_cols, kernel->cols));
}

static xh_status_t reserve(hyb_panel_engine_t *engine, int cols, int members)
{
    int64_t ld = ld_for(cols);
    void *memory;

    for (int i = 0; i < members; i++)
        XH_TRY(hyb_barrier_create(engine->team, i + 1, &engine->barriers[i]));
    engine->bytes = hyb_panel_engine_doubles(engine->kernel, cols, members) *
                    sizeof(double);
    XH_TRY(xh_memory_allocate(engine->bytes, &memory));
    engine->ld = ld;
    engine->rows = memory;
    engine->candidates = engine->rows + cols * ld;
    engine->current = engine->candidates + members * ld;
    engine->top = engine->current + 2 * ld;
    engine->b = engine->top + top_doubles(engine->kernel, cols);
    return XH_OK;
}

xh_status_t hyb_panel_engine_create(hyb_team_t *team,
                                    const hyb_kernel_t *kernel, int most_cols,
                                    hyb_panel_engine_t **engine_p)
{
    size_t members = (size_t)hyb_team_size(team);
    hyb_panel_engine_t *engine = calloc(1, sizeof(*engine));
    xh_status_t status = XH_ERR_MEMORY;

    if (engine != NULL) {
        engine->team = team;
        engine->kernel = kernel;
        engine->barriers = calloc(members, sizeof(*engine->barriers));
        engine->offers = aligned_alloc(_Alignof(hyb_panel_offer_t),
                                       members * sizeof(*engine->offers));
    }
    if (engine == NULL || engine->barriers == NULL || engine->offers == NULL)
        xh_log_error("cannot allocate for panels of %d columns", most_cols);
    else
        status = reserve(engine, most_cols, (int)members);
    if (status == XH_OK)
        *engine_p = engine;
    else
        hyb_panel_engine_destroy(engine);
    return status;
}

void hyb_panel_engine_destroy(hyb_panel_engine_t *engine)
{
    if (engine == NULL)
        return;
    for (int i = 0; engine->barriers != NULL && i < hyb_team_size(engine->team);
         i++)
        hyb_barrier_destroy(engine->barriers[i]);
    xh_memory_free(engine->rows, engine->bytes);
    free(engine->barriers);
    free(engine->offers);
    free(engine);
}
