/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "testing/unit/unit_mpi.h"

#include <math.h>
#include "base/settings.h"
#include "hpl.h"
#include "testing/unit/base/capture.h"
#include "testing/unit/node/node_fixture.h"
#include "hybrid/lu/open/log_lines.h"
#include "hybrid/lu/state/resources.h"

UNIT_STEP(set_up)
{
    assert_ok(xh_settings_load());
}

/* ---- HPL.dat ------------------------------------------------------------- */

typedef bool notice_t(const HPL_T_palg *algo);

/* Return what a test with these lines says, valid until the next call; the
 * notice tells whether it said anything. */
static const char *said_by(notice_t *notice, int depth, HPL_T_UPD_FUN update)
{
    HPL_T_palg algo = {.depth = depth, .upfun = update};
    const char *said;
    bool told;

    said = heard(told = notice(&algo));
    assert_int_equal(told, said[0] != '\0');
    return said;
}

#define TEST_SET_UP(name) TEST_WITH(name, set_up, NULL)

TEST_SET_UP(depths_above_2_are_said_if_no_setting_goes_before)
{
    for (int depth = 0; depth <= 2; depth++)
        assert_string_equal(said_by(hyb_log_depth, depth, NULL), "");
    assert_in(said_by(hyb_log_depth, 5, NULL),
              ": DEPTH 5 works like DEPTH 2, as all values above 2 do\n");
    assert_ok(xh_settings_assign("lookahead=1"));
    assert_string_equal(said_by(hyb_log_depth, 5, NULL), "");
}

/* A program of its own may leave the update open. */
TEST_SET_UP(forms_that_somebody_chose_are_said)
{
    assert_in(said_by(hyb_log_forms, 1, HPL_pdupdateNN),
              "this solver stores L1 and U in its own form ");
    assert_string_equal(said_by(hyb_log_forms, 1, HPL_pdupdateTT), "");
    assert_string_equal(said_by(hyb_log_forms, 1, NULL), "");
}

/* ---- the solver ---------------------------------------------------------- */

static void assert_says(int threads, const char *setting, const char *cores,
                        int processes, bool by_blas, const char *expected)
{
    hyb_resources_t resources = {.machine = node_open(threads, &setting, 1),
                                 .kernel = hyb_kernel_find(XH_ISA_PORTABLE),
                                 .by_blas = by_blas};
    const char *said;

    said = heard(hyb_log_solver(&resources, cores, processes));
    hyb_machine_close(resources.machine);
    assert_string_equal(said, expected);
}

TEST_SET_UP(a_line_tells_threads_cores_kernel_and_devices)
{
    assert_says(2, "devices=none", "0-1", 1, false,
                "xhpl: solver: hybrid, 2 threads on cores 0-1, kernel "
                "portable, no device\n");
    assert_says(1, "devices=emu:2", "3,5", 4, false,
                "xhpl: solver: hybrid, 4 processes, the first with 1 thread "
                "on cores 3,5, kernel portable, devices emu:0, emu:1\n");
    assert_says(1, "devices=none", "2", 1, true,
                "xhpl: solver: hybrid, 1 thread on core 2, kernel portable, "
                "updates by the BLAS library, no device\n");
}

TEST_SET_UP(a_table_tells_where_columns_live_and_what_that_takes)
{
    const hpl_shape_t shape = {.n = 8000, .nb = 256, .nprow = 1, .npcol = 2};
    const hpl_plan_t plan = {.panel = "host",
                             .home = "auto",
                             .share = 0.25,
                             .rows = 4,
                             .row = {{"panels", -1, 0.412},
                                     {"links", -1, NAN},
                                     {"emu:0", 7, NAN},
                                     {"all", 16, 6.8}}};
    const char *said;

    said = heard(hyb_log_plan(&shape, &plan));
    assert_string_equal(
        said, "xhpl: homes: N = 8000, NB = 256, 1 x 2, home=auto, panel=host\n"
              "xhpl: homes: where              blocks    seconds\n"
              "xhpl: homes: panels                  -      0.412\n"
              "xhpl: homes: emu:0                   7          -\n"
              "xhpl: homes: all                    16        6.8\n"
              "xhpl: homes: devices' share of the host's columns 0.25\n");
}
