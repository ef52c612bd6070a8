/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/unit/lu/solver_fixture.h"

#include "base/log.h"
#include "base/settings.h"
#include "hybrid/lu/solver/solver.h"
#include "testing/unit/hpl/combinations.h"
#include "testing/unit/hpl/processes.h"
#include "testing/unit/unit.h"

static void set(const char *settings)
{
    char copy[256], *word, *rest = copy;

    assert_true(strlen(settings) < sizeof(copy));
    strcpy(copy, settings);
    while ((word = strtok_r(rest, " ", &rest)) != NULL)
        assert_ok(xh_settings_assign(word));
}

void solver_open(const char *settings)
{
    xh_log_limit(XH_LOG_WARNING);
    assert_ok(xh_settings_load());
    set("devices=none");
    set(settings);
    assert_ok(hyb_solver_open(true));
}

/* What devices names is dealt to all processes of the node. */
void solver_open_with_devices(int count, const char *settings)
{
    char all[256] = "";

    assert_true(strlen(settings) < sizeof(all) / 2);
    if (count > 0)
        snprintf(all, sizeof(all), "devices=emu:%d emu_memory=16 ",
                 count * unit_processes());
    solver_open(strcat(all, settings));
}

void solver_close(void)
{
    hyb_solver_close();
}

/* Look-ahead, each kind in turn. */
static const char *set_lookahead(int i)
{
    static const char *const modes[] = {"lookahead=mixed", "lookahead=2",
                                        "lookahead=1", "lookahead=0",
                                        "lookahead=auto"};

    set(modes[i % COUNT_OF(modes)]);
    return modes[i % COUNT_OF(modes)];
}

void solver_solve(int devices, const combinations_t *of)
{
    combinations_t all = *of;
    int failures;

    all.prepare = set_lookahead;
    solver_open_with_devices(devices, all.settings);
    failures = combinations_solve(&all);
    solver_close();
    combinations_end(failures);
}
