/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "hpl/panel/panel.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/places/device_work.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/place.h"
#include "hybrid/lu/state/step.h"

/* The private part of a device's place, which place_device.c and device_*.c
 * share. */

/*
 * Wide panels, for groups of more than one panel. The L2 of a group's panels
 * are stored side by side, over the rows of the matrix, and rows of earlier
 * panels follow the interchanges of later ones. So each panel forms a wide
 * panel with the panels before it in its group; with the last panel, this is
 * the whole group.
 */
typedef struct {
    hyb_place_panel_t panel[HYB_WIDE_SLOTS]; /* indexed by hyb_groups_slot */
    hyb_device_view_t l1[HYB_SLOTS]; /* group g has index g % HYB_SLOTS */
    hyb_event_t *whole;  /* the last closed group is complete here */
    int64_t *lists;      /* pinned: lists being copied to the device */
    uint32_t no_inverse; /* bit i: L1 of the group's panel i has no inverses */
} hyb_place_wide_t;

/* Columns are numbered on the device: the columns of its blocks, in order. */
typedef struct {
    hyb_place_t base;
    int number; /* number of the place; the machine's device is number - 1 */
    int64_t nb; /* columns per panel */
    int64_t *columns; /* by local block b: number of columns on this device in
                         blocks before b */
    hyb_device_t *device;
    hyb_device_info_t info;
    struct {
        hyb_queue_t *compute, *link, *leave, *factor;
        hyb_queue_t *arrive, *guests; /* NULL without seats; without guests */
    } queue;
    struct {
        /* The next panel's columns are computed; or copied. */
        hyb_event_t *computed, *copied;
        /*
         * Begin and end of the next panel's factorization and copy down, or of
         * the copy alone. While processes agree on pivots, `down` is the
         * proposal of the last column.
         */
        hyb_event_t *begun, *down;
        hyb_event_t *arrived; /* rows of other processes have arrived */
        hyb_event_t *kept;    /* a factored guest's L2 has been stored */
    } event;
    struct { /* on the device */
        hyb_buffer_t *buffer;
        hyb_device_view_t matrix; /* mp x columns on this device */
        hyb_device_view_t u; /* nb x columns on this device or more: rows of U
                                before they are solved */
        hyb_device_view_t
            l[HYB_SLOTS];       /* mp x columns of a group: L2 of the group */
        hyb_device_view_t x, y; /* x and y of the back-substitution */
        /* P = 1: a list of the pivots of the panel being factored. */
        hyb_device_view_t pivots;
        hyb_device_view_t proposed; /* P > 1: the proposal for a column */
        /* P > 1: L1 of the panel being factored if the top is on another
         * process. */
        hyb_device_view_t pivot_rows;
        /* P > 1: offsets of packed rows of U, and of displaced rows, each nb x
         * columns on this device. */
        int64_t packed_u, packed;
        int64_t slots; /* P > 1: offset of a parcel's slots in both */
    } memory;
    hyb_place_panel_t panel[HYB_SLOTS]; /* panel k has index k % HYB_SLOTS */
    hyb_place_wide_t wide;
    struct hyb_place_seat *seat; /* for guests and visitors */
    int seats;
    int newest_panel;  /* newest panel sent to this device */
    int pending_panel; /* panel to be sent once its L2 is complete in columns;
                          -1: none */
    struct {
        struct {
            hyb_event_t *done;
            /* Blocks that advance when the work has run. */
            hyb_block_range_t blocks;
            int64_t stages; /* number of stages that they advance */
            int swept;  /* iteration whose row sums came down to be compared, or
                           -1 */
            int sealed; /* panel whose seal is compared, or -1 */
            bool given_up; /* compare when given up, not when received */
            int seat;      /* seat freed by this work, or -1 */
            int visits;    /* a visitor's panel, or -1 */
            bool under_way;
            /* Time since when this work, or work before it, can run. */
            double flop, since;
        } * work;
        int count;
        int next;          /* entry to be used next */
        int products;      /* products that have not run yet */
        double idle_since; /* time since which there are none */
        int sending; /* P > 1: the work that sends a parcel's rows, or -1 */
        double pace; /* s per flop of the slowest work so far, or an estimate */
    } queued;
    struct {
        double *pinned; /* the panel being copied down, row lists, and L1 */
        double *l1;     /* HYB_SLOTS of nb x nb, in `pinned` */
        int64_t *rows;  /* HYB_SLOTS x HYB_ROW_LISTS x nb, in `pinned` */
        size_t bytes;
        double *l1_down;  /* nb x nb: L1 of that panel */
        int64_t *pivot;   /* nb: pivots of that panel */
        double *proposal; /* P > 1: the proposal, and then the agreed pivot */
    } host;
    double stall_seconds; /* the setting of that name, cached for polling */
    struct hyb_place_guard *guard; /* NULL without check columns */
    struct hyb_place_spans *spans;
} hyb_place_device_t;

static inline hyb_place_panel_t *hyb_place_panel(hyb_place_device_t *d, int k)
{
    return &d->panel[k % HYB_SLOTS];
}

/* Does block b live on this device? */
static inline bool hyb_place_holds(const hyb_place_device_t *d, int64_t b)
{
    return d->columns[b + 1] > d->columns[b];
}

/* Does the device have no part in the factorization? */
static inline bool hyb_place_is_idle(const hyb_place_device_t *d)
{
    return d->memory.buffer == NULL;
}

/* The device's columns among `blocks`. */
static inline hyb_run_t hyb_place_run(const hyb_place_device_t *d,
                                      hyb_block_range_t blocks)
{
    return (hyb_run_t){d->columns[blocks.from],
                       d->columns[blocks.to] - d->columns[blocks.from]};
}

/* Was panel k factored on this device, so that L2 is in its matrix? */
static inline bool hyb_place_factored(const hyb_place_device_t *d, int k)
{
    return hyb_lu_panel(d->base.lu, k)->by_device &&
           hyb_lu_panel_place(d->base.lu, k) == &d->base;
}

/* The columns of `run`, from panel h's first row on. */
static inline hyb_device_view_t hyb_place_trailing(const hyb_place_device_t *d,
                                                   const HPL_T_panel *h,
                                                   hyb_run_t run)
{
    return hyb_device_view_part(d->memory.matrix, h->ii, run.from, h->mp,
                                run.count);
}

/* The function table of every device's place. */
extern const hyb_place_t hyb_place_device;

/* ---- device_queued.c ----------------------------------------------------- */

/* End the job if `status` says that the device failed or refused work, because
 * its columns are lost. */
void hyb_place_require_ok(const hyb_place_device_t *d, xh_status_t status);

/* Wait until all queued work has run; a device that takes too long fails. */
xh_status_t hyb_place_drain(const hyb_place_device_t *d);

/*
 * Has everything queued before `event` run? The work could run since time
 * `since`. A device counts as stalled if it takes much longer than the setting
 * `stall_seconds` and its queued work allow.
 */
bool hyb_place_has_run(const hyb_place_device_t *d, hyb_event_t *event,
                       double since);

/*
 * Note work of `flop` that ends with everything now queued on `queue`. Then the
 * device's blocks among `blocks` advance by `stages` in the ledger. Returns the
 * number of the work.
 */
int hyb_place_note(hyb_place_device_t *d, hyb_block_range_t blocks,
                   int64_t stages, double flop, hyb_queue_t *queue);

/* The function `copy` of the place. */
void hyb_place_copy(hyb_place_t *place, int64_t row, int64_t col, int way,
                    xh_view_t elsewhere);

/* ---- device_spans.c: what the queues did, and when ------------------------
 */

/* The unit of a span's amount. */
typedef enum {
    HYB_SPAN,         /* nothing */
    HYB_SPAN_PRODUCT, /* flop */
    HYB_SPAN_UP,      /* bytes of copies to the device alone */
    HYB_SPAN_DOWN     /* bytes of copies from the device alone */
} hyb_span_t;

/*
 * Create d->spans for d's queues. Call begin before the loop; begin waits for
 * the device.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_spans_create(hyb_place_device_t *d);
xh_status_t hyb_place_spans_begin(hyb_place_device_t *d);
void hyb_place_spans_destroy(hyb_place_device_t *d);

/* Make a span called `name` (static memory) of all work queued on `queue`
 * between these two calls: homes.devices.did counts the span, and the trace
 * shows it. */
void hyb_place_span(hyb_place_device_t *d, hyb_queue_t *queue,
                    const char *name);
void hyb_place_span_end(hyb_place_device_t *d, hyb_queue_t *queue,
                        hyb_span_t kind, double amount);

/* Queue one operation of an update as a span of its own. */
typedef xh_status_t (*hyb_place_update_fn_t)(const hyb_place_panel_t *panel,
                                             const hyb_place_part_t *part);
xh_status_t hyb_place_in_span(hyb_place_device_t *d, const char *name,
                              hyb_place_update_fn_t operation,
                              const hyb_place_panel_t *panel,
                              const hyb_place_part_t *part);

/* Count the spans that have run. */
void hyb_place_spans_poll(hyb_place_device_t *d);

/* Location of a parcel's rows on this device. */
typedef struct {
    const hyb_parcel_t *parcel;
    int64_t guest; /* the guest that the rows belong to; negative: rows of all
                      columns that live here, or of L2 */
    hyb_device_view_t columns;             /* from the panel's first row on */
    hyb_device_view_t gathered, displaced; /* packed: columns x jb */
} hyb_place_rows_t;

/* ---- device_wide.c: wide panels -------------------------
 */

/*
 * Create d->wide, with device memory from double number `at` on, and host
 * memory from `host` on.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_wide_create(hyb_place_device_t *d, int64_t at,
                                  double *host);
void hyb_place_wide_destroy(hyb_place_device_t *d);

/* Where L2 of panel k is stored here if it was copied up, for any P. */
hyb_device_view_t hyb_place_l2(const hyb_place_device_t *d, int k);

/* Fill in the position of panel `h` on this process. */
void hyb_place_locate_panel(hyb_place_panel_t *panel, const HPL_T_panel *h);

/* Fill `lists`, which is pinned and as long as panel->lists, with the rows that
 * `h` moves here, and queue their copy up on the queue `link`. */
xh_status_t hyb_place_send_lists(const hyb_place_device_t *d,
                                 hyb_place_panel_t *panel, HPL_T_panel *h,
                                 int64_t *lists);

/* Panels from .. to - 1 as one panel on this device, as in hyb_wide_panel. */
hyb_place_panel_t *hyb_place_panels(hyb_place_device_t *d, int from, int to);

/*
 * widen: queue on `link` the lists of the panels up to k as one panel. follow:
 * queue on `compute`, after the lists and panel k, the same row interchanges in
 * the group's earlier panels.
 */
xh_status_t hyb_place_widen(hyb_place_device_t *d, int k);
xh_status_t hyb_place_follow(hyb_place_device_t *d, int k);

/*
 * P > 1, where the rows of earlier panels travel as a parcel. l2_before: L2 of
 * the panels before k in its group, from panel k's first row on. l1_before:
 * where these rows go when they become rows of L1. followed: note that all rows
 * are in place, for work queued later.
 */
hyb_device_view_t hyb_place_l2_before(const hyb_place_device_t *d, int k);
hyb_device_view_t hyb_place_l1_before(const hyb_place_device_t *d, int k);
xh_status_t hyb_place_followed(hyb_place_device_t *d, int k);

/*
 * Queue on `link`: wait until earlier panels have been permuted for panel k,
 * before another panel takes panel k's memory. A device without columns to
 * update may be late.
 */
xh_status_t hyb_place_wait_followed(hyb_place_device_t *d, int k);

/* ---- device_rows.c: rows that travel (P > 1) ----------------------------- */

hyb_place_rows_t hyb_place_rows(const hyb_place_device_t *d,
                                const hyb_parcel_t *parcel);

/*
 * gather: queue on `leave` that rows go to the parcel's buffers. receive: queue
 * the copy up of received rows, and with `mine_too` of this process's rows
 * unless they are here. scatter: queue that all rows go to their places, rows
 * of U to `u`.
 */
xh_status_t hyb_place_queue_gather(hyb_place_device_t *d,
                                   const hyb_place_rows_t *rows);
xh_status_t hyb_place_queue_receive(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows,
                                    bool mine_too);
xh_status_t hyb_place_queue_scatter(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows,
                                    hyb_device_view_t u);

/* ---- device_apply.c: apply panels to columns ------------------------
 */

/*
 * Queue the application of panels from .. to - 1 to `part`, whose u has room
 * for some columns at a time. The panels are a whole group, or one panel with
 * all before it in its group; if P = 1, other panels are applied one after
 * another. Adds to *flop_p.
 *
 * rows  in  P > 1: the part's received rows; else NULL
 */
xh_status_t hyb_place_apply_panels(hyb_place_device_t *d,
                                   const hyb_place_part_t *part,
                                   const hyb_place_rows_t *rows, int from,
                                   int to, double *flop_p);

/* ---- device_visits.c ----------------------------------------------------- */

/*
 * Create d's seats and their queues, with device memory from double number `at`
 * on.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_seats_create(hyb_place_device_t *d, int64_t at);
void hyb_place_seats_destroy(hyb_place_device_t *d);

/*
 * Queue that a guest arrives, unless it is here, and that panels from .. to - 1
 * are applied to it; adds to *flop_p. Returns false if no seat is free, or if
 * the guest is on its way home. Its way home is queued, too, unless it is the
 * next panel; then hyb_place_start_next_panel continues with it.
 */
bool hyb_place_visit(hyb_place_device_t *d, const hyb_step_t *step,
                     int64_t block, int from, int to, double *flop_p);

/* Queue on `leave` the rows of those guests of the parcel that are here. */
xh_status_t hyb_place_guests_leave(hyb_place_device_t *d,
                                   const hyb_parcel_t *parcel);

/* The function `has_guest` of the place. */
bool hyb_place_has_guest(const hyb_place_t *place, int64_t block);

/* Queue that `block`, whose rows the team swapped and solved for panel k,
 * arrives, is multiplied, and goes home. The caller knows that a seat is free.
 */
void hyb_place_multiply_visitor(hyb_place_device_t *d, int k, int64_t block);

/* The function `has_room` of the place. */
bool hyb_place_has_room(const hyb_place_t *place, int k);

/* Is `block` a guest that is here? */
bool hyb_place_is_visited(const hyb_place_device_t *d, int64_t block);

/* Columns of panel k, from its first row on, in a guest's seat or in the
 * matrix. */
hyb_device_view_t hyb_place_panel_columns(const hyb_place_device_t *d, int k);

/*
 * seat_panel: before the loop begins with panel k, bring the guest that becomes
 * it. clear_seats: after the loop, send home all guests that are still here,
 * and wait.
 */
xh_status_t hyb_place_seat_panel(hyb_place_device_t *d, int k);
xh_status_t hyb_place_clear_seats(hyb_place_device_t *d);

/* Panel k has been factored in its seat: queue a copy of L2 to its memory, and
 * the way home of the rows of U above it. */
xh_status_t hyb_place_keep_panel(hyb_place_device_t *d, int k);

/* Free `seat`, whose visit is over. */
void hyb_place_seat_free(hyb_place_device_t *d, int seat);

/* ---- device_panel.c: panels on this device ------------------------------- */

/* Queue the copy of panel k to pinned memory, after its columns are computed.
 */
xh_status_t hyb_place_fetch_panel(hyb_place_device_t *d, int k);

/*
 * Called once the application of `panels` panels, up to step's, to `blocks` is
 * queued. If `blocks` has the next panel's columns, queue their factorization
 * or copy down.
 */
void hyb_place_start_next_panel(hyb_place_device_t *d, const hyb_step_t *step,
                                hyb_block_range_t blocks, int panels,
                                double flop);

/* The functions of these names of the place. */
void hyb_place_factor_panel(hyb_place_t *place, int k,
                            hyb_panel_agree_fn_t agree, void *context);
xh_view_t hyb_place_take_panel(hyb_place_t *place, int k, int64_t *pivots);
double hyb_place_panel_seconds(hyb_place_t *place);

/* ---- device_guard.c: nothing is done without check columns -------------
 */

/*
 * Create d->guard, with device memory from double number `at` on, and host
 * memory from `host` on. Call begin before the loop, once lu has check columns.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_place_guard_create(hyb_place_device_t *d, int64_t at,
                                   double *host);
void hyb_place_guard_begin(hyb_place_device_t *d);

/*
 * queue: sum the rows over panel k's columns, before they are factored or
 * copied down. take: once the panel is known, hand the sums to lu's check
 * columns.
 */
xh_status_t hyb_place_guard_queue_panel_sums(hyb_place_device_t *d, int k);
void hyb_place_guard_take_panel_sums(hyb_place_device_t *d, int k, int64_t jb);

/*
 * Queue sums of L2 for its seal: after the factorization of panel k; after
 * panel k was copied up, also of `l1`, jb x jb without gaps, or empty; and for
 * each panel of a group before its memory is given up. compare: the sums have
 * come down.
 */
xh_status_t hyb_place_guard_queue_factored_seal(hyb_place_device_t *d, int k,
                                                hyb_device_view_t l2);
xh_status_t hyb_place_guard_queue_received_seal(hyb_place_device_t *d, int k,
                                                xh_view_t l1);
xh_status_t hyb_place_guard_queue_last_seal(hyb_place_device_t *d, int group);
void hyb_place_guard_compare_seals(hyb_place_device_t *d, int k, bool given_up);

/* Update the seals: rows of L2 have left as `parcel` says, and other rows have
 * arrived. */
void hyb_place_guard_update_seals(hyb_place_device_t *d,
                                  const hyb_parcel_t *parcel);

/* Queue the comparison of rows, once, if it is due after panel k and the
 * application of panel k to all columns is queued. finish: the sums have come
 * down. */
void hyb_place_guard_queue_comparison(hyb_place_t *place, int k);
void hyb_place_guard_finish_comparison(hyb_place_device_t *d, int k);

/* ---- device_parcels.c ---------------------------------------------------- */

/* The functions `send_rows`, `has_sent_rows` and `put_rows` of the place. */
void hyb_place_send_rows(hyb_place_t *place, hyb_parcel_t *parcel);
bool hyb_place_has_sent_rows(hyb_place_t *place);
void hyb_place_put_rows(hyb_place_t *place, const hyb_parcel_t *parcel);
