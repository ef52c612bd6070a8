/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_JSON_H
#define XDG_JSON_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include "base/status.h"
#include "hybrid/device/device.h"

/* x, or null for a NaN or an infinity, which have no form in JSON. */
json_t *xdg_json_number(double x);

/* Set a member of object. */
void xdg_json_set_number(json_t *object, const char *key, double x);
void xdg_json_set_count(json_t *object, const char *key, int64_t x);
void xdg_json_set_text(json_t *object, const char *key, const char *text);

/* What is known of a device called name. */
json_t *xdg_json_device(const hyb_device_info_t *info, const char *name);

/* Write record. Errors: XH_ERR_MEMORY (record is NULL), XH_ERR_IO; said */
xh_status_t xdg_json_write(const json_t *record, FILE *out);

#endif
