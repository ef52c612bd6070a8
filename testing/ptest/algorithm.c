/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/algorithm.h"

/* All tables are indexed by the values of HPL.dat. */

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
