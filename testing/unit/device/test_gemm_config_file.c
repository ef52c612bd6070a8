/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/gemm_config_file.h"

#include <stdlib.h>
#include "hybrid/device/cache_file.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/base/fake_root.h"
#include "testing/unit/unit.h"

/* What is kept of the GEMM configurations of a device's model. */

enum { PARAMETERS = 2 };

static const char model[] = "Some GPU/2";
static const hyb_gemm_parameter_t parameters[PARAMETERS] = {{"rows", 2, {1, 2}},
                                                            {"cols", 1, {8}}};

UNIT_STEP(enter)
{
    setenv("XDG_CACHE_HOME", fake_root_create(), 1);
}

UNIT_STEP(leave)
{
    fake_root_destroy();
}

#define TEST_SET_UP(name) TEST_WITH(name, enter, leave)

static hyb_gemm_table_t some_table(void)
{
    hyb_gemm_table_t table = {.rate = {1e9, 0, 2.5e9, 3, 4e12}};

    for (int d = 0; d < HYB_GEMM_DEPTHS; d++)
        table.config[d] = (hyb_gemm_config_t){{d, 100 + d}};
    return table;
}

static bool load(const hyb_gemm_parameter_t *k, int count, const char **said_p)
{
    hyb_gemm_table_t table = {.rate = {-7}};
    bool there;

    *said_p = heard(there = hyb_gemm_table_load(model, k, count, &table));
    if (!there)
        assert_true(table.rate[0] == -7);
    return there;
}

TEST_SET_UP(cuts_that_were_saved_load)
{
    const hyb_gemm_table_t saved = some_table();
    hyb_gemm_table_t loaded;

    assert_ok(hyb_gemm_table_save(model, parameters, PARAMETERS, &saved));
    assert_true(hyb_gemm_table_load(model, parameters, PARAMETERS, &loaded));
    assert_memory_equal(loaded.config, saved.config, sizeof(saved.config));
    for (int d = 0; d < HYB_GEMM_DEPTHS; d++)
        assert_true(loaded.rate[d] == saved.rate[d]);
}

TEST_SET_UP(a_file_of_other_knobs_or_that_is_not_whole_is_refused)
{
    static const hyb_gemm_parameter_t other[PARAMETERS] = {{"rows", 2, {1, 2}},
                                                           {"depth", 1, {8}}};
    const hyb_gemm_table_t saved = some_table();
    const char *said;
    size_t length;
    char *text;

    assert_ok(hyb_gemm_table_save(model, parameters, PARAMETERS, &saved));
    assert_false(load(other, PARAMETERS, &said));
    assert_in(said, "holds no configurations of GEMM of Some GPU/2");
    assert_false(load(parameters, 1, &said));
    text = hyb_cache_load(model, "gemm", &length);
    assert_non_null(text);
    while (length-- > 0) {
        assert_ok(hyb_cache_store(model, "gemm", text, length, "it"));
        assert_false(load(parameters, PARAMETERS, &said));
    }
    free(text);
}
