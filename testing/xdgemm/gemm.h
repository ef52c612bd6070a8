/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hybrid/cpu/product/gemm.h"
#include "hybrid/device/product.h"
#include "hybrid/lu/tune/split.h"

enum { XDG_NAME = 24 }; /* bytes of the longest name, with its end */

/* The executors in the order of a report's owners: the team, then devices. */
typedef struct {
    int count;                          /* 1 + devices */
    char name[HYB_EXECUTORS][XDG_NAME]; /* "host", "cuda:0" */
    hyb_device_info_t device[HYB_EXECUTORS - 1];
} xdg_executors_t;

/*
 * DGEMM by all that a machine has: team and devices share the tiles of each
 * product as the setting split says, by what they did in those before.
 */
typedef struct {
    hyb_machine_t *machine; /* borrowed */
    xdg_executors_t executors;
    hyb_host_gemm_t *host;
    hyb_split_t split;
} xdg_gemm_t;

typedef struct { /* who takes part in a product */
    bool team;
    uint64_t devices; /* bit i: device i, if there is one */
} xdg_who_t;

static const xdg_who_t xdg_everyone = {true, UINT64_MAX};

/*
 * Errors: XH_ERR_INPUT   the setting split makes no sense: said
 *         XH_ERR_MEMORY
 *         XH_ERR_DEVICE  one does not tell what it is
 */
xh_status_t xdg_gemm_open(hyb_machine_t *machine, xdg_gemm_t *gemm_p);
void xdg_gemm_close(xdg_gemm_t *gemm); /* accepts one that is all zero */

/*
 * C := beta C + alpha op(A) op(B), all in host memory, by who together;
 * returns when C is complete, or a device of who has failed. One that stalls
 * may still read and write A, B and C until the machine is closed, if its
 * backend cannot stop it.
 *
 * report_p  out  what it took; NULL if nobody asks. With a device in dry mode
 *                the tiles that it took are left as they were.
 *
 * Errors: XH_ERR_ARG     shapes do not conform; nobody is to compute; the
 *                        machine has another product under way
 *         XH_ERR_MEMORY  C may be partly done
 *         XH_ERR_DEVICE  C is partly done: a device failed, now or before
 */
xh_status_t xdg_gemm(xdg_gemm_t *gemm, const xh_gemm_t *product, xdg_who_t who,
                     hyb_report_t *report_p);

/* ---- runs of tiles ------------------------------------------------------- */

enum { XDG_COVER = 5 };

/*
 * The parts of C that tiles first .. first + count - 1 make up, as few large
 * rectangles: at most 3 if count reaches to the last tile, or group is 1.
 * Returns how many of parts_p are set.
 */
int xdg_tiles_cover(const hyb_tiling_t *tiling, int64_t first, int64_t count,
                    xh_rectangle_t parts_p[XDG_COVER]);

/*
 * How many tiles, of those before end and the last of them first, have together
 * at most this share of C? The last ones of a row or column may be larger.
 *
 * end    in  0 .. count
 * share  in  0 to 1
 */
int64_t xdg_tiles_of(const hyb_tiling_t *tiling, int64_t end, double share);

/* ---- what a report says -------------------------------------------------- */

/* What executor number index did in a product; flop of all together. */
const hyb_work_t *xdg_work(const hyb_report_t *report, int index);
double xdg_work_flop(const hyb_report_t *report);

/*
 * Share of the time without a multiplication: of a device between its first and
 * its last one, of the team in the whole product. NaN without a multiplication.
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
