/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_EXECUTORS_H
#define XDG_EXECUTORS_H

#include "hybrid/device/product.h"

enum { XDG_NAME = 24 }; /* bytes of the longest name, with its end */

/* The executors in the order of a report's owners: the team, then devices. */
typedef struct {
    int count;                          /* 1 + devices */
    char name[HYB_EXECUTORS][XDG_NAME]; /* "host", "cuda:0" */
    hyb_device_info_t device[HYB_EXECUTORS - 1];
} xdg_executors_t;

/* Find those of node. Errors: XH_ERR_DEVICE */
xh_status_t xdg_executors_find(const hyb_machine_t *node,
                               xdg_executors_t *executors_p);

/* Who takes part in a product. */
typedef struct {
    bool team;
    uint64_t devices; /* bit i: device i */
} xdg_who_t;

/* All that node has; executor number index alone. */
xdg_who_t xdg_executors_all(const hyb_machine_t *node);
xdg_who_t xdg_executors_only(int index);

/* Has executor number index, a device, failed? */
bool xdg_executors_lost(const hyb_machine_t *node, int index);

/* Does a device only model time and compute nothing? */
bool xdg_executors_model(const xdg_executors_t *executors);

/* What executor number index did in a product. */
const hyb_work_t *xdg_executors_work(const hyb_report_t *report, int index);

/* flop that all executors did together. */
double xdg_executors_flop(const hyb_report_t *report);

/*
 * Share of the time without a multiplication: of a device between its first and
 * its last one, of the team in the whole product. NaN without a multiplication.
 */
double xdg_executors_idle(const hyb_report_t *report, int index);

#endif
