/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include "base/settings.h"
#include "testing/ptest/record_value.h"

/* ---- settings ------------------------------------------------------------ */

/* text as a value of row's type. */
static json_t *typed(const xh_setting_t *row, const char *text)
{
    if (row->type == XH_SETTING_INT)
        return json_integer(strtoll(text, NULL, 10));
    if (row->type == XH_SETTING_REAL)
        return xhpl_json_number(strtod(text, NULL));
    return text[0] == '\0' ? json_string("") : xhpl_json_text(text);
}

static json_t *setting(const xh_setting_t *row)
{
    json_t *object = json_object();

    json_object_set_new(object, "value",
                        typed(row, xh_settings_text(row->name)));
    json_object_set_new(object, "default", typed(row, row->initial));
    json_object_set_new(object, "changed",
                        json_boolean(xh_settings_changed(row->name)));
    xhpl_json_set_text(object, "source", xh_settings_source(row->name));
    return object;
}

json_t *xhpl_record_settings(void)
{
    json_t *object = json_object();

    for (int i = 0; i < xh_settings_count(); i++) {
        const xh_setting_t *row = xh_settings_row(i);

        json_object_set_new(object, row->name, setting(row));
    }
    return object;
}

/* ---- HPL.dat ------------------------------------------------------------- */

static json_t *value_of(const xhpl_quantity_row_t *row, int value)
{
    return row->words == NULL ? json_integer(value)
                              : json_string(row->words[value - row->least]);
}

static json_t *list_of(const xhpl_quantity_row_t *row, const xhpl_list_t *list)
{
    json_t *array = json_array();

    if (row->count_line == 0) {
        json_decref(array);
        return value_of(row, list->value[0]);
    }
    for (int i = 0; i < list->count; i++)
        json_array_append_new(array, value_of(row, list->value[i]));
    return array;
}

/* "swap_threshold" of quantity's option "swap-threshold". */
static void key_of(const xhpl_quantity_row_t *row, char *key, size_t size)
{
    snprintf(key, size, "%s", row->option == NULL ? "device" : row->option);
    for (char *at = key; *at != '\0'; at++)
        if (*at == '-')
            *at = '_';
}

json_t *xhpl_record_hpl_dat(const xhpl_parameters_t *parameters)
{
    json_t *object = json_object();
    char key[32];

    for (int q = 0; q < XHPL_QUANTITIES; q++) {
        const xhpl_quantity_row_t *row = xhpl_quantity(q);

        key_of(row, key, sizeof(key));
        json_object_set_new(object, key, list_of(row, &parameters->list[q]));
    }
    xhpl_json_set_number(object, "threshold", parameters->threshold);
    xhpl_json_set_text(object, "output", parameters->output);
    return object;
}
