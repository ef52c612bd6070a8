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

/* The place of one device, from inside: what place_device.c and device_*.c
 * share. */

/*
 * Wide panels, where groups have more than one panel. L2 of a group's panels
 * stand side by side, over the rows of the matrix, and rows of earlier panels
 * follow the interchanges of later ones. So each panel forms a wide panel with
 * all panels before it in its group; the last one forms the whole group.
 */
typedef struct {
    hyb_place_panel_t panel[HYB_WIDE_SLOTS]; /* by hyb_groups_slot */
    hyb_device_view_t l1[HYB_SLOTS];         /* of group g, at g % HYB_SLOTS */
    hyb_event_t *whole;  /* the newest closed group is complete here */
    int64_t *lists;      /* pinned: lists on their way to the device */
    uint32_t no_inverse; /* panels of the group whose L1 has no inverses */
} hyb_place_wide_t;

/* Columns are numbered on the device: the columns of its blocks, one after
 * another. */
typedef struct {
    hyb_place_t base;
    int number; /* of the place; the device's number in the machine is 1 less */
    int64_t nb; /* columns of a panel */
    int64_t *columns; /* by local block b: columns of the blocks before b that
                         live here */
    hyb_device_t *device;
    hyb_device_info_t info;
    struct {
        hyb_queue_t *compute, *link, *leave, *factor;
        hyb_queue_t *arrive, *guests; /* NULL without seats; without guests */
    } queue;
    struct {
        /* The next panel's columns are computed, or copied. */
        hyb_event_t *computed, *copied;
        /*
         * Begin and end of its factorization and copy down, or of the copy down
         * alone. While pivots are agreed on, `down` is the last column's
         * proposal.
         */
        hyb_event_t *begun, *down;
        hyb_event_t *arrived; /* rows of other processes have arrived */
        hyb_event_t *kept;    /* a guest's L2 is kept, once it is factored */
    } event;
    struct { /* on the device */
        hyb_buffer_t *buffer;
        hyb_device_view_t matrix; /* mp x all columns */
        hyb_device_view_t u; /* nb x all columns, or more: rows on their way to
                          the top, before they are solved */
        hyb_device_view_t
            l[HYB_SLOTS];       /* mp x a group's columns: L2 of the group */
        hyb_device_view_t x, y; /* vectors of the back-substitution */
        /* The pivots of the panel being factored, a list, P = 1; */
        hyb_device_view_t pivots;
        hyb_device_view_t proposed; /* P > 1: a column's proposal */
        /* P > 1: its L1, where the top is on another process. */
        hyb_device_view_t pivot_rows;
        /* P > 1: offsets of packed rows of U, and of displaced rows, nb x all
         * columns each. */
        int64_t packed_u, packed;
        int64_t slots; /* P > 1: offset of the slots of parcels in either */
    } memory;
    hyb_place_panel_t panel[HYB_SLOTS]; /* k at k % HYB_SLOTS */
    hyb_place_wide_t wide;
    struct hyb_place_seat *seat; /* for guests and visitors */
    int seats;
    int newest_panel;  /* that was sent to this device */
    int pending_panel; /* to be sent once its L2 is there in columns; -1: none
                        */
    struct {
        struct {
            hyb_event_t *done;
            /* Blocks that advance here when it has run. */
            hyb_block_range_t blocks;
            int64_t stages; /* by how many stages they advance */
            int swept;  /* iteration whose rows came down to be compared, or -1
                         */
            int sealed; /* panel whose seal is compared, or -1: as it came, */
            bool given_up; /* or as it is given up */
            int seat;      /* seat that it frees, or -1 */
            int visits;    /* its panel, if it is a visitor's; or -1 */
            bool under_way;
            /* Since when it, or the work before it, can run. */
            double flop, since;
        } * work;
        int count;
        int next;          /* entry that is noted next */
        int products;      /* works with a product that have not run; */
        double idle_since; /* without such work, since when */
        int sending; /* P > 1: the work by which a parcel's rows leave, or -1 */
        double pace; /* s per flop of the slowest work so far, or a guess */
    } queued;
    struct {
        double *pinned; /* the panel that comes down, row lists, and L1 */
        double *l1;     /* HYB_SLOTS of nb x nb, in `pinned` */
        int64_t *rows;  /* HYB_SLOTS x HYB_ROW_LISTS x nb, in `pinned` */
        size_t bytes, body_bytes;
        /* The factored panel that comes down, in `pinned` or not. */
        double *body;
        double *l1_down;  /* nb x nb: L1 of that panel */
        int64_t *pivot;   /* nb: pivots of that panel */
        double *proposal; /* P > 1: what is agreed on, on the host */
    } host;
    double stall_seconds; /* the setting, read once, as each poll needs it */
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

/* Does the device take no part? */
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

/* Was panel k factored here, so that its L2 stands in the matrix? */
static inline bool hyb_place_factored(const hyb_place_device_t *d, int k)
{
    return hyb_lu_panel(d->base.lu, k)->by_device &&
           hyb_lu_panel_place(d->base.lu, k) == &d->base;
}

/* The columns of `run` from panel h's first row on. */
static inline hyb_device_view_t hyb_place_trailing(const hyb_place_device_t *d,
                                                   const HPL_T_panel *h,
                                                   hyb_run_t run)
{
    return hyb_device_view_part(d->memory.matrix, h->ii, run.from, h->mp,
                                run.count);
}

/* The functions of every device's place. */
extern const hyb_place_t hyb_place_device;

/* ---- device_queued.c ----------------------------------------------------- */

/* End the job if `status` says that the device is lost, or refuses: its columns
 * are gone. */
void hyb_place_require_ok(const hyb_place_device_t *d, xh_status_t status);

/* Wait until all that is queued has run; a device that takes too long has
 * failed. */
xh_status_t hyb_place_drain(const hyb_place_device_t *d);

/*
 * Has everything before `event` on its queue run? It could run since `since`. A
 * device that takes much longer than the setting `stall_seconds` and its queued
 * work allow counts as stalled.
 */
bool hyb_place_has_run(const hyb_place_device_t *d, hyb_event_t *event,
                       double since);

/*
 * Note work of `flop`, which is complete when everything queued on `queue` now
 * has run: then the ledger learns that the device's blocks among `blocks` have
 * advanced by `stages`. Returns the number of the work.
 */
int hyb_place_note(hyb_place_device_t *d, hyb_block_range_t blocks,
                   int64_t stages, double flop, hyb_queue_t *queue);

/* The place's function copy. */
void hyb_place_copy(hyb_place_t *place, int64_t row, int64_t col, int way,
                    xh_view_t elsewhere);

/* ---- device_spans.c: what its queues did, and when ------------------------
 */

/* What a span's amount counts. */
typedef enum {
    HYB_SPAN,         /* nothing */
    HYB_SPAN_PRODUCT, /* flop */
    HYB_SPAN_UP,      /* bytes, of copies to the device alone, */
    HYB_SPAN_DOWN     /* or from it */
} hyb_span_t;

/*
 * Create d->spans for d's queues. Begin before the loop; this waits for the
 * device.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_spans_create(hyb_place_device_t *d);
xh_status_t hyb_place_spans_begin(hyb_place_device_t *d);
void hyb_place_spans_destroy(hyb_place_device_t *d);

/* Whatever is queued on `queue` between these two calls is a span `name`, in
 * static memory: homes.devices.did counts it, and the trace shows it. */
void hyb_place_span(hyb_place_device_t *d, hyb_queue_t *queue,
                    const char *name);
void hyb_place_span_end(hyb_place_device_t *d, hyb_queue_t *queue,
                        hyb_span_t kind, double amount);

/* Queue one operation of an update in a span of its own. */
typedef xh_status_t (*hyb_place_update_fn_t)(const hyb_place_panel_t *panel,
                                             const hyb_place_part_t *part);
xh_status_t hyb_place_in_span(hyb_place_device_t *d, const char *name,
                              hyb_place_update_fn_t operation,
                              const hyb_place_panel_t *panel,
                              const hyb_place_part_t *part);

/* Count the spans that have run. */
void hyb_place_spans_poll(hyb_place_device_t *d);

/* Where rows of a parcel are on this device. */
typedef struct {
    const hyb_parcel_t *parcel;
    int64_t guest; /* the guest whose rows they are; negative: rows of all
                      columns that live here, or of L2 */
    hyb_device_view_t columns;             /* from the panel's first row on */
    hyb_device_view_t gathered, displaced; /* packed: columns x jb */
} hyb_place_rows_t;

/* ---- device_wide.c: panels, one or several at once -------------------------
 */

/*
 * Create d->wide, with memory from double number `at` of the device's memory
 * on, and from `host` on.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_wide_create(hyb_place_device_t *d, int64_t at,
                                  double *host);
void hyb_place_wide_destroy(hyb_place_device_t *d);

/* Where L2 of panel k stands here if it came up, for any P. */
hyb_device_view_t hyb_place_l2(const hyb_place_device_t *d, int k);

/* Fill in where the panel of `h` stands on this process. */
void hyb_place_locate_panel(hyb_place_panel_t *panel, const HPL_T_panel *h);

/* Fill `lists`, pinned and as long as panel->lists, with the rows that `h`
 * moves here, and queue their way up on the queue link. */
xh_status_t hyb_place_send_lists(const hyb_place_device_t *d,
                                 hyb_place_panel_t *panel, HPL_T_panel *h,
                                 int64_t *lists);

/* Panels from .. to - 1 as one panel here, as hyb_wide_panel has them. */
hyb_place_panel_t *hyb_place_panels(hyb_place_device_t *d, int from, int to);

/*
 * Widen: queue on link the lists of the panels up to k as one. Follow: queue on
 * compute, once the lists and panel k have come up, that rows of earlier panels
 * follow.
 */
xh_status_t hyb_place_widen(hyb_place_device_t *d, int k);
xh_status_t hyb_place_follow(hyb_place_device_t *d, int k);

/*
 * P > 1, where rows follow as a parcel: L2 of the panels before k in its group,
 * from panel k's first row on; where these rows are once they are rows of L1.
 * Followed: note that the rows have followed, for work queued behind.
 */
hyb_device_view_t hyb_place_l2_before(const hyb_place_device_t *d, int k);
hyb_device_view_t hyb_place_l1_before(const hyb_place_device_t *d, int k);
xh_status_t hyb_place_followed(hyb_place_device_t *d, int k);

/*
 * Queue on link: wait until earlier panels have followed panel k, before
 * another panel takes its memory. A device without columns to update may be
 * late.
 */
xh_status_t hyb_place_wait_followed(hyb_place_device_t *d, int k);

/* ---- device_rows.c: rows that travel, P > 1 ------------------------------ */

hyb_place_rows_t hyb_place_rows(const hyb_place_device_t *d,
                                const hyb_parcel_t *parcel);

/*
 * Queue: rows leave for the parcel's buffers, on the queue leave; rows that
 * came go up from there, and with `mine_too` this process's rows, if they are
 * not here; all rows go to their places, rows of U to `u`.
 */
xh_status_t hyb_place_queue_gather(hyb_place_device_t *d,
                                   const hyb_place_rows_t *rows);
xh_status_t hyb_place_queue_receive(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows,
                                    bool mine_too);
xh_status_t hyb_place_queue_scatter(hyb_place_device_t *d, hyb_queue_t *queue,
                                    const hyb_place_rows_t *rows,
                                    hyb_device_view_t u);

/* ---- device_apply.c: panels are applied to columns ------------------------
 */

/*
 * Queue the application of panels from .. to - 1 to `part`, whose u has room
 * for some columns at a time. The panels are a whole group, or one panel with
 * all before it in its group, or, if P = 1, are applied one after another. Adds
 * to *flop_p.
 *
 * rows  in  P > 1: the part's rows, which have come; else NULL
 */
xh_status_t hyb_place_apply_panels(hyb_place_device_t *d,
                                   const hyb_place_part_t *part,
                                   const hyb_place_rows_t *rows, int from,
                                   int to, double *flop_p);

/* ---- device_visits.c ----------------------------------------------------- */

/*
 * Create d's seats, and queues for them, with memory from double number `at` of
 * the device's memory on.
 * Errors: XH_ERR_MEMORY, XH_ERR_DEVICE
 */
xh_status_t hyb_place_seats_create(hyb_place_device_t *d, int64_t at);
void hyb_place_seats_destroy(hyb_place_device_t *d);

/*
 * Queue that a guest comes, if it is not here, and that panels from .. to - 1
 * are applied to it; adds to *flop_p. Returns false if no seat is free, or if
 * the guest is just going home. The guest's way home is queued, too, unless it
 * is the next panel: then it stays, and hyb_place_start_next_panel goes on with
 * it.
 */
bool hyb_place_visit(hyb_place_device_t *d, const hyb_step_t *step,
                     int64_t block, int from, int to, double *flop_p);

/* Queue on leave: rows of the parcel's guests that are here. */
xh_status_t hyb_place_guests_leave(hyb_place_device_t *d,
                                   const hyb_parcel_t *parcel);

/* The place's function has_guest. */
bool hyb_place_has_guest(const hyb_place_t *place, int64_t block);

/* Queue that `block`, whose rows the team swapped and solved for panel k,
 * comes, is multiplied, and goes home. A seat is free. */
void hyb_place_multiply_visitor(hyb_place_device_t *d, int k, int64_t block);

/* The place's function has_room. */
bool hyb_place_has_room(const hyb_place_t *place, int k);

/* Is `block` a guest that is here? */
bool hyb_place_is_visited(const hyb_place_device_t *d, int64_t block);

/* Panel k from its first row on, in a guest's seat or in the matrix. */
hyb_device_view_t hyb_place_panel_columns(const hyb_place_device_t *d, int k);

/*
 * Seat: bring the guest that becomes panel k here before the loop begins with
 * it. Clear: after the loop, send home all guests that are still here, and
 * wait.
 */
xh_status_t hyb_place_seat_panel(hyb_place_device_t *d, int k);
xh_status_t hyb_place_clear_seats(hyb_place_device_t *d);

/* Panel k, which sits here, is factored: queue a copy of L2 to where it is
 * kept, and the way home of U's rows above it. */
xh_status_t hyb_place_keep_panel(hyb_place_device_t *d, int k);

/* A visit is over: the seat is free. */
void hyb_place_seat_free(hyb_place_device_t *d, int seat);

/* ---- device_panel.c: panels that live here ------------------------------- */

/* Queue: panel k comes down to pinned memory, once its columns are computed. */
xh_status_t hyb_place_fetch_panel(hyb_place_device_t *d, int k);

/*
 * The application of `panels` panels, the last of them step's, to `blocks` is
 * queued. If they are the next panel's columns, they can be factored here, or
 * come down.
 */
void hyb_place_start_next_panel(hyb_place_device_t *d, const hyb_step_t *step,
                                hyb_block_range_t blocks, int panels,
                                double flop);

/* The place's functions of the same names. */
void hyb_place_factor_panel(hyb_place_t *place, int k,
                            hyb_panel_agree_fn_t agree, void *context);
xh_view_t hyb_place_take_panel(hyb_place_t *place, int k, int64_t *pivots);
double hyb_place_panel_seconds(hyb_place_t *place);

/* ---- device_guard.c: with check columns, else nothing is done -------------
 */

/*
 * Create d->guard, with memory from double number `at` of the device's memory
 * on, and from `host` on. Begin before the loop, once lu has check columns.
 * Errors: XH_ERR_MEMORY
 */
xh_status_t hyb_place_guard_create(hyb_place_device_t *d, int64_t at,
                                   double *host);
void hyb_place_guard_begin(hyb_place_device_t *d);

/*
 * Queue: the part of the rows' sums that is in panel k's columns, before they
 * are factored or come down. Took: once the panel is known, hand the sums to
 * lu's check columns.
 */
xh_status_t hyb_place_guard_queue_panel_sums(hyb_place_device_t *d, int k);
void hyb_place_guard_take_panel_sums(hyb_place_device_t *d, int k, int64_t jb);

/*
 * Queue sums of L2 for its seal: behind the factorization of panel k; behind
 * what came up of panel k, and of `l1`, jb x jb without gaps, or empty; for
 * each panel of a group before its memory is given up. Sealed: the sums have
 * come down.
 */
xh_status_t hyb_place_guard_queue_factored_seal(hyb_place_device_t *d, int k,
                                                hyb_device_view_t l2);
xh_status_t hyb_place_guard_queue_received_seal(hyb_place_device_t *d, int k,
                                                xh_view_t l1);
xh_status_t hyb_place_guard_queue_last_seal(hyb_place_device_t *d, int group);
void hyb_place_guard_compare_seals(hyb_place_device_t *d, int k, bool given_up);

/* Rows of L2 have left as `parcel` says, and others have come: update the
 * seals. */
void hyb_place_guard_update_seals(hyb_place_device_t *d,
                                  const hyb_parcel_t *parcel);

/* If rows are compared after panel k, and its application to all columns is
 * queued: queue the comparison, once. Swept: the sums have come down. */
void hyb_place_guard_queue_comparison(hyb_place_t *place, int k);
void hyb_place_guard_finish_comparison(hyb_place_device_t *d, int k);

/* ---- device_parcels.c ---------------------------------------------------- */

/* The place's functions send_rows, has_sent_rows and put_rows. */
void hyb_place_send_rows(hyb_place_t *place, hyb_parcel_t *parcel);
bool hyb_place_has_sent_rows(hyb_place_t *place);
void hyb_place_put_rows(hyb_place_t *place, const hyb_parcel_t *parcel);
