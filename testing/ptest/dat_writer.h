/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XHPL_DAT_WRITER_H
#define XHPL_DAT_WRITER_H

#include <stdio.h>
#include "testing/ptest/parameters.h"

/*
 * Write parameters as an HPL.dat: 31 lines, each with what it is about behind
 * its values. xhpl_dat_read gives the same parameters again.
 */
void xhpl_dat_write(FILE *out, const xhpl_parameters_t *parameters);

#endif
