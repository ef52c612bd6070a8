/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/model_private.h"
#include "hybrid/lu/tune/panel_pace.h"
#include "hybrid/lu/tune/residence.h"

#include <math.h>

typedef hyb_model_t model_t;
typedef hyb_model_step_t step_t;

static double devices_of(const model_t *model)
{
    return fmax(model->rates->figures.devices, 1.0);
}

/* ---- ways ---------------------------------------------------------------- */

/* A panel of so many rows on its way to the host and back; or as many rows of
 * a panel's depth, of which those here go, and the others come. */
static double transfer(const model_t *model, double rows)
{
    return rows > 0.0 ? hyb_model_curve_at(&model->width.transfer, rows) : 0.0;
}

/* L2 of m rows in columns: it is read, and written, which reads. */
static double copy(const model_t *model, double m)
{
    double rate = model->rates->sweep;

    return rate > 0.0 ? 3.0 * 8.0 * m * model->test.nb / rate : 0.0;
}

/* Rows of so many columns, each device's by its link, unless MPI takes them
 * from there: P > 1. */
static double rows_way(const model_t *model, double columns)
{
    bool stay =
        model->rates->figures.device_mpi > 0.0 && devices_of(model) == 1.0;

    return model->test.nprow > 1 && !stay ? transfer(model, columns) : 0.0;
}

/* ---- where columns live -------------------------------------------------- */

void hyb_model_take_homes(model_t *model)
{
    bool guests;
    double rest =
        hyb_residence_rest(&model->rates->figures, &model->test, &guests);

    model->group = hyb_residence_group(&model->rates->figures, &model->test);
    model->guests = guests ? rest : 0.0;
    model->on_host = rest - model->guests;
    model->share =
        model->on_host > 0.0
            ? 0.0
            : hyb_residence_share(&model->rates->figures, &model->test);
}

/* Of n columns behind a panel, those of this part of all: the left ones. */
static double columns_of(const model_t *model, double part, double n)
{
    double others = (1.0 - part) * model->test.n / model->test.npcol;

    if (part <= 0.0)
        return 0.0;
    return part < 1.0 ? fmax(0.0, n - others) : n;
}

double hyb_model_team_columns(const model_t *model, double n)
{
    double host = columns_of(model, model->on_host, n);

    return host + model->share * (n - host);
}

double hyb_model_read_part(const model_t *model)
{
    double host = model->on_host + model->guests;

    return host + model->share * (1.0 - host);
}

/* From panel k on, on the process that has it. */
static double columns_from(const model_t *model, int64_t k)
{
    return hyb_model_columns(model, k * model->test.nb,
                             hyb_model_owner(model, k));
}

static bool lives_there(const model_t *model, int64_t k)
{
    return model->on_host < 1.0 &&
           columns_of(model, model->on_host, columns_from(model, k)) <= 0.0;
}

static bool is_guest(const model_t *model, int64_t k)
{
    return columns_of(model, model->guests, columns_from(model, k)) > 0.0;
}

/* Guests cross the link, one way, beside what devices do meanwhile. */
static double visits(const model_t *model, const step_t *step)
{
    double guests =
        (1.0 - model->share) * columns_of(model, model->guests, step->n);

    return guests > 0.0 ? guests / model->test.nb / model->group *
                              transfer(model, step->m) / 2.0
                        : 0.0;
}

/* ---- panels -------------------------------------------------------------- */

double hyb_model_factored_there(const model_t *model, double rows)
{
    return hyb_model_curve_at(&model->width.factor, rows) +
           transfer(model, model->test.nb) / 2.0;
}

/* Does the team try a panel, as a device is not quicker than its products? */
static bool is_tried(const model_t *model, int64_t k, double rows)
{
    double product = (double)model->test.nb / 2.0 *
                     hyb_model_curve_at(&model->width.update, rows);

    return k == HYB_PANEL_PACE_TRIAL &&
           hyb_model_factored_there(model, rows) >= product;
}

bool hyb_model_by_device(const model_t *model, int64_t k)
{
    const hyb_model_rates_t *rates = model->rates;
    double rows = hyb_model_rows(model, k * model->test.nb, HYB_MODEL_TALLEST);

    if (model->width.factor.count == 0 ||
        model->test.nprow > rates->figures.panel_rows || !lives_there(model, k))
        return false;
    return rates->there ||
           (!is_tried(model, k, rows) &&
            hyb_model_factored_there(model, rows) <=
                hyb_model_panel_seconds(model, rows, rates->threads) +
                    transfer(model, rows));
}

/* Do devices that read panel k's L2 have it from the one that factored it? */
static bool by_peers(const model_t *model, int64_t k)
{
    return model->width.peers.count > 0 && !is_guest(model, k);
}

/* Of panel k, which a device factors, L2 of m rows comes down for others. */
static double way_to_others(const model_t *model, int64_t k, double m)
{
    bool alone = devices_of(model) == 1.0 || by_peers(model, k);

    return alone && model->share <= 0.0 && model->test.npcol == 1
               ? 0.0
               : transfer(model, m) / 2.0;
}

double hyb_model_first_panel(const model_t *model)
{
    double rows = hyb_model_rows(model, 0, HYB_MODEL_TALLEST);
    double down = model->on_host <= 0.0 ? transfer(model, rows) / 2.0 : 0.0;

    return hyb_model_by_device(model, 0)
               ? hyb_model_factored_there(model, rows) +
                     way_to_others(model, 0, rows - model->test.nb)
               : down + hyb_model_panel_seconds(model, rows,
                                                model->rates->threads);
}

/* Panel k with L2 of m rows, to the devices of a process. The team copies its
 * own, and others', for the link. */
static double way_up(const model_t *model, int64_t k, bool is_mine, double m)
{
    bool is_there = is_mine && hyb_model_by_device(model, k);
    double up = transfer(model, m + model->test.nb) / 2.0;

    if (!is_there)
        return up + copy(model, m);
    if (by_peers(model, k))
        return hyb_model_curve_at(&model->width.peers, m);
    return devices_of(model) == 1.0 ? 0.0 : up;
}

/* The next panel's columns meet panel k; then a device factors them, beside
 * other work, or they come down. */
static void let_factor(const model_t *model, int64_t k, step_t *step)
{
    if (!hyb_model_by_device(model, k + 1)) {
        step->down = transfer(model, step->m) / 2.0;
        return;
    }
    if (model->mode != HYB_OVERLAP_NOTHING)
        step->resident +=
            hyb_model_factored_there(model, step->m) / devices_of(model);
    step->down = way_to_others(model, k + 1, step->m);
}

void hyb_model_reside(const model_t *model, int64_t k, bool is_mine,
                      double ahead, step_t *step)
{
    double there = step->n - step->host;
    double column = hyb_model_curve_at(&model->width.resident, step->m);

    if (model->on_host >= 1.0)
        return;
    step->resident = fmax(there * column, visits(model, step));
    step->next = ahead * column;
    if (ahead > 0.0)
        let_factor(model, k, step);
    if (there > 0.0)
        step->up = way_up(model, k, is_mine, step->m);
    step->exchange += rows_way(model, there / devices_of(model));
    step->group += rows_way(model, ahead);
}

/* ---- columns of the host ------------------------------------------------- */

void hyb_model_stream(const model_t *model, double ahead, double product,
                      step_t *step)
{
    const hyb_model_width_t *width = &model->width;
    double column = hyb_model_curve_at(&width->devices, step->m);
    double columns = step->host, run = (double)model->run;

    if (width->devices.count == 0 || step->m <= 0.0 || columns <= 0.0 ||
        model->share > 0.0)
        return;
    step->copy = copy(model, step->m);
    if (width->nb * column < step->product) {
        step->update -= (step->product - ahead * product) * run;
        step->product = fmax(width->nb, ahead) * column;
    } else {
        columns -= ahead * run;
    }
    step->shared = columns * product;
    step->theirs = columns * column;
}

double hyb_model_saved(const model_t *model, const step_t *step, double host)
{
    double share = model->rates->share, theirs = step->theirs;

    if (!model->rates->fixed)
        share = fmin(1.0, fmax(0.0, host - step->resident) /
                              (step->shared + theirs));
    if (theirs <= 0.0)
        share = 0.0;
    return fmin(share * step->shared, host - step->resident - share * theirs);
}
