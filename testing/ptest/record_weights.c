/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/settings.h"
#include "hpl/pauxil/map.h"
#include "testing/json/json.h"
#include "testing/ptest/record.h"
#include "testing/ptest/record_parts.h"

json_t *xhpl_record_weights(const xhpl_trial_t *trial)
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
