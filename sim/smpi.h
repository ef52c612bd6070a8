/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/* Included before everything else: SMPI's header defines a macro SEED. */
#include <mpi.h>
#undef SEED
