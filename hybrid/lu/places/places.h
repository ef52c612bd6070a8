/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"

/* The places of a factorization: which columns each computes, and its memory.
 * homes.h says where a column lives. */

/* Which blocks live where: needs lu's resources, grid, mat, ledger. Errors:
 * XH_ERR_MEMORY */
xh_status_t hyb_places_deal(hyb_lu_t *lu);

/* Needs that, and what hyb_place_device_create does. Errors: XH_ERR_MEMORY,
 * XH_ERR_DEVICE; destroy then all the same */
xh_status_t hyb_places_create(hyb_lu_t *lu);
void hyb_places_destroy(hyb_lu_t *lu);

/* Find out whether all can factor panels; collective over the process column.
 */
void hyb_places_agree(hyb_lu_t *lu);

/* The host: threads of the team. */
extern const hyb_place_t hyb_place_host;
