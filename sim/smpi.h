/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIM_SMPI_H
#define SIM_SMPI_H

/* Before everything else: a name that SMPI's header takes away. */
#include <mpi.h>
#undef SEED

#endif
