/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdio.h>
#include "base/settings.h"
#include "hpl/pauxil/map.h"
#include "testing/json/json.h"
#include "testing/ptest/record_parts.h"
#include "testing/ptest/report.h"

json_t *xhpl_record_skipped(const xhpl_parameters_t *parameters,
                            const xhpl_test_t *test)
{
    char tag[XHPL_TAG_SIZE];

    xhpl_report_tag(parameters, test, tag);
    return XH_JSON_OBJECT(
        {"tag", json_string(tag)}, {"n", json_integer(test->n)},
        {"nb", json_integer(test->nb)}, {"p", json_integer(test->nprow)},
        {"q", json_integer(test->npcol)}, {"status", json_string("SKIPPED")},
        {"start", NULL}, {"end", NULL}, {"seconds", NULL}, {"gflops", NULL},
        {"ranks", NULL}, {"clocks", NULL}, {"device_clocks", NULL},
        {"energy", NULL}, {"residual", NULL}, {"norms", NULL});
}

/* ---- a test that was solved ---------------------------------------------- */

/* The plan of process 0; NULL: none. */
static json_t *plan_of(const hpl_system_t *system)
{
    const hpl_solver_t *solver = hpl_solver();
    json_t *rows;
    hpl_plan_t p;

    if (solver->plan == NULL || !solver->plan(system, &p))
        return NULL;
    rows = json_array();
    for (int i = 0; i < p.rows; i++)
        json_array_append_new(
            rows,
            XH_JSON_OBJECT({"where", json_string(p.row[i].where)},
                           {"blocks", p.row[i].blocks < 0
                                          ? json_null()
                                          : json_integer(p.row[i].blocks)},
                           {"seconds", xh_json_number(p.row[i].seconds)}));
    return XH_JSON_OBJECT({"home", json_string(p.home)},
                          {"panels", json_string(p.panel)},
                          {"share", xh_json_number(p.share)}, {"rows", rows});
}

static json_t *prediction_of(const xhpl_trial_t *trial)
{
    const xhpl_forecast_t *forecast = trial->forecast;
    double rate = xhpl_report_rate(trial->test.n, trial->predicted);
    bool messages = forecast->bandwidth > 0.0;

    return XH_JSON_OBJECT(
        {"seconds", xh_json_number(trial->predicted)},
        {"gflops", xh_json_number(rate)},
        {"ceiling_gflops", xh_json_number(forecast->ceiling * 1e-9)},
        {"latency_seconds",
         messages ? xh_json_number(forecast->latency) : json_null()},
        {"bandwidth",
         messages ? xh_json_number(forecast->bandwidth) : json_null()});
}

static json_t *devices_of(const xhpl_trial_t *trial)
{
    json_t *list = json_array();

    for (int i = 0; i < trial->device_count; i++) {
        const xhpl_device_t *d = &trial->devices[i];

        json_array_append_new(
            list,
            XH_JSON_OBJECT({"rank", json_integer(d->rank)},
                           {"name", xh_json_text(d->name)},
                           {"model", xh_json_text(d->model)},
                           {"gflops", xh_json_number(1e-9 * d->rate)},
                           {"up_bytes_per_second", xh_json_number(d->up)},
                           {"down_bytes_per_second", xh_json_number(d->down)},
                           {"link_wait_seconds", xh_json_number(d->link_wait)},
                           {"mhz", xh_json_number(1e-6 * d->clock)},
                           {"celsius", xh_json_number(d->celsius)}));
    }
    return list;
}

static json_t *written(const hpl_checkpoints_t *c)
{
    json_t *list = json_array();

    for (int i = 0; i < c->count; i++)
        json_array_append_new(
            list,
            XH_JSON_OBJECT({"iteration", json_integer(c->list[i].iteration)},
                           {"bytes", xh_json_number(c->list[i].bytes)},
                           {"seconds", xh_json_number(c->list[i].seconds)}));
    return list;
}

static bool find_checkpoints(const hpl_system_t *system, hpl_checkpoints_t *c)
{
    return hpl_solver()->checkpoints != NULL &&
           hpl_solver()->checkpoints(system, c);
}

/* NULL: none were asked for. */
static json_t *checkpoints_of(const hpl_system_t *system)
{
    hpl_checkpoints_t c;

    if (!find_checkpoints(system, &c))
        return NULL;
    return XH_JSON_OBJECT({"failed", json_integer(c.failed)},
                          {"written", written(&c)});
}

/* NULL: it was not. */
static json_t *restarted(const hpl_system_t *system)
{
    hpl_checkpoints_t c;

    if (!find_checkpoints(system, &c) || c.restarts == 0)
        return NULL;
    return XH_JSON_OBJECT({"times", json_integer(c.restarts)},
                          {"iteration", json_integer(c.iteration)},
                          {"before_seconds", xh_json_number(c.before)},
                          {"lost_seconds", xh_json_number(c.lost)},
                          {"between_seconds", xh_json_number(c.between)},
                          {"clocks_agree", json_boolean(!c.clocks_disagree)});
}

/* NULL: all process columns get equally many columns. */
static json_t *weights_of(const xhpl_trial_t *trial)
{
    const xhpl_test_t *test = &trial->test;
    json_t *rates, *columns;
    int least, most;

    if (trial->weights == NULL)
        return NULL;
    rates = json_array();
    columns = json_array();
    for (int q = 0; q < test->npcol; q++) {
        hpl_map_t map = {test->nb, test->npcol, q, trial->deal};
        double rate = xhpl_weights_column(trial->weights, trial->order, test, q,
                                          &least, &most);

        json_array_append_new(rates, xh_json_number(rate));
        json_array_append_new(columns,
                              json_integer(hpl_map_count(&map, test->n)));
    }
    return XH_JSON_OBJECT({"source", json_string(xh_settings_text("weights"))},
                          {"rates", rates}, {"columns", columns});
}

void xhpl_record_solved(const xhpl_trial_t *trial, json_t *measured,
                        json_t *test)
{
    const struct {
        const char *name;
        json_t *value;
    } part[] = {
        {"plan", plan_of(trial->system)},
        {"weights", weights_of(trial)},
        {"checkpoints", checkpoints_of(trial->system)},
        {"restarted", restarted(trial->system)},
        {"devices", trial->device_count > 0 ? devices_of(trial) : NULL}};

    json_object_update(test, measured);
    json_decref(measured);
    XH_JSON_SET(test, {"status", json_string("UNCHECKED")},
                {"seconds", xh_json_number(trial->seconds)},
                {"gflops", xh_json_number(xhpl_report_rate(trial->test.n,
                                                           trial->seconds))});
    for (size_t i = 0; i < sizeof(part) / sizeof(part[0]); i++)
        if (part[i].value != NULL)
            json_object_set_new(test, part[i].name, part[i].value);
    if (trial->predicted > 0.0)
        json_object_set_new(test, "prediction", prediction_of(trial));
}

void xhpl_record_checked(const xhpl_trial_t *trial, json_t *test)
{
    const hpl_norms_t *norms = &trial->norms;
    char bits[20];

    snprintf(bits, sizeof(bits), "%016" PRIx64, norms->x_bits);
    XH_JSON_SET(
        test, {"x_bits", json_string(bits)},
        {"status", json_string(trial->passed ? "PASSED" : "FAILED")},
        {"residual", xh_json_number(trial->residual)},
        {"norms", XH_JSON_OBJECT({"a_inf", xh_json_number(norms->a_inf)},
                                 {"a_one", xh_json_number(norms->a_one)},
                                 {"b_inf", xh_json_number(norms->b_inf)},
                                 {"x_inf", xh_json_number(norms->x_inf)},
                                 {"x_one", xh_json_number(norms->x_one)},
                                 {"r_inf", xh_json_number(norms->r_inf)})});
}
