/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "testing/ptest/processes.h"

/* This process of a unit test, and how many there are. */
static inline int unit_rank(void)
{
    return xhpl_rank(MPI_COMM_WORLD);
}

static inline int unit_processes(void)
{
    return xhpl_size(MPI_COMM_WORLD);
}
