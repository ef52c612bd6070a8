/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/record_parts.h"

#include "testing/ptest/record_value.h"
#include "testing/ptest/report.h"

/* HPL's name of a variant, such as WR11C2R4. */
static json_t *tag_of(char pmap, const xhpl_test_t *test)
{
    return json_sprintf(
        "W%c%d%d%c%d%c%d", pmap, test->depth, test->bcast,
        xhpl_quantity(XHPL_RFACT)->forms[test->rfact][0], test->ndiv,
        xhpl_quantity(XHPL_PFACT)->forms[test->pfact][0], test->nbmin);
}

json_t *xhpl_record_test(char pmap, const xhpl_test_t *test)
{
    static const char *const measured[] = {"start",  "end",      "seconds",
                                           "gflops", "ranks",    "clocks",
                                           "energy", "residual", "norms"};
    json_t *object = json_object();

    json_object_set_new(object, "tag", tag_of(pmap, test));
    xhpl_json_set_count(object, "n", test->n);
    xhpl_json_set_count(object, "nb", test->nb);
    xhpl_json_set_count(object, "p", test->nprow);
    xhpl_json_set_count(object, "q", test->npcol);
    xhpl_json_set_text(object, "status", "SKIPPED");
    for (size_t i = 0; i < sizeof(measured) / sizeof(measured[0]); i++)
        json_object_set_new(object, measured[i], json_null());
    return object;
}

json_t *xhpl_record_prediction(const xhpl_test_t *test, double seconds,
                               double ceiling)
{
    json_t *object = json_object();

    xhpl_json_set_number(object, "seconds", seconds);
    xhpl_json_set_number(object, "gflops", xhpl_report_rate(test->n, seconds));
    xhpl_json_set_number(object, "ceiling_gflops", ceiling * 1e-9);
    return object;
}

json_t *xhpl_record_norms(const hpl_norms_t *norms)
{
    json_t *object = json_object();

    xhpl_json_set_number(object, "a_inf", norms->a_inf);
    xhpl_json_set_number(object, "a_one", norms->a_one);
    xhpl_json_set_number(object, "b_inf", norms->b_inf);
    xhpl_json_set_number(object, "x_inf", norms->x_inf);
    xhpl_json_set_number(object, "x_one", norms->x_one);
    xhpl_json_set_number(object, "r_inf", norms->r_inf);
    return object;
}
