/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HYB_GUESTS_H
#define HYB_GUESTS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Where P = 1, block columns for which devices have no room live in host memory
 * and come to a device in turns, each time for all panels that they have not
 * met: HYB_GUEST_PANELS, of which the device keeps copies. A column crosses the
 * link so much less often, each way, than if it came for every panel. It comes
 * for good HYB_GUEST_LEAD iterations before it is factored.
 *
 * Source: left-looking out-of-core LU, by groups of panels
 */
enum { HYB_GUEST_PANELS = 8, HYB_GUEST_LEAD = 2, HYB_GUEST_SEATS = 7 };

/* Does guest number block of a process come in iteration k? panel: the one that
 * it will be. */
static inline bool hyb_guest_comes(int64_t block, int64_t panel, int64_t k)
{
    return panel <= k + HYB_GUEST_LEAD || (block + k) % HYB_GUEST_PANELS == 0;
}

#endif
