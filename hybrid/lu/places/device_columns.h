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

/* The place of one device from inside: place_device.c and device_*.c. */

/*
 * Wide panels, where groups have more than one panel. L2 of a group's
 * panels stand side by side, over the rows of the matrix; rows of earlier ones
 * follow the interchanges of later ones. So each panel with all before it in
 * its group is a wide one, in the end the whole group.
 */
typedef struct {
    hyb_place_panel_t panel[HYB_WIDE_SLOTS]; /* as hyb_groups_slot counts */
    hyb_block_t l1[HYB_SLOTS];               /* of group g, at g % HYB_SLOTS */
    hyb_event_t *whole;                      /* the group that closed last is */
    int64_t *lists;   /* pinned: on their way to the device */
    uint32_t without; /* panels of the group whose L1 has no inverses */
} hyb_place_wide_t;

/* Columns are counted on the device: those of its blocks, one after the other.
 */
typedef struct {
    hyb_place_t base;
    int number;       /* of the place; the device's in the machine is 1 less */
    int64_t nb;       /* columns of a panel */
    int64_t *columns; /* before local block b of those that live here, by b */
    hyb_device_t *device;
    hyb_device_info_t info;
    struct {
        hyb_queue_t *compute, *link, *leave, *factor;
        hyb_queue_t *arrive, *guests; /* NULL without seats, guests */
    } queue;
    struct {
        hyb_event_t *computed, *copied; /* the next panel's columns */
        hyb_event_t *begun, *down; /* its factorization, or its way down; both
                                      end when it is in host. While columns are
                                      agreed on: the last one's proposal */
        hyb_event_t *arrived;      /* rows of other processes */
        hyb_event_t *kept;         /* a guest's L2, once it is factored */
    } event;
    struct { /* of the device */
        hyb_buffer_t *buffer;
        hyb_block_t matrix; /* mp x all columns */
        hyb_block_t u;      /* nb x the same, or more: rows on their way to
                               the top, before they are solved */
        hyb_block_t l[HYB_SLOTS]; /* mp x a group's columns: its L2 */
        hyb_block_t x, y;         /* vectors of the back-substitution */
        hyb_block_t pivots;   /* a list: of the panel being factored, P = 1; */
        hyb_block_t proposed; /* P > 1: of its column, */
        hyb_block_t pivot_rows; /* and its L1 where the top is elsewhere */
        int64_t packed_u,
            packed;    /* P > 1: offsets of rows that travel, nb x
                          all columns: of U, displaced; behind them, */
        int64_t slots; /* so far, slots of parcels */
    } memory;
    hyb_place_panel_t panel[HYB_SLOTS]; /* k at k % HYB_SLOTS */
    hyb_place_wide_t wide;
    struct hyb_place_seat *seat; /* of columns that come */
    int seats;
    int came, comes; /* panels: the last that was sent here; that is sent once
                        its L2 is there in columns, or -1 */
    struct {
        struct {
            hyb_event_t *done;
            hyb_block_range_t blocks; /* those that it completes here */
            int64_t stages;           /* that they go on */
            int swept;  /* iteration whose rows came down to be compared, or -1
                         */
            int sealed; /* panel whose seal is compared, or -1: when it came, */
            bool given_up; /* or as it is given up */
            int seat;      /* that is free then, or -1 */
            int visits;    /* with this panel, for one product; or -1 */
            bool under_way;
            double flop, since; /* since when it, or the work before it, can
                                   run */
        } * work;
        int count;
        int next;          /* that is noted next */
        int products;      /* works with any that have not run; */
        double idle_since; /* without, since then */
        int sending; /* P > 1: the work by which a group's rows leave, or -1 */
        double pace; /* s a flop of the slowest work so far, or a guess */
    } queued;
    struct {
        double *pinned; /* the panel that comes down, row lists, and L1 */
        double *l1;     /* HYB_SLOTS of nb x nb, there */
        int64_t *rows;  /* HYB_SLOTS x HYB_ROW_LISTS x nb, there, */
        size_t bytes, body_bytes;
        double *body;     /* the one that comes down factored, there or not, */
        double *l1_down;  /* nb x nb: its L1, */
        int64_t *pivot;   /* nb: its pivots */
        double *proposal; /* P > 1: what is agreed on, in host and there */
    } host;
    double stall_seconds;          /* the setting: each poll asks for it */
    struct hyb_place_guard *guard; /* with check columns, else NULL */
    struct hyb_place_spans *spans;
} hyb_place_columns_t;

static inline hyb_place_panel_t *hyb_place_panel(hyb_place_columns_t *d, int k)
{
    return &d->panel[k % HYB_SLOTS];
}

/* Does block b live there? */
static inline bool hyb_place_holds(const hyb_place_columns_t *d, int64_t b)
{
    return d->columns[b + 1] > d->columns[b];
}

/* Does the device take no part? */
static inline bool hyb_place_is_idle(const hyb_place_columns_t *d)
{
    return d->memory.buffer == NULL;
}

/* The columns of its blocks among these. */
static inline hyb_run_t hyb_place_run(const hyb_place_columns_t *d,
                                      hyb_block_range_t blocks)
{
    return (hyb_run_t){d->columns[blocks.from],
                       d->columns[blocks.to] - d->columns[blocks.from]};
}

/* Was panel k factored here? Then L2 stands in the matrix. */
static inline bool hyb_place_factored(const hyb_place_columns_t *d, int k)
{
    return hyb_lu_panel(d->base.lu, k)->by_device &&
           hyb_lu_panel_home(d->base.lu, k) == &d->base;
}

/* From panel h's first row on. */
static inline hyb_block_t hyb_place_trailing(const hyb_place_columns_t *d,
                                             const HPL_T_panel *h,
                                             hyb_run_t run)
{
    return hyb_block_part(d->memory.matrix, h->ii, run.from, h->mp, run.count);
}

/* The functions of every device's place. */
extern const hyb_place_t hyb_place_device;

/* ---- device_queued.c ----------------------------------------------------- */

/* The device is lost, or refuses: its columns are gone, and the job ends. */
void hyb_place_check(const hyb_place_columns_t *d, xh_status_t status);

/* Wait for all that is queued; a device that takes too long has failed. */
xh_status_t hyb_place_settle(const hyb_place_columns_t *d);

/* Has what is before event on its queue run? It can run since then; a device
 * that takes much longer than the setting and what is queued allow is taken
 * for stalled. */
bool hyb_place_has_run(const hyb_place_columns_t *d, hyb_event_t *event,
                       double since);

/*
 * Remember work of so many flop, complete when what is queued on queue now has
 * run: the ledger then learns that the device's blocks among these have gone on
 * by so many stages. Returns its number.
 */
int hyb_place_note(hyb_place_columns_t *d, hyb_block_range_t blocks,
                   int64_t stages, double flop, hyb_queue_t *queue);

/* The function copy of places. */
void hyb_place_copy(hyb_place_t *place, int64_t row, int64_t col, int way,
                    xh_view_t elsewhere);

/* ---- device_spans.c: what its queues did, and when ------------------------
 */

/* What a span's amount is. */
typedef enum {
    HYB_SPAN,         /* nothing */
    HYB_SPAN_PRODUCT, /* flop */
    HYB_SPAN_UP,      /* bytes of nothing but copies to the device, */
    HYB_SPAN_DOWN     /* or from it */
} hyb_span_t;

/* d->spans, for its queues. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE. Before the
 * loop: begin, which waits for the device. */
xh_status_t hyb_place_spans_create(hyb_place_columns_t *d);
xh_status_t hyb_place_spans_begin(hyb_place_columns_t *d);
void hyb_place_spans_destroy(hyb_place_columns_t *d);

/* What is queued on queue between these two is name, in static memory: it is
 * counted in homes.devices.did, and in the trace. */
void hyb_place_span(hyb_place_columns_t *d, hyb_queue_t *queue,
                    const char *name);
void hyb_place_span_end(hyb_place_columns_t *d, hyb_queue_t *queue,
                        hyb_span_t kind, double amount);

/* Queue one operation of an update in a span of its own. */
typedef xh_status_t (*hyb_place_update_fn_t)(const hyb_place_panel_t *panel,
                                             const hyb_place_part_t *part);
xh_status_t hyb_place_in_span(hyb_place_columns_t *d, const char *name,
                              hyb_place_update_fn_t operation,
                              const hyb_place_panel_t *panel,
                              const hyb_place_part_t *part);

/* Take in what has run. */
void hyb_place_spans_poll(hyb_place_columns_t *d);

/* Where rows of a parcel are here. */
typedef struct {
    const hyb_parcel_t *parcel;
    int64_t guest; /* whose; or less than 0: of all columns that live here, or
                      of L2 */
    hyb_block_t columns;             /* from the panel's first row on */
    hyb_block_t gathered, displaced; /* packed: columns x jb */
} hyb_place_rows_t;

/* ---- device_wide.c: panels, one or several at once -------------------------
 */

/* d->wide, with room from double number at on of the device's memory, and of
 * the host's. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_place_wide_create(hyb_place_columns_t *d, int64_t at,
                                  double *host);
void hyb_place_wide_destroy(hyb_place_columns_t *d);

/* Where L2 of panel k stands there if it has come up, P = 1 or not. */
hyb_block_t hyb_place_l2(const hyb_place_columns_t *d, int k);

/* Where the panel of h stands on this process. */
void hyb_place_locate_panel(hyb_place_panel_t *panel, const HPL_T_panel *h);

/* Fill lists, pinned, as many numbers as panel->lists has, with the rows that h
 * moves here, and queue their way up, on link. */
xh_status_t hyb_place_send_lists(const hyb_place_columns_t *d,
                                 hyb_place_panel_t *panel, HPL_T_panel *h,
                                 int64_t *lists);

/* Panels from .. to - 1 as one there: as hyb_wide_panel has them. */
hyb_place_panel_t *hyb_place_panels(hyb_place_columns_t *d, int from, int to);

/* Queue, on link: lists of the panels up to k together. On compute, once that
 * and panel k have come: rows of earlier ones follow. */
xh_status_t hyb_place_widen(hyb_place_columns_t *d, int k);
xh_status_t hyb_place_follow(hyb_place_columns_t *d, int k);

/* P > 1, where rows follow as a parcel: those of L2 of the panels before k in
 * its group, from panel k's first one on, and where they are rows of L1 then.
 * They have: for what is queued behind. */
hyb_block_t hyb_place_l2_before(const hyb_place_columns_t *d, int k);
hyb_block_t hyb_place_l1_before(const hyb_place_columns_t *d, int k);
xh_status_t hyb_place_followed(hyb_place_columns_t *d, int k);

/* Queue, on link: wait until they have followed panel k, before another one
 * takes its place. A device without columns to update may be late. */
xh_status_t hyb_place_wait_followed(hyb_place_columns_t *d, int k);

/* ---- device_rows.c: rows that travel, P > 1 ------------------------------ */

hyb_place_rows_t hyb_place_rows(const hyb_place_columns_t *d,
                                const hyb_parcel_t *parcel);

/*
 * Queue: rows leave for the parcel's buffers, on leave; those that came, and
 * mine where they are not here, come from there; and go to their places, those
 * of U to u.
 */
xh_status_t hyb_place_rows_leave(hyb_place_columns_t *d,
                                 const hyb_place_rows_t *rows);
xh_status_t hyb_place_rows_come(hyb_place_columns_t *d, hyb_queue_t *queue,
                                const hyb_place_rows_t *rows, bool mine_too);
xh_status_t hyb_place_rows_settle(hyb_place_columns_t *d, hyb_queue_t *queue,
                                  const hyb_place_rows_t *rows, hyb_block_t u);

/* ---- device_meet.c: columns meet panels ---------------------------------- */

/*
 * Queue for part, whose u is room for some columns at a time: it meets panels
 * from .. to - 1, which are all of a group, or some with all before them, or,
 * P = 1, one after the other. Adds to flop.
 *
 * rows  in  P > 1: its rows, which have come; else NULL
 */
xh_status_t hyb_place_apply(hyb_place_columns_t *d,
                            const hyb_place_part_t *part,
                            const hyb_place_rows_t *rows, int from, int to,
                            double *flop_p);

/* ---- device_visits.c ----------------------------------------------------- */

/* d's seats, and queues for them, with room from double number at on of the
 * device's memory. Errors: XH_ERR_MEMORY, XH_ERR_DEVICE */
xh_status_t hyb_place_seats_create(hyb_place_columns_t *d, int64_t at);
void hyb_place_seats_destroy(hyb_place_columns_t *d);

/*
 * A guest comes, if it is not here, and is queued to meet panels from .. to -
 * 1: so many flop. Returns false if no seat is free, or if it is just going
 * home. All that follows is
 * queued, too, unless it is the next panel: then it stays, and
 * hyb_place_has_met goes on with it.
 */
bool hyb_place_visit(hyb_place_columns_t *d, const hyb_step_t *step,
                     int64_t block, int from, int to, double *flop_p);

/* Queue, on leave: rows of parcel's guests that are here. */
xh_status_t hyb_place_guests_leave(hyb_place_columns_t *d,
                                   const hyb_parcel_t *parcel);

/* The function has_guest of places. */
bool hyb_place_has_guest(const hyb_place_t *place, int64_t block);

/* Block, whose rows the team swapped and solved for panel k, comes, is
 * multiplied, and goes home. A seat is free. */
void hyb_place_multiply_visitor(hyb_place_columns_t *d, int k, int64_t block);

/* The function has_room of places. */
bool hyb_place_has_room(const hyb_place_t *place, int k);

/* Is block a guest that is here? */
bool hyb_place_is_visited(const hyb_place_columns_t *d, int64_t block);

/* Panel k, from its first row on: a guest's, or the matrix's. */
hyb_block_t hyb_place_panel_columns(const hyb_place_columns_t *d, int k);

/* The guest that becomes panel k comes, before the loop begins with it. All
 * guests that are still here go home, once the loop is over: waits. */
xh_status_t hyb_place_seat_panel(hyb_place_columns_t *d, int k);
xh_status_t hyb_place_clear_seats(hyb_place_columns_t *d);

/* Panel k, which sits here, is factored: queue a copy of L2 to where it is kept
 * and the way home of U's rows above it. */
xh_status_t hyb_place_keep_panel(hyb_place_columns_t *d, int k);

/* A visit is over, and the seat is free. */
void hyb_place_seat_free(hyb_place_columns_t *d, int seat);

/* ---- device_panel.c: panels that live here ------------------------------- */

/* Queue: panel k comes down to pinned memory, once its columns are computed. */
xh_status_t hyb_place_fetch_panel(hyb_place_columns_t *d, int k);

/* Blocks are queued to meet so many panels, the last of them step's. If they
 * are the next panel's they can be factored here, or come down. */
void hyb_place_has_met(hyb_place_columns_t *d, const hyb_step_t *step,
                       hyb_block_range_t blocks, int panels, double flop);

/* Places' functions of the same names. */
void hyb_place_factor_panel(hyb_place_t *place, int k,
                            hyb_panel_agree_fn_t agree, void *context);
xh_view_t hyb_place_take_panel(hyb_place_t *place, int k, int64_t *pivots);
double hyb_place_panel_seconds(hyb_place_t *place);

/* ---- device_guard.c: with check columns, else nothing is done -------------
 */

/* d->guard, of the device's memory from double number at on, and of host's.
 * Errors: XH_ERR_MEMORY. Before the loop, once lu has check columns: begin. */
xh_status_t hyb_place_guard_create(hyb_place_columns_t *d, int64_t at,
                                   double *host);
void hyb_place_guard_begin(hyb_place_columns_t *d);

/* Queue: the part of rows that is in panel k's columns, as these are to be
 * factored or to come down. Once the panel is known it is taken to lu's. */
xh_status_t hyb_place_guard_panel(hyb_place_columns_t *d, int k);
void hyb_place_guard_took(hyb_place_columns_t *d, int k, int64_t jb);

/* Queue: sums of L2 for its seal, behind the factorization of panel k; behind
 * what came up of it, and of l1 beside, jb x jb without gaps, or none, that
 * came up; of each panel of a group before its place is given to another. They
 * have come down. */
xh_status_t hyb_place_guard_factored(hyb_place_columns_t *d, int k,
                                     hyb_block_t l2);
xh_status_t hyb_place_guard_came(hyb_place_columns_t *d, int k, xh_view_t l1);
xh_status_t hyb_place_guard_give_up(hyb_place_columns_t *d, int group);
void hyb_place_guard_sealed(hyb_place_columns_t *d, int k, bool given_up);

/* Rows of L2 have left as parcel says, and others have come: its seals, too. */
void hyb_place_guard_moved(hyb_place_columns_t *d, const hyb_parcel_t *parcel);

/* If rows are compared after panel k, and all columns are queued to meet it:
 * queue that, once. They have come down. */
void hyb_place_guard_sweep(hyb_place_t *place, int k);
void hyb_place_guard_swept(hyb_place_columns_t *d, int k);

/* ---- device_parcels.c ---------------------------------------------------- */

/* The functions send_rows, has_sent_rows and put_rows of places. */
void hyb_place_send_rows(hyb_place_t *place, hyb_parcel_t *parcel);
bool hyb_place_has_sent_rows(hyb_place_t *place);
void hyb_place_put_rows(hyb_place_t *place, const hyb_parcel_t *parcel);
