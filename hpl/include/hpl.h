/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HPL_H
#define HPL_H

/* The one header a driver includes: all of HPL 2.3's interface. */
#include "hpl_types.h"
#include "hpl_misc.h"
#include "hpl_auxil.h"
#include "hpl_blas.h"
#include "hpl_comm.h"
#include "hpl_grid.h"
#include "hpl_matgen.h"
#include "hpl_panel.h"
#include "hpl_pauxil.h"
#include "hpl_pfact.h"
#include "hpl_pgesv.h"
#include "hpl_pmatgen.h"
#include "hpl_ptest.h"
#include "hpl_ptimer.h"
#include "hpl_timer.h"

#endif
