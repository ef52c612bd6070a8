/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_EMU_WORK_H
#define HYB_EMU_WORK_H

#include "base/view.h"

/* to := from, of equal shape. */
void hyb_emu_work_copy(xh_view_t from, xh_view_t to);

/*
 * Flip the highest bit of the exponent of v's middle element: whatever it
 * was, it is far from that afterwards, or no number.
 */
void hyb_emu_work_flip(xh_view_t v);

#endif
