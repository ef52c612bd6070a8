/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>

/* The single address of all memory that the solver allocates; nothing is mapped
 * there, or for a long way after it. */
void *sim_nowhere(void);

/* Is `address` in such memory? */
bool sim_is_nowhere(const void *address);
