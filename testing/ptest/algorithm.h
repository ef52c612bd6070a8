/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_ALGORITHM_H
#define XHPL_ALGORITHM_H

#include "hpl.h"
#include "testing/ptest/parameters.h"
#include "testing/ptest/plan.h"

/* The choices of one test as the library wants them. */
HPL_T_palg xhpl_algorithm(const xhpl_parameters_t *parameters,
                          const xhpl_test_t *test);

/* How ranks are laid on the grid. */
HPL_T_ORDER xhpl_order(const xhpl_parameters_t *parameters);

#endif
