/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/cpu/panel/engine.h"

#include <stdlib.h>
#include "base/log.h"
#include "base/memory.h"

/* The scratch memory, array by array. */
typedef struct {
    int64_t ld;
    int64_t rows, candidates, current, top, b; /* doubles */
} scratch_t;

static scratch_t scratch_of(const hyb_kernel_t *kernel, int64_t cols,
                            int members)
{
    int64_t ld = (cols + 7) / 8 * 8 + 8; /* columns spread over the cache */

    return (scratch_t){.ld = ld,
                       .rows = cols * ld,
                       .candidates = members * ld,
                       .current = 2 * ld,
                       .top = (hyb_pack_size(cols, cols, kernel->rows) + 7) /
                              8 * 8,
                       .b = hyb_pack_size(cols, cols, kernel->cols)};
}

static int64_t doubles_of(const scratch_t *s)
{
    return s->rows + s->candidates + s->current + s->top + s->b;
}

size_t hyb_panel_engine_doubles(const hyb_kernel_t *kernel, int most_cols,
                                int members)
{
    scratch_t s = scratch_of(kernel, most_cols, members);

    return (size_t)doubles_of(&s);
}

/* All arrays in one block of memory. */
static xh_status_t reserve(hyb_panel_engine_t *engine, int64_t cols)
{
    scratch_t s = scratch_of(engine->kernel, cols, hyb_team_size(engine->team));
    size_t bytes = (size_t)doubles_of(&s) * sizeof(double);
    void *memory;

    XH_TRY(xh_memory_allocate(bytes, &memory));
    engine->ld = s.ld;
    engine->memory = memory;
    engine->bytes = bytes;
    engine->rows = engine->memory;
    engine->candidates = engine->rows + s.rows;
    engine->current = engine->candidates + s.candidates;
    engine->top = engine->current + s.current;
    engine->b = engine->top + s.top;
    return XH_OK;
}

static xh_status_t create_barriers(hyb_panel_engine_t *engine)
{
    int size = hyb_team_size(engine->team);

    engine->barriers = calloc((size_t)size, sizeof(*engine->barriers));
    engine->offers = aligned_alloc(_Alignof(hyb_panel_offer_t),
                                   (size_t)size * sizeof(*engine->offers));
    if (engine->barriers == NULL || engine->offers == NULL) {
        xh_log_error("cannot allocate for panels of %d threads", size);
        return XH_ERR_MEMORY;
    }
    for (int i = 0; i < size; i++)
        XH_TRY(hyb_barrier_create(engine->team, i + 1, &engine->barriers[i]));
    return XH_OK;
}

xh_status_t hyb_panel_engine_create(hyb_team_t *team,
                                    const hyb_kernel_t *kernel, int most_cols,
                                    hyb_panel_engine_t **engine_p)
{
    hyb_panel_engine_t *engine = calloc(1, sizeof(*engine));
    xh_status_t status;

    if (engine == NULL) {
        xh_log_error("cannot allocate for panels of %d columns", most_cols);
        return XH_ERR_MEMORY;
    }
    engine->team = team;
    engine->kernel = kernel;
    status = create_barriers(engine);
    if (status == XH_OK)
        status = reserve(engine, most_cols);
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
    if (engine->memory != NULL)
        xh_memory_free(engine->memory, engine->bytes);
    free(engine->barriers);
    free(engine->offers);
    free(engine);
}
