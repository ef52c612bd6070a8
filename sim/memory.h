/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The one address of all memory that the solver allocates; nothing is mapped
 * there, nor far behind it. */
void *sim_nowhere(void);

/* Is this an address in such memory? */
bool sim_is_nowhere(const void *address);
