/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/product.h"
#include "hybrid/lu/tune/split.h"

enum { XDG_NAME = 24 }; /* bytes of the longest name, with its 0 byte */

/* The executors, in the order of report.owner: the team, then the devices. */
typedef struct {
    int count;                          /* 1 + devices */
    char name[HYB_EXECUTORS][XDG_NAME]; /* "host", "cuda:0" */
    hyb_device_info_t device[HYB_EXECUTORS - 1];
} xdg_executors_t;

/*
 * DGEMM on all processors of a machine: team and devices share the tiles of
 * each product as the setting split says, by the rates of earlier products.
 */
typedef struct {
    hyb_machine_t *machine; /* borrowed */
    xdg_executors_t executors;
    hyb_host_gemm_t *host;
    hyb_split_t split;
} xdg_gemm_t;

typedef struct { /* the executors that take part in a product */
    bool team;
    uint64_t devices; /* bit i: device i, if it exists */
} xdg_participants_t;

static const xdg_participants_t xdg_all_executors = {true, UINT64_MAX};

/*
 * Prepare products on machine.
 * Errors: XH_ERR_INPUT   the setting split is invalid: reported
 *         XH_ERR_MEMORY
 *         XH_ERR_DEVICE  a device cannot be described
 */
xh_status_t xdg_gemm_open(hyb_machine_t *machine, xdg_gemm_t *gemm_p);
void xdg_gemm_close(xdg_gemm_t *gemm); /* accepts one that is all zero */

/*
 * C := beta C + alpha op(A) op(B), all in host memory, by participants
 * together; returns when C is complete, or a participating device has failed. A
 * stalled device may still read and write A, B and C until the machine is
 * closed, if its backend cannot stop it.
 *
 * report_p  out  what was measured; may be NULL. A device in dry mode leaves
 *                its tiles unchanged.
 *
 * Errors: XH_ERR_ARG     shapes do not conform; there are no participants;
 *                        another product of the machine is running
 *         XH_ERR_MEMORY  C may be partly computed
 *         XH_ERR_DEVICE  C is partly computed: a device failed, now or before
 */
xh_status_t xdg_gemm(xdg_gemm_t *gemm, const xh_gemm_t *product,
                     xdg_participants_t participants, hyb_report_t *report_p);

/* ---- runs of tiles ------------------------------------------------------- */

enum { XDG_COVER_MOST = 5 };

/*
 * Cover tiles first .. first + count - 1 of C by few large rectangles: at most
 * 3 if the last tile is among them, or group is 1. Returns the number of
 * parts_p set.
 */
int xdg_tiles_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                    xh_rectangle_t parts_p[XDG_COVER_MOST]);

/*
 * How many of the last tiles before end have together at most this share of C?
 * The last tiles of a row or column may be larger.
 *
 * end    in  0 .. count
 * share  in  0 to 1
 */
int64_t xdg_tiles_last_share(const hyb_tiling_t *tiling, int64_t end,
                             double share);

/* ---- what a report says -------------------------------------------------- */

/* The work of executor number index in a product; the flop of all executors. */
const hyb_work_t *xdg_work(const hyb_report_t *report, int index);
double xdg_work_flop(const hyb_report_t *report);

/*
 * Share of the time without a multiplication: for a device between its first
 * and its last one, for the team in the whole product. NaN without a
 * multiplication.
 */
double xdg_work_idle(const hyb_report_t *report, int index);

#define XDG_MAP_MARK "<!-- map of xdgemm -->" /* in each map */

/*
 * Draw C as SVG, each tile in the colour of its executor, with a legend.
 *
 * report  in  of the product; without owners the team computed all
 * c       in  its shape
 */
void xdg_tile_map_write(const hyb_report_t *report,
                        const xdg_executors_t *executors, xh_view_t c,
                        FILE *out);
