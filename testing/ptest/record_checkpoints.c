/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/json/json.h"
#include "testing/ptest/record_parts.h"

static json_t *list_of(const hpl_checkpoints_t *c)
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

static bool find(const hpl_system_t *system, hpl_checkpoints_t *c)
{
    return hpl_solver()->checkpoints != NULL &&
           hpl_solver()->checkpoints(system, c);
}

json_t *xhpl_record_checkpoints(const hpl_system_t *system)
{
    hpl_checkpoints_t c;

    if (!find(system, &c))
        return NULL;
    return XH_JSON_OBJECT({"failed", json_integer(c.failed)},
                          {"written", list_of(&c)});
}

json_t *xhpl_record_restarted(const hpl_system_t *system)
{
    hpl_checkpoints_t c;

    if (!find(system, &c) || c.restarts == 0)
        return NULL;
    return XH_JSON_OBJECT({"times", json_integer(c.restarts)},
                          {"iteration", json_integer(c.iteration)},
                          {"before_seconds", xh_json_number(c.before)},
                          {"lost_seconds", xh_json_number(c.lost)},
                          {"between_seconds", xh_json_number(c.between)});
}
