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

/* ---- copies -------------------------------------------------------------- */

/* Return the seconds to copy a panel of `rows` rows to the host and back. The
 * same time holds for nb exchanged rows of `rows` columns. */
static double transfer(const model_t *model, double rows)
{
    return rows > 0.0 ? hyb_model_curve_at(&model->width.transfer, rows) : 0.0;
}

/* Return the seconds to copy L2 of m rows into columns: L2 is read, and the
 * copy's cache lines are read and written. */
static double copy(const model_t *model, double m)
{
    double rate = model->rates->sweep;

    return rate > 0.0 ? 3.0 * 8.0 * m * model->test.nb / rate : 0.0;
}

/* P > 1: return the seconds to copy the exchanged rows of `columns` columns
 * over each device's link, unless MPI reads them in device memory. */
static double copy_rows(const model_t *model, double columns)
{
    bool stays =
        model->rates->figures.device_mpi > 0.0 && devices_of(model) == 1.0;

    return model->test.nprow > 1 && !stays ? transfer(model, columns) : 0.0;
}

/* ---- where columns live -------------------------------------------------- */

void hyb_model_take_homes(model_t *model)
{
    bool guests;
    double rest =
        hyb_residence_rest(&model->rates->figures, &model->test, &guests);

    model->group = hyb_residence_group(&model->rates->figures, &model->test);
    model->guest_part = guests ? rest : 0.0;
    model->host_part = rest - model->guest_part;
    model->team_part =
        model->host_part > 0.0
            ? 0.0
            : hyb_residence_share(&model->rates->figures, &model->test);
}

/* Return how many of the last n columns lie within the fraction `part` of all
 * columns, counted from the left. */
static double columns_of(const model_t *model, double part, double n)
{
    double rest = (1.0 - part) * model->test.n / model->test.npcol;

    if (part <= 0.0)
        return 0.0;
    return part < 1.0 ? fmax(0.0, n - rest) : n;
}

double hyb_model_team_columns(const model_t *model, double n)
{
    double host = columns_of(model, model->host_part, n);

    return host + model->team_part * (n - host);
}

double hyb_model_read_part(const model_t *model)
{
    double host = model->host_part + model->guest_part;

    return host + model->team_part * (1.0 - host);
}

/* Return the number of columns from panel k on, on the process that has panel
 * k. */
static double columns_from(const model_t *model, int64_t k)
{
    return hyb_model_columns(model, k * model->test.nb,
                             hyb_model_owner(model, k));
}

static bool lives_on_device(const model_t *model, int64_t k)
{
    return model->host_part < 1.0 &&
           columns_of(model, model->host_part, columns_from(model, k)) <= 0.0;
}

static bool is_guest(const model_t *model, int64_t k)
{
    return columns_of(model, model->guest_part, columns_from(model, k)) > 0.0;
}

/* Return the seconds that guests spend on the link, one way, while devices
 * work. */
static double visits(const model_t *model, const step_t *step)
{
    double guests = (1.0 - model->team_part) *
                    columns_of(model, model->guest_part, step->n);

    return guests > 0.0 ? guests / model->test.nb / model->group *
                              transfer(model, step->m) / 2.0
                        : 0.0;
}

/* ---- panels -------------------------------------------------------------- */

double hyb_model_device_panel(const model_t *model, double rows)
{
    return hyb_model_curve_at(&model->width.factor, rows) +
           transfer(model, model->test.nb) / 2.0;
}

/* Does the team factor panel k as a trial, because a device is not faster than
 * the team's products? */
static bool is_tried(const model_t *model, int64_t k, double rows)
{
    double product = (double)model->test.nb / 2.0 *
                     hyb_model_curve_at(&model->width.update, rows);

    return k == HYB_PANEL_PACE_TRIAL &&
           hyb_model_device_panel(model, rows) >= product;
}

bool hyb_model_by_device(const model_t *model, int64_t k)
{
    const hyb_model_rates_t *rates = model->rates;
    double rows = hyb_model_rows(model, k * model->test.nb, HYB_MODEL_TALLEST);

    if (model->width.factor.count == 0 ||
        model->test.nprow > rates->figures.panel_rows ||
        !lives_on_device(model, k))
        return false;
    return rates->device_panels ||
           (!is_tried(model, k, rows) &&
            hyb_model_device_panel(model, rows) <=
                hyb_model_panel_seconds(model, rows, rates->threads) +
                    transfer(model, rows));
}

/* Do devices copy L2 of panel k from the device that factored it? */
static bool is_from_peers(const model_t *model, int64_t k)
{
    return model->width.peers.count > 0 && !is_guest(model, k);
}

/* Return the seconds to copy L2 of panel k, factored by a device, to the host
 * for other processes and devices. */
static double copy_down(const model_t *model, int64_t k, double m)
{
    bool alone = devices_of(model) == 1.0 || is_from_peers(model, k);

    return alone && model->team_part <= 0.0 && model->test.npcol == 1
               ? 0.0
               : transfer(model, m) / 2.0;
}

double hyb_model_first_panel(const model_t *model)
{
    double rows = hyb_model_rows(model, 0, HYB_MODEL_TALLEST);
    double down = model->host_part <= 0.0 ? transfer(model, rows) / 2.0 : 0.0;

    return hyb_model_by_device(model, 0)
               ? hyb_model_device_panel(model, rows) +
                     copy_down(model, 0, rows - model->test.nb)
               : down + hyb_model_panel_seconds(model, rows,
                                                model->rates->threads);
}

/* Return the seconds to copy panel k with L2 of m rows to the devices of a
 * process. First the team copies a panel into columns if it or another process
 * factored the panel. */
static double copy_up(const model_t *model, int64_t k, bool is_mine, double m)
{
    bool by_device = is_mine && hyb_model_by_device(model, k);
    double up = transfer(model, m + model->test.nb) / 2.0;

    if (!by_device)
        return up + copy(model, m);
    if (is_from_peers(model, k))
        return hyb_model_curve_at(&model->width.peers, m);
    return devices_of(model) == 1.0 ? 0.0 : up;
}

/* Once panel k is applied to the next panel's columns, a device factors them
 * while other work runs, or they are copied to the host. */
static void factor_next(const model_t *model, int64_t k, step_t *step)
{
    if (!hyb_model_by_device(model, k + 1)) {
        step->down = transfer(model, step->m) / 2.0;
        return;
    }
    if (model->mode != HYB_OVERLAP_NOTHING)
        step->resident +=
            hyb_model_device_panel(model, step->m) / devices_of(model);
    step->down = copy_down(model, k + 1, step->m);
}

void hyb_model_reside(const model_t *model, int64_t k, bool is_mine,
                      double ahead, step_t *step)
{
    double columns = step->n - step->host;
    double column = hyb_model_curve_at(&model->width.resident, step->m);

    if (model->host_part >= 1.0)
        return;
    step->resident = fmax(columns * column, visits(model, step));
    step->next_panel = ahead * column;
    if (ahead > 0.0)
        factor_next(model, k, step);
    if (columns > 0.0)
        step->up = copy_up(model, k, is_mine, step->m);
    step->exchange += copy_rows(model, columns / devices_of(model));
    step->group += copy_rows(model, ahead);
}

/* ---- columns of the host ------------------------------------------------- */

void hyb_model_stream(const model_t *model, double ahead, double product,
                      step_t *step)
{
    const hyb_model_width_t *width = &model->width;
    double column = hyb_model_curve_at(&width->devices, step->m);
    double columns = step->host, run = (double)model->run;

    if (width->devices.count == 0 || step->m <= 0.0 || columns <= 0.0 ||
        model->team_part > 0.0)
        return;
    step->copy = copy(model, step->m);
    if (width->nb * column < step->product) {
        step->update -= (step->product - ahead * product) * run;
        step->product = fmax(width->nb, ahead) * column;
    } else {
        columns -= ahead * run;
    }
    step->divisible = columns * product;
    step->devices = columns * column;
}

double hyb_model_savings(const model_t *model, const step_t *step, double host)
{
    double share = model->rates->share, devices = step->devices;

    if (!model->rates->has_fixed_share)
        share = fmin(1.0, fmax(0.0, host - step->resident) /
                              (step->divisible + devices));
    if (devices <= 0.0)
        share = 0.0;
    return fmin(share * step->divisible,
                host - step->resident - share * devices);
}
