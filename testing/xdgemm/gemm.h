/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef XDG_GEMM_H
#define XDG_GEMM_H

#include "hybrid/cpu/product/gemm.h"
#include "hybrid/lu/tuner/ratio.h"
#include "hybrid/lu/tuner/split.h"
#include "testing/xdgemm/executors.h"

/*
 * DGEMM by all that a machine has: team and devices share the tiles of each
 * product as the setting split says, by what they did in those before.
 */
typedef struct {
    hyb_machine_t *machine; /* borrowed */
    hyb_host_gemm_t *host;
    hyb_split_t split;
    hyb_ratio_t ratio;
} xdg_gemm_t;

/*
 * Errors: XH_ERR_INPUT   the setting split makes no sense: said
 *         XH_ERR_MEMORY
 */
xh_status_t xdg_gemm_open(hyb_machine_t *machine, xdg_gemm_t *gemm_p);
void xdg_gemm_close(xdg_gemm_t *gemm); /* accepts one that is all zero */

/*
 * C := beta C + alpha op(A) op(B), all in host memory, by who together;
 * returns when C is complete. Devices that fail are dropped, said so, and what
 * they had not returned is computed by others. One that stalls may still read
 * A, B and C until the machine is closed, if its backend cannot stop it.
 *
 * report_p  out  what it took; NULL if nobody asks. With a device in dry mode
 *                the tiles that it took are left as they were.
 *
 * Errors: XH_ERR_ARG     shapes do not conform; nobody is to compute; the
 *                        machine has another product under way
 *         XH_ERR_MEMORY  C may be partly done
 *         XH_ERR_DEVICE  C is partly done: the team is not to take part and all
 *                        devices failed; or, with tile_return=direct, one of
 *                        them did, which may still write into C if it stalled
 */
xh_status_t xdg_gemm(xdg_gemm_t *gemm, const xh_gemm_t *product, xdg_who_t who,
                     hyb_report_t *report_p);

#endif
