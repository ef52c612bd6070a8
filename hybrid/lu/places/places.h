/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "base/status.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"

/*
 * This folder holds the places that compute columns: the host's cores, and each
 * device with its memory, queues, seats and row exchange. This header deals
 * block columns to places and opens them; state/place.h has the functions of a
 * place, state/homes.h says where a column lives.
 */

/* Decide which blocks live where, from lu's resources, grid, mat and ledger.
 * Errors: XH_ERR_MEMORY */
xh_status_t hyb_places_deal(hyb_lu_t *lu);

/*
 * Create the places, after hyb_places_deal; see hyb_place_device_create.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE; call hyb_places_destroy all the same
 */
xh_status_t hyb_places_create(hyb_lu_t *lu);
void hyb_places_destroy(hyb_lu_t *lu);

/* Find out whether all devices can factor panels. Collective over the process
 * column. */
void hyb_places_agree(hyb_lu_t *lu);

/* The host's place, computed by the team's threads. */
extern const hyb_place_t hyb_place_host;
