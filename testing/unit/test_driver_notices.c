/* SPDX-License-Identifier: BSD-3-Clause */
/* ranks: 1 */
#include "testing/unit/unit_mpi.h"

#include "base/settings.h"
#include "hpl.h"
#include "hybrid/lu/solver/notices.h"
#include "testing/unit/capture.h"
#include "testing/unit/node_fixture.h"

static int set_up(void **state)
{
    (void)state;
    return xh_settings_load() != XH_OK;
}

/* ---- HPL.dat -------------------------------------------------------------
 */

/* What is said of a test with these lines; valid until the next call. */
static const char *said_of(hyb_notices_t *said, int depth, HPL_T_UPD_FUN update)
{
    HPL_T_palg algo = {.depth = depth, .upfun = update};

    capture_begin();
    hyb_notices_algorithm(said, &algo);
    return capture_end(NULL);
}

static void depths_above_2_are_said_once(void **state)
{
    hyb_notices_t said = {.depth = false};
    int depth;

    (void)state;
    for (depth = 0; depth <= 2; depth++)
        assert_string_equal(said_of(&said, depth, HPL_pdupdateTT), "");
    assert_non_null(strstr(said_of(&said, 5, HPL_pdupdateTT),
                           ": DEPTH 5, as all above 2, works as 2 here\n"));
    assert_string_equal(said_of(&said, 5, HPL_pdupdateTT), "");
    assert_string_equal(said_of(&said, 3, HPL_pdupdateTT), "");
}

static void a_setting_that_goes_before_depth_makes_it_no_matter(void **state)
{
    hyb_notices_t said = {.depth = false};

    (void)state;
    assert_int_equal(xh_settings_assign("lookahead=1"), XH_OK);
    assert_string_equal(said_of(&said, 5, HPL_pdupdateTT), "");
}

static void forms_that_somebody_chose_are_said_once(void **state)
{
    static const HPL_T_UPD_FUN chosen[] = {HPL_pdupdateNN, HPL_pdupdateNT,
                                           HPL_pdupdateTN};
    size_t i;

    (void)state;
    for (i = 0; i < sizeof(chosen) / sizeof(chosen[0]); i++) {
        hyb_notices_t said = {.depth = false};

        assert_string_equal(said_of(&said, 1, HPL_pdupdateTT), "");
        assert_non_null(strstr(said_of(&said, 1, chosen[i]),
                               "xhpl: L1 and U are kept in this solver's own "
                               "form, "));
        assert_string_equal(said_of(&said, 1, chosen[i]), "");
    }
}

static void a_program_of_its_own_may_leave_the_update_open(void **state)
{
    hyb_notices_t said = {.depth = false};

    (void)state;
    assert_string_equal(said_of(&said, 1, NULL), "");
}

/* ---- the solver ----------------------------------------------------------
 */

static const char *said_of_solver(hyb_means_t *means, const char *cores,
                                  int processes)
{
    const char *said;

    capture_begin();
    hyb_notices_solver(means, cores, processes);
    said = capture_end(NULL);
    hyb_machine_close(means->machine);
    return said;
}

static void assert_says(int threads, const char *setting, const char *cores,
                        int processes, const char *expected)
{
    hyb_means_t means = {.machine = node_open(threads, &setting, 1),
                         .kernel = hyb_kernel_find(XH_ISA_PORTABLE)};

    assert_string_equal(said_of_solver(&means, cores, processes), expected);
}

static void a_line_tells_threads_cores_kernel_and_devices(void **state)
{
    (void)state;
    assert_says(2, "devices=none", "0-1", 1,
                "xhpl: solver: hybrid, 2 threads on cores 0-1, kernel "
                "portable, no device\n");
    assert_says(1, "devices=emu", "7", 1,
                "xhpl: solver: hybrid, 1 thread on core 7, kernel portable, "
                "device emu:0\n");
    assert_says(1, "devices=emu:2", "3,5", 4,
                "xhpl: solver: hybrid, 4 processes, the first with 1 thread "
                "on cores 3,5, kernel portable, devices emu:0, emu:1\n");
}

static void it_tells_that_the_blas_multiplies(void **state)
{
    const char *setting = "devices=none";
    hyb_means_t means = {.machine = node_open(1, &setting, 1),
                         .kernel = hyb_kernel_find(XH_ISA_PORTABLE),
                         .multiplier = HYB_BY_BLAS};

    (void)state;
    assert_string_equal(said_of_solver(&means, "2", 1),
                        "xhpl: solver: hybrid, 1 thread on core 2, kernel "
                        "portable, updates by the BLAS library, no device\n");
}

static const struct CMUnitTest cases[] = {
    cmocka_unit_test_setup(depths_above_2_are_said_once, set_up),
    cmocka_unit_test_setup(a_setting_that_goes_before_depth_makes_it_no_matter,
                           set_up),
    cmocka_unit_test_setup(forms_that_somebody_chose_are_said_once, set_up),
    cmocka_unit_test_setup(a_program_of_its_own_may_leave_the_update_open,
                           set_up),
    cmocka_unit_test_setup(a_line_tells_threads_cores_kernel_and_devices,
                           set_up),
    cmocka_unit_test_setup(it_tells_that_the_blas_multiplies, set_up),
};

UNIT_MPI_MAIN(cases)
