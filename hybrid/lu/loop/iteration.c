/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/guard/seal.h"
#include "hybrid/lu/loop/loop.h"
#include "hybrid/lu/loop/tuner.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/places/visits.h"
#include "hybrid/lu/state/flight.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/step.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"

bool hyb_iteration_is_applied(hyb_lu_t *lu, int k)
{
    hyb_block_range_t all = hyb_lu_trailing(lu, k);

    for (int64_t b = all.from; b < all.to; b++)
        if (!hyb_ledger_reached(&lu->ledger, hyb_one_block(b),
                                hyb_stage(hyb_lu_applied(lu, b, k))))
            return false;
    return true;
}

/*
 * May panel k arrive, which moves rows of L2 in the earlier panels of its
 * group? Yes, if the application of these panels, one by one, is queued for all
 * columns that need it.
 */
static bool can_move_rows(const hyb_lu_t *lu, int k)
{
    hyb_block_range_t all = hyb_lu_trailing(lu, k - 1);

    if (k == lu->groups.of[k].first)
        return true;
    for (int64_t b = all.from; b < all.to; b++)
        if (hyb_lu_applied(lu, b, k - 1) == k &&
            !hyb_ledger_queued(&lu->ledger, hyb_one_block(b), hyb_stage(k)))
            return false;
    return true;
}

/* Is iteration k complete on this process, and its memory no longer in use? */
static bool complete_iteration(hyb_lu_t *lu, int k)
{
    return k < 0 ||
           (hyb_workers_have_left(lu, k + 1) &&
            hyb_iteration_is_applied(lu, k) && hyb_visits_advance(lu, k));
}

/*
 * Get ready to open iteration k, without waiting. Is panel k here, are the
 * exchanges of iteration k - 1 over, and has everybody left iteration k -
 * HYB_IN_FLIGHT, whose memory k takes over? A process without columns right of
 * panel k - 2 waits here, and only here, until that panel is on its devices.
 */
static bool get_ready(hyb_lu_t *lu, int k)
{
    int before = hyb_l2_copies(hyb_lu_panel(lu, 0)->workspace);

    return hyb_panel_advance(lu, k) && hyb_panel_is_free(lu, k + 1) &&
           hyb_exchange_is_over(lu->exchange) &&
           complete_iteration(lu, k - HYB_IN_FLIGHT + 1) &&
           hyb_homes_have_panel(&lu->homes, k - before) &&
           can_move_rows(lu, k) && hyb_tuner_advance(lu) &&
           hyb_seal_is_kept(lu, k - 2) &&
           hyb_checkpoint_advance(lu->checkpoint, k);
}

/* Count the operations that iteration k - 1 has queued on each device. */
static void count_operations(hyb_lu_t *lu, int k)
{
    const hyb_machine_t *machine = lu->resources.machine;

    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        uint64_t *before = &lu->homes.devices.operations[i];
        uint64_t *most = &lu->homes.devices.most_operations;
        uint64_t now =
            hyb_device_traffic(hyb_machine_device(machine, i)).operations;

        if (k > lu->range.first)
            *most = Mmax(*most, now - *before);
        *before = now;
    }
}

static void open_iteration(hyb_lu_t *lu, int k)
{
    count_operations(lu, k);
    hyb_tuner_measure(lu, k);
    hyb_check_columns_open(lu->check, k);
    for (int i = 0; i < lu->homes.places; i++)
        lu->homes.place[i]->receive_panel(lu->homes.place[i], k);
    hyb_checkpoint_open(lu, k);
    hyb_panel_open(lu, k + 1);
    hyb_tuner_step(lu, k, hyb_lu_step(lu, k));
    hyb_visits_open(lu->visits, k);
    if (lu->grid->nprow > 1)
        hyb_exchange_open(lu, hyb_lu_step(lu, k));
    atomic_store_explicit(&lu->ledger.opened, k + 1, memory_order_release);
}

void hyb_iteration_open_early(hyb_worker_t *me, int k)
{
    if (me->member == 0 && k < hyb_lu_end(me->lu) &&
        !hyb_lu_is_open(me->lu, k) && get_ready(me->lu, k))
        open_iteration(me->lu, k);
}

static bool is_open(hyb_lu_t *lu, int k)
{
    return hyb_lu_is_open(lu, k);
}

const hyb_step_t *hyb_iteration_open(hyb_worker_t *me, int k)
{
    hyb_lu_t *lu = me->lu;

    if (!hyb_lu_is_open(lu, k)) {
        hyb_worker_wait(me, HYB_WAIT_PANEL, k,
                        me->member == 0 ? get_ready : is_open);
        if (me->member == 0)
            open_iteration(lu, k);
    }
    return hyb_lu_step(lu, k);
}

/* After the range's last panel: does nothing move any more on this process or
 * towards it? */
static bool come_to_rest(hyb_lu_t *lu, int last)
{
    return hyb_exchange_is_over(lu->exchange) && hyb_panels_are_still(lu) &&
           hyb_tuner_advance(lu) &&
           hyb_ledger_reached(&lu->ledger, hyb_lu_trailing(lu, last),
                              hyb_stage(last + 1)) &&
           hyb_visits_advance(lu, last) && hyb_seal_is_kept(lu, last - 1) &&
           hyb_seal_is_kept(lu, last);
}

void hyb_iteration_drain(hyb_worker_t *me)
{
    if (me->member > 0)
        return;
    count_operations(me->lu, hyb_lu_end(me->lu));
    hyb_tuner_close(me->lu);
    hyb_worker_wait(me, HYB_WAIT_PANEL, hyb_lu_end(me->lu) - 1, come_to_rest);
    hyb_tuner_end(me->lu);
}
