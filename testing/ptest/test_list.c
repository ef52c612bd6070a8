/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/test_list.h"

/* ---- the tests of a run -------------------------------------------------- */

/* The quantities that tests combine, fastest first. P stands for the grid. */
static const xhpl_quantity_t nest[] = {XHPL_NDIV,  XHPL_NBMIN, XHPL_PFACT,
                                       XHPL_RFACT, XHPL_BCAST, XHPL_DEPTH,
                                       XHPL_NB,    XHPL_N,     XHPL_P};

enum {
    LEVELS = sizeof(nest) / sizeof(nest[0]),
    LEVELS_OF_SHAPE = 4 /* the slowest ones: grid, N, NB, DEPTH */
};

static int64_t combinations(const xhpl_parameters_t *parameters, int levels)
{
    int64_t count = 1;

    for (int level = 0; level < levels; level++)
        count *= parameters->list[nest[level]].count;
    return count;
}

int64_t xhpl_test_count(const xhpl_parameters_t *parameters)
{
    return parameters->runs * combinations(parameters, LEVELS);
}

int64_t xhpl_test_same_shape(const xhpl_parameters_t *parameters)
{
    return parameters->runs *
           combinations(parameters, LEVELS - LEVELS_OF_SHAPE);
}

xhpl_test_t xhpl_test_at(const xhpl_parameters_t *parameters, int64_t index)
{
    int at[XHPL_QUANTITIES], value[XHPL_QUANTITIES];

    index /= parameters->runs; /* runs of a test are consecutive */
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

/* ---- a test as the library wants it -------------------------------------- */

/* The tables are indexed by the values of HPL.dat. */

static const HPL_T_TOP topologies[] = {HPL_1RING,   HPL_1RING_M, HPL_2RING,
                                       HPL_2RING_M, HPL_BLONG,   HPL_BLONG_M};

static const HPL_T_FACT variants[] = {HPL_LEFT_LOOKING, HPL_CROUT,
                                      HPL_RIGHT_LOOKING};

static const HPL_T_SWAP exchanges[] = {HPL_SWAP00, HPL_SWAP01, HPL_SW_MIX};

/* [PFACT][L1] */
static const HPL_T_PFA_FUN panel_functions[][2] = {
    {HPL_pdpanllT, HPL_pdpanllN},
    {HPL_pdpancrT, HPL_pdpancrN},
    {HPL_pdpanrlT, HPL_pdpanrlN},
};

/* [RFACT][L1] */
static const HPL_T_RFA_FUN recursive_functions[][2] = {
    {HPL_pdrpanllT, HPL_pdrpanllN},
    {HPL_pdrpancrT, HPL_pdrpancrN},
    {HPL_pdrpanrlT, HPL_pdrpanrlN},
};

/* [L1][U] */
static const HPL_T_UPD_FUN updates[][2] = {
    {HPL_pdupdateTT, HPL_pdupdateTN},
    {HPL_pdupdateNT, HPL_pdupdateNN},
};

HPL_T_palg xhpl_algorithm(const xhpl_parameters_t *parameters,
                          const xhpl_test_t *test)
{
    int l1 = xhpl_parameters_value(parameters, XHPL_L1);
    int u = xhpl_parameters_value(parameters, XHPL_U);
    int swap = xhpl_parameters_value(parameters, XHPL_SWAP);

    return (HPL_T_palg){
        .btopo = topologies[test->bcast],
        .depth = test->depth,
        .nbdiv = test->ndiv,
        .nbmin = test->nbmin,
        .pfact = variants[test->pfact],
        .rfact = variants[test->rfact],
        .pffun = panel_functions[test->pfact][l1],
        .rffun = recursive_functions[test->rfact][l1],
        .upfun = updates[l1][u],
        .fswap = exchanges[swap],
        .fsthr = xhpl_parameters_value(parameters, XHPL_SWAP_THRESHOLD),
        .equil = xhpl_parameters_value(parameters, XHPL_EQUIL),
        .align = xhpl_parameters_value(parameters, XHPL_ALIGN),
    };
}

HPL_T_ORDER xhpl_order(const xhpl_parameters_t *parameters)
{
    return xhpl_parameters_value(parameters, XHPL_PMAP) == 0 ? HPL_ROW_MAJOR
                                                             : HPL_COLUMN_MAJOR;
}

hpl_shape_t xhpl_shape_of(const xhpl_test_t *test, int align)
{
    return (hpl_shape_t){.n = test->n,
                         .nb = test->nb,
                         .nprow = test->nprow,
                         .npcol = test->npcol,
                         .depth = test->depth,
                         .align = align};
}
