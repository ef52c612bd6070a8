/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/timing.h"

#include <math.h>
#include "base/clock.h"
#include "base/integers.h"
#include "base/median.h"
#include "base/memory.h"

enum { BLOCK = 4096 }; /* doubles that a member touches at a time */

hyb_seconds_t hyb_time_runs(void (*prepare)(void *context),
                            void (*run)(void *context), void *context,
                            int calls)
{
    double seconds[HYB_CALLS_MOST], begun;
    hyb_seconds_t found;

    for (int i = 0; i < calls; i++) {
        if (prepare != NULL)
            prepare(context);
        begun = xh_clock_now();
        run(context);
        seconds[i] = xh_clock_now() - begun;
    }
    found.median = xh_median(seconds, calls);
    found.least = seconds[0]; /* they are sorted now */
    return found;
}

int hyb_calls_within(double seconds, double once, int most)
{
    return (int)fmin(most, fmax(1.0, seconds / fmax(once, 1e-9)));
}

/* ---- memory -------------------------------------------------------------- */

typedef struct {
    double *data;
    int64_t count;
    int members;
} filling_t;

/* The high bits of a multiplicative generator, started anew in each block. */
static void fill(void *context, int member)
{
    const filling_t *f = context;
    const int64_t step = (int64_t)BLOCK * f->members;

    for (int64_t from = (int64_t)BLOCK * member; from < f->count;
         from += step) {
        int64_t to = xh_smaller(from + BLOCK, f->count);
        uint64_t x = 2 * (uint64_t)from + 1;

        for (int64_t i = from; i < to; i++) {
            x *= 0xd1342543de82ef95u;
            f->data[i] = (double)(x >> 11) * 0x1p-53 - 0.5;
        }
    }
}

xh_status_t hyb_scratch_create(hyb_team_t *team, int64_t doubles,
                               hyb_scratch_t *scratch_p)
{
    size_t bytes = sizeof(double) * (size_t)doubles;
    filling_t f = {.count = doubles, .members = hyb_team_size(team)};
    void *memory;

    if (xh_memory_allocate(bytes, &memory) != XH_OK)
        return XH_ERR_MEMORY;
    f.data = memory;
    hyb_team_run(team, fill, &f);
    *scratch_p = (hyb_scratch_t){f.data, bytes};
    return XH_OK;
}

void hyb_scratch_free(hyb_scratch_t *scratch)
{
    xh_memory_free(scratch->data, scratch->bytes);
}
