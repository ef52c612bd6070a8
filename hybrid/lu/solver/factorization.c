/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/solver/factorization.h"

#include <math.h>
#include <string.h>
#include "base/integers.h"
#include "base/settings.h"
#include "hpl/pauxil/abort.h"
#include "hpl/solver/system.h"
#include "hybrid/lu/checkpoint/checkpoint.h"
#include "hybrid/lu/guard/check_columns.h"
#include "hybrid/lu/loop/loop.h"
#include "hybrid/lu/loop/tuner.h"
#include "hybrid/lu/messages/exchange.h"
#include "hybrid/lu/panel/panel.h"
#include "hybrid/lu/panel/panel_choice.h"
#include "hybrid/lu/panel/wide.h"
#include "hybrid/lu/places/place_device.h"
#include "hybrid/lu/places/places.h"
#include "hybrid/lu/places/visits.h"
#include "hybrid/lu/state/groups.h"
#include "hybrid/lu/state/homes.h"
#include "hybrid/lu/state/ledger.h"
#include "hybrid/lu/state/lu.h"
#include "hybrid/lu/state/resources.h"
#include "hybrid/lu/state/timer.h"
#include "hybrid/lu/state/worker.h"
#include "hybrid/lu/tune/dealing.h"
#include "hybrid/lu/tune/residence.h"

/* ---- create and destroy -------------------------------------------------- */

static xh_status_t create_ledger(hyb_lu_t *lu)
{
    const HPL_T_pmat *mat = lu->mat;
    hpl_map_t map = hpl_map_columns(lu->grid, mat->nb);
    hpl_shape_t shape = hpl_system_shape(lu->grid, mat->n, mat->nb);

    return hyb_ledger_create(
        hpl_map_count(&map, mat->n), hpl_map_owner(&map, mat->n) == map.me,
        mat->nb, hyb_deal_checked(&lu->resources, &shape), &lu->ledger);
}

static xh_status_t create_groups(hyb_lu_t *lu)
{
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);
    hyb_grouping_t how = {.width = 1};

    if (lu->resources.resident)
        how = hyb_residence_grouping(&lu->resources.figures, &shape);
    how.every =
        lu->resources.checked ? (int)xh_settings_int("verify_every") : 0;
    return hyb_groups_create(lu->range.panels, how, &lu->groups);
}

/* Register what the leader polls, and what the other threads do while they
 * wait. */
static void register_polls(hyb_lu_t *lu)
{
    lu->assist = hyb_exchange_assist;
    lu->help = hyb_update_help;
    hyb_poller_add(&lu->poller, hpl_abort_if_wanted, NULL);
    hyb_poller_add(&lu->poller, hyb_panel_poll, lu);
    if (lu->grid->nprow > 1)
        hyb_poller_add(&lu->poller, hyb_exchange_poll, lu);
    if (lu->homes.places > 1)
        hyb_poller_add(&lu->poller, hyb_update_poll, lu);
    if (lu->visits != NULL)
        hyb_poller_add(&lu->poller, hyb_visits_poll, lu);
}

/* Pin the host memory that devices access beside the matrix: L2 of panels, and
 * rows that are exchanged. */
static void pin(hyb_lu_t *lu)
{
    hyb_machine_t *machine = lu->resources.machine;
    size_t bytes;
    double *memory;

    if (hyb_machine_working_devices(machine) == 0)
        return;
    for (int i = 0; (memory = hyb_l2_memory(lu, i, &bytes)) != NULL; i++)
        hyb_machine_pin_flat(machine, memory, bytes);
    if ((memory = hyb_exchange_memory(lu->exchange, &bytes)) != NULL)
        hyb_machine_pin_flat(machine, memory, bytes);
}

static void unpin(hyb_lu_t *lu)
{
    hyb_machine_t *machine = lu->resources.machine;
    size_t bytes;
    double *memory;

    if (hyb_machine_devices(machine) == 0)
        return;
    for (int i = 0; (memory = hyb_l2_memory(lu, i, &bytes)) != NULL; i++)
        hyb_machine_unpin(machine, memory);
    hyb_machine_unpin(machine, hyb_exchange_memory(lu->exchange, &bytes));
}

static xh_status_t create_all(hyb_lu_t *lu)
{
    XH_TRY(create_groups(lu));
    XH_TRY(create_ledger(lu));
    XH_TRY(hyb_tuner_create(lu));
    XH_TRY(hyb_panel_choice_create(lu));
    XH_TRY(hyb_workers_create(lu));
    XH_TRY(hyb_places_deal(lu));
    XH_TRY(hyb_wide_create(lu));
    XH_TRY(hyb_exchange_create(lu));
    XH_TRY(hyb_panels_create(lu));
    pin(lu);
    XH_TRY(hyb_places_create(lu));
    XH_TRY(hyb_visits_create(lu));
    XH_TRY(hyb_check_columns_create(lu));
    register_polls(lu);
    return XH_OK;
}

xh_status_t hyb_factorization_prepare(const hyb_resources_t *resources,
                                      HPL_T_grid *grid, HPL_T_palg *algo,
                                      HPL_T_pmat *mat, hyb_lu_t **lu_p)
{
    hyb_lu_t *lu = calloc(1, sizeof(*lu));
    xh_status_t status;

    if (lu == NULL)
        return XH_ERR_MEMORY;
    lu->grid = grid;
    lu->algo = algo;
    lu->mat = mat;
    lu->resources = *resources;
    lu->advice = "";
    lu->range.panels = (int)xh_units(mat->n, mat->nb);
    atomic_store(&lu->range.end, lu->range.panels);
    status = create_all(lu);
    if (status == XH_OK)
        *lu_p = lu;
    else
        hyb_factorization_free(lu);
    return status;
}

void hyb_factorization_free(hyb_lu_t *lu)
{
    if (lu == NULL)
        return;
    hyb_checkpoint_destroy(lu->checkpoint);
    hyb_check_columns_destroy(lu->check);
    hyb_visits_destroy(lu->visits);
    hyb_places_destroy(lu);
    unpin(lu);
    hyb_panels_destroy(lu);
    hyb_exchange_destroy(lu->exchange);
    hyb_wide_destroy(lu);
    hyb_workers_destroy(lu);
    hyb_panel_choice_destroy(lu->homes.choice);
    hyb_tuner_destroy(lu->tuner);
    hyb_ledger_destroy(&lu->ledger);
    hyb_groups_destroy(&lu->groups);
    free(lu);
}

/* ---- the run ------------------------------------------------------------- */

/* Sum what all devices were given so far. */
static hyb_traffic_t traffic(const hyb_machine_t *machine)
{
    hyb_traffic_t sum = {0};

    for (int i = 0; i < hyb_machine_devices(machine); i++) {
        hyb_traffic_t one = hyb_device_traffic(hyb_machine_device(machine, i));

        sum.in += one.in;
        sum.out += one.out;
        sum.operations += one.operations;
    }
    return sum;
}

/* Run the loop over the panels of the range. */
static void run_range(hyb_lu_t *lu)
{
    hyb_panel_open(lu, lu->range.first);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->begin(lu->homes.place[i]);
    hyb_team_run(lu->resources.team, hyb_loop, lu);
    for (int i = 1; i < lu->homes.places; i++)
        lu->homes.place[i]->end(lu->homes.place[i]);
}

void hyb_factorization_run(hyb_lu_t *lu)
{
    hyb_observer_t *observer = &lu->resources.observer;

    hyb_visits_agree(lu);
    observer->grid = lu->grid;
    observer->n = lu->mat->n;
    observer->nb = lu->mat->nb;
    observer->iterations = lu->range.panels;
    observer->members = hyb_team_size(lu->resources.team);
    observer->worker = lu->worker;
    observer->devices = lu->homes.places - 1;
    observer->did = lu->homes.devices.did;
    observer->begin(observer);
    if (lu->range.first == 0)
        lu->mat->info = 0;
    lu->homes.devices.before = traffic(lu->resources.machine);
    lu->homes.devices.most_operations = 0;
    hyb_check_columns_begin(lu->check, lu->range.first);
    hyb_places_agree(lu);
    hyb_checkpoint_begin(lu->checkpoint);
    lu->advice = hyb_checkpoint_advice();
    if (lu->range.panels > 0) {
        do
            run_range(lu);
        while (hyb_checkpoint_pause(lu));
    }
    observer->end();
}

bool hyb_factorization_is_over(const hyb_lu_t *lu)
{
    return hyb_lu_is_open(lu, lu->range.first);
}

/* Return the planned traffic if all columns live on devices, else NAN: tiles
 * come and go as measured rates decide. */
static void plan_traffic(const hyb_lu_t *lu, double *up_p, double *down_p)
{
    const hyb_homes_t *h = &lu->homes;
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);

    *up_p = *down_p = NAN;
    if (h->resident && h->team_end == 0)
        hyb_residence_traffic(
            &shape, h, &lu->groups, lu->resources.device_mpi && h->places == 2,
            hyb_panel_choice_was_device(h->choice), up_p, down_p);
}

/* Add the bytes that crossed the links of this process, the planned bytes, and
 * the number of operations. */
static void add_traffic(const hyb_lu_t *lu, hpl_work_t *work)
{
    const hyb_traffic_t *before = &lu->homes.devices.before;
    hyb_traffic_t now = traffic(lu->resources.machine);

    work->link_up = (double)(now.in - before->in);
    work->link_down = (double)(now.out - before->out);
    work->operations = (int64_t)(now.operations - before->operations);
    work->iteration_operations = (int64_t)lu->homes.devices.most_operations;
    plan_traffic(lu, &work->planned_up, &work->planned_down);
}

hpl_work_t hyb_factorization_work(const hyb_lu_t *lu)
{
    const hyb_lap_t all =
        hyb_timer_lap(lu->worker, hyb_team_size(lu->resources.team));
    const double *s = all.team;
    /* as in the diagnosis */
    double seconds = fmax(all.paced_seconds, all.paced_cpu);
    hpl_work_t work = {
        .panel = s[HYB_PANEL],
        .swap = s[HYB_SWAP],
        .solve = s[HYB_SOLVE],
        .update = s[HYB_MULTIPLY],
        .broadcast = s[HYB_BROADCAST],
        .exchange = s[HYB_EXCHANGE],
        .wait = s[HYB_WAIT_PANEL] + s[HYB_WAIT_ROWS] + s[HYB_WAIT_COLUMNS],
        .flop = all.flop + lu->homes.devices.flop,
        .rate = seconds > 0.0 ? all.paced_flop / seconds : NAN,
        .others =
            seconds > 0.0 ? all.run_delay / (all.run_delay + seconds) : 0.0,
        .has_devices = hyb_machine_devices(lu->resources.machine) > 0};

    hyb_check_columns_report(lu->check, &work);
    if (work.has_devices)
        add_traffic(lu, &work);
    return work;
}

int hyb_factorization_device_work(const hyb_lu_t *lu, int most,
                                  hpl_device_work_t *list_p)
{
    int count = Mmin(most, hyb_machine_devices(lu->resources.machine));

    memcpy(list_p, lu->homes.devices.did, (size_t)count * sizeof(*list_p));
    return count;
}

/* ---- the plan ------------------------------------------------------------ */

static void add_row(hpl_plan_t *plan, const char *where, int64_t blocks,
                    double seconds)
{
    int at = plan->rows;

    if (at == HPL_PLAN_ROWS)
        return;
    snprintf(plan->row[at].where, sizeof(plan->row[at].where), "%s", where);
    plan->row[at].blocks = blocks;
    plan->row[at].seconds = seconds;
    plan->rows++;
}

/* Add a row for each place, one for guests, and one for all blocks. */
static void add_places(const hyb_lu_t *lu, const hyb_residence_seconds_t *s,
                       hpl_plan_t *plan)
{
    int devices = hyb_machine_devices(lu->resources.machine);
    int64_t count[HYB_EXECUTORS] = {0}, guests = 0;
    hyb_device_info_t info = {.index = 0};
    char where[24];

    for (int64_t b = 0; b < lu->ledger.blocks; b++) {
        count[hyb_place_number(&lu->homes, b)]++;
        guests += hyb_homes_is_guest(&lu->homes, b);
    }
    add_row(plan, "host", count[0], s->host);
    for (int d = 0; d < Mmin(devices, HPL_PLAN_ROWS / 2); d++) {
        hyb_device_describe(hyb_machine_device(lu->resources.machine, d),
                            &info);
        snprintf(where, sizeof(where), "%.14s:%d", info.backend, info.index);
        add_row(plan, where, count[d + 1], s->devices);
    }
    if (guests > 0)
        add_row(plan, "guests of these", guests, NAN);
    add_row(plan, "all", lu->ledger.blocks, s->total);
}

bool hyb_factorization_plan(const hyb_lu_t *lu, hpl_plan_t *plan_p)
{
    const hyb_residence_figures_t *f = &lu->resources.figures;
    hpl_shape_t shape = hpl_system_shape(lu->grid, lu->mat->n, lu->mat->nb);
    double blocks = (double)Mmax(lu->ledger.blocks, 1);
    double rest = lu->homes.resident ? (double)lu->homes.guests / blocks : 1.0;
    int devices = hyb_machine_devices(lu->resources.machine);
    int lost = devices - hyb_machine_working_devices(lu->resources.machine);
    bool is_known = f->devices > 0.0 && f->rate[0] > 0.0 && lost == 0;
    hyb_residence_seconds_t s = {NAN, NAN, NAN, NAN, NAN, NAN}, on_host = s;
    hpl_plan_t p = {.home = xh_settings_text("home"),
                    .panel = lu->homes.resident
                                 ? hyb_resources_panel(&lu->resources)
                                 : "host",
                    .share = NAN};

    shape.depth = lu->algo->depth;
    if (is_known) {
        s = hyb_residence_predict(f, &shape, rest, lu->homes.guests > 0);
        on_host = hyb_residence_predict(f, &shape, 1.0, false);
    }
    if (lu->homes.takes_visits)
        p.share = s.share;
    add_row(&p, "panels", -1, s.panel);
    add_row(&p, "links", -1, s.link);
    add_places(lu, &s, &p);
    add_row(&p, "all on the host", is_known ? lu->ledger.blocks : -1,
            on_host.total);
    *plan_p = p;
    return devices > 0 && (is_known || lu->homes.resident);
}

/* ---- memory -------------------------------------------------------------- */

uint64_t hyb_factorization_bytes(const hyb_resources_t *resources,
                                 const hpl_shape_t *shape)
{
    int checked = hyb_deal_checked(resources, shape);

    return hyb_workers_bytes(resources, shape->n, shape->nb) +
           hyb_exchange_bytes(resources, shape, checked) +
           hyb_panels_bytes(resources, shape) +
           hyb_check_columns_bytes(resources, shape, checked) +
           hyb_place_device_bytes(resources, shape);
}
