/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>
#include <stdio.h>
#include "testing/xdgemm/runs.h"

/*
 * The record of a run as JSON: an object with program, machine, settings and
 * product, to which each kind of run adds its results. Unknown values are null.
 * Rates are in flop/s and bytes/s, times in seconds.
 */

#define XDG_RECORD_MARK "\"program\": \"xdgemm\"" /* in each record */

/* Make a record without results, for json_decref; NULL: no memory. */
json_t *xdg_record_begin(const xdg_gemm_t *gemm, const xh_gemm_t *product);

/* Add the results of a run; nothing happens if record is NULL. */
void xdg_record_rates(json_t *record, const xdg_rates_t *rates);
void xdg_record_verified(json_t *record, const xdg_verifier_t *verifier);
void xdg_record_torture(json_t *record, const xdg_torture_t *torture);
void xdg_record_probe(json_t *record, const char *name,
                      const xdg_probe_t *probe);
void xdg_record_operation(json_t *record, const char *executor,
                          const char *name, const xdg_operation_t *operation);

/* Describe a device called name. */
json_t *xdg_record_device(const hyb_device_info_t *info, const char *name);

/*
 * Print on stdout the cores of this machine, and the devices of every backend,
 * or why a backend has none.
 * json    in  also gets the list as JSON; NULL: none
 * Errors: XH_ERR_INTERNAL, XH_ERR_MEMORY, XH_ERR_IO
 */
xh_status_t xdg_device_list(FILE *json);

/*
 * Write record.
 * Errors: XH_ERR_MEMORY (record is NULL), XH_ERR_IO: reported
 */
xh_status_t xdg_record_write(const json_t *record, FILE *out);
