/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Before everything else: a name that SMPI's header takes away. */
#include <mpi.h>
#undef SEED
