/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/lu/state/resources.h"

/*
 * Solve small systems before a test, with check columns, and with the test's
 * kernel, homes, exchange, broadcast and, if the small system then has enough
 * panels, NB. Each process solves one system alone on its cores, and one on
 * each of its devices, which it uses as the test does. The grid solves one
 * together. Each system takes some hundredths of a second.
 *
 * A result is wrong if the check columns raise an alarm, if the residual is
 * above 16 by the solver's check or by the plain check of hpl/, or if the norms
 * of both checks differ. The first wrong result of this process is logged with
 * its executor. Returns true if all results of this process are right. A device
 * that has failed, or has too little memory, is not tested.
 *
 * resources in  those of the test
 * n         in  order of the test; no system is larger
 *
 * Order: collective over the grid, with no factorization under way.
 */
bool hyb_self_test(const hyb_resources_t *resources, HPL_T_grid *grid,
                   const HPL_T_palg *algo, int n, int nb);
