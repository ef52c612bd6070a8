/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stddef.h>
#include <stdbool.h>
#include "testing/ptest/parameters.h"

/*
 * The file name of testing/data/reference, below the folder that the variable
 * TEST_XHPL_SOURCE names, else below the working directory. It ends in a 0 that
 * length does not count; the caller frees it. Aborts without the file.
 */
char *reference_file_read(const char *name, size_t *length_p);

/* The parameters that an HPL.dat of that folder stands for. */
xhpl_parameters_t reference_file_parameters(const char *name);

/* Do a and b describe the same run? */
bool reference_file_is_same(const xhpl_parameters_t *a,
                            const xhpl_parameters_t *b);
