/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/device/device.h"

/*
 * A backend "fake" that does nothing but count. A case copies the table to
 * have other properties.
 */
typedef struct {
    int devices;        /* that count tells */
    const char *reason; /* why there are none */
    xh_status_t answer; /* of every call but count and describe */
    int calls;          /* of all functions but count and describe */
    int given_back;     /* calls of buffer_destroy and unpin among them */
    int ended;          /* calls of queue_destroy and event_destroy */
    int closed;         /* calls of close */
} fake_t;

extern fake_t fake;
extern const hyb_backend_t fake_backend;

/* Three devices, all calls succeed, nothing counted. */
void fake_reset(void);
