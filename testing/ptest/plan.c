/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/plan.h"

/* The quantities that tests combine, fastest first. P stands for the grid. */
static const xhpl_quantity_t nest[] = {XHPL_NDIV,  XHPL_NBMIN, XHPL_PFACT,
                                       XHPL_RFACT, XHPL_BCAST, XHPL_DEPTH,
                                       XHPL_NB,    XHPL_N,     XHPL_P};

enum {
    LEVELS = sizeof(nest) / sizeof(nest[0]),
    LEVELS_OF_SHAPE = 4 /* the slowest of them: grid, N, NB, DEPTH */
};

static int64_t combinations(const xhpl_parameters_t *parameters, int levels)
{
    int64_t count = 1;

    for (int level = 0; level < levels; level++)
        count *= parameters->list[nest[level]].count;
    return count;
}

int64_t xhpl_plan_count(const xhpl_parameters_t *parameters)
{
    return combinations(parameters, LEVELS);
}

int64_t xhpl_plan_same_shape(const xhpl_parameters_t *parameters)
{
    return combinations(parameters, LEVELS - LEVELS_OF_SHAPE);
}

xhpl_test_t xhpl_plan_test(const xhpl_parameters_t *parameters, int64_t index)
{
    int at[XHPL_QUANTITIES], value[XHPL_QUANTITIES];

    for (int level = 0; level < LEVELS; level++) {
        const xhpl_list_t *list = &parameters->list[nest[level]];

        at[nest[level]] = (int)(index % list->count);
        value[nest[level]] = list->value[at[nest[level]]];
        index /= list->count;
    }
    return (xhpl_test_t){
        .grid = at[XHPL_P],
        .nprow = value[XHPL_P],
        .npcol = parameters->list[XHPL_Q].value[at[XHPL_P]],
        .n = value[XHPL_N],
        .nb = value[XHPL_NB],
        .depth = value[XHPL_DEPTH],
        .bcast = value[XHPL_BCAST],
        .rfact = value[XHPL_RFACT],
        .pfact = value[XHPL_PFACT],
        .nbmin = value[XHPL_NBMIN],
        .ndiv = value[XHPL_NDIV],
    };
}
