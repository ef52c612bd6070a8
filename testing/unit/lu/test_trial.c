/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas */
#include "hybrid/cpu/trial/trial.h"

#include <math.h>
#include "base/blas_library.h"
#include "base/settings.h"
#include "hybrid/cpu/product/blas.h"
#include "hybrid/lu/state/resources.h"
#include "testing/unit/unit.h"

/* ---- the choice ---------------------------------------------------------- */

/* Rates of this processor's kernels: best, but of isa part of that. */
static hyb_kernels_t with_rates(xh_isa_t isa, double part)
{
    hyb_kernels_t kernels = hyb_kernels_here();

    for (int i = 0; i < XH_ISA_COUNT; i++)
        kernels.rate[i] = 100e9;
    kernels.rate[isa] *= part;
    return kernels;
}

static void check_fastest(const hyb_kernels_t *kernels, xh_isa_t isa)
{
    assert_ptr_equal(hyb_kernels_fastest(kernels), hyb_kernel_find(isa));
}

TEST(the_fastest_kernel_is_taken_whatever_its_name)
{
    hyb_kernels_t kernels;

    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        kernels = with_rates((xh_isa_t)isa, 1.2);
        if (xh_cpu_has((xh_isa_t)isa))
            check_fastest(&kernels, (xh_isa_t)isa);
    }
}

/* As without rates. Others may have no processor like mine, or another setting.
 */
TEST(of_kernels_about_as_fast_the_widest_that_all_can_run_is_taken)
{
    xh_isa_t widest = xh_cpu_isa();
    hyb_kernels_t kernels = hyb_kernels_here();

    check_fastest(&kernels, widest);
    kernels = with_rates(widest, 0.98);
    check_fastest(&kernels, widest);
    kernels = with_rates(widest, 0.96);
    if (widest != XH_ISA_PORTABLE)
        assert_ptr_not_equal(hyb_kernels_fastest(&kernels),
                             hyb_kernel_find(widest));
    kernels = with_rates(widest, 2.0);
    kernels.set &= 1u << XH_ISA_PORTABLE;
    check_fastest(&kernels, XH_ISA_PORTABLE);
    kernels.set = 0;
    check_fastest(&kernels, XH_ISA_PORTABLE);
}

static bool prefers_blas(double kernel, double blas)
{
    const hyb_kernel_t *portable = hyb_kernel_find(XH_ISA_PORTABLE);
    hyb_kernels_t kernels = {.blas = blas};

    kernels.rate[XH_ISA_PORTABLE] = kernel;
    return hyb_kernels_prefer_blas(&kernels, portable);
}

TEST(the_blas_is_taken_where_both_were_measured_and_it_is_clearly_faster)
{
    assert_true(prefers_blas(50e9, 53e9));
    assert_false(prefers_blas(50e9, 52e9));
    assert_false(prefers_blas(50e9, 0.0));
    assert_false(prefers_blas(0.0, 50e9));
}

/* ---- the trial ----------------------------------------------------------- */

TEST(all_that_take_part_have_a_rate)
{
    hyb_kernels_t kernels = hyb_kernels_here();

    xh_blas_library_set_threads(1);
    hyb_kernels_measure(&kernels);
    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        assert_true(isfinite(kernels.rate[isa]));
        assert_int_equal(kernels.rate[isa] > 0.0, xh_cpu_has((xh_isa_t)isa));
    }
    assert_true(isfinite(kernels.blas));
    if (hyb_blas_present() && xh_blas_library_identify().threads == 1)
        assert_true(kernels.blas > 0.0);
}

TEST(only_the_set_is_measured)
{
    hyb_kernels_t kernels = {.set = 1u << XH_ISA_PORTABLE};

    hyb_kernels_measure(&kernels);
    for (int isa = 0; isa < XH_ISA_COUNT; isa++)
        assert_int_equal(kernels.rate[isa] > 0.0, isa == XH_ISA_PORTABLE);
}

/* ---- the setting --------------------------------------------------------- */

static void set_kernel(const char *assignment)
{
    assert_ok(xh_settings_load());
    assert_ok(xh_settings_assign(assignment));
}

/* Its status; a kernel that is none of the solver's stays where it is
 * refused. */
static const hyb_kernel_t *kernel_of_setting(xh_status_t *status_p)
{
    static const hyb_kernel_t unset;
    const hyb_kernel_t *kernel = &unset;

    *status_p = hyb_kernel_of_setting(&kernel);
    assert_int_equal(kernel == &unset, *status_p != XH_OK);
    return kernel;
}

TEST(a_kernel_that_is_named_is_taken_if_the_processor_has_it)
{
    const hyb_kernel_t *asked;
    char assignment[64];
    hyb_kernels_t kernels;
    xh_status_t status;

    for (int isa = 0; isa < XH_ISA_COUNT; isa++) {
        const hyb_kernel_t *kernel = hyb_kernel_find((xh_isa_t)isa);

        snprintf(assignment, sizeof(assignment), "kernel=%s",
                 xh_cpu_isa_name((xh_isa_t)isa));
        set_kernel(assignment);
        asked = kernel_of_setting(&status);
        assert_int_equal(status, kernel != NULL ? XH_OK : XH_ERR_INPUT);
        if (status == XH_OK)
            assert_ptr_equal(asked, kernel);
        kernels = hyb_kernels_of_setting();
        check_fastest(&kernels,
                      kernel != NULL ? (xh_isa_t)isa : XH_ISA_PORTABLE);
    }
}

TEST(auto_is_the_fastest_as_measured_once)
{
    hyb_kernels_t kernels, again;
    xh_status_t status;

    set_kernel("kernel=auto");
    kernels = hyb_kernels_of_setting();
    again = hyb_kernels_of_setting();
    assert_memory_equal(&kernels, &again, sizeof(kernels));
    assert_int_equal(kernels.set, hyb_kernels_here().set);
    assert_ptr_equal(kernel_of_setting(&status), hyb_kernels_fastest(&kernels));
    assert_ok(status);
}

TEST(blas_is_no_kernel_but_leaves_one_for_all_else)
{
    const hyb_kernel_t *asked;
    hyb_kernels_t kernels;
    xh_status_t status;

    set_kernel("kernel=blas");
    asked = kernel_of_setting(&status);
    assert_int_equal(status, hyb_blas_present() ? XH_OK : XH_ERR_INPUT);
    if (status == XH_OK)
        assert_null(asked);
    kernels = hyb_kernels_of_setting();
    assert_non_null(hyb_kernels_fastest(&kernels));
}

/* Does the library, being so many times as fast as our kernel? */
static bool multiplies(const char *assignment, double times)
{
    const hyb_kernel_t *portable = hyb_kernel_find(XH_ISA_PORTABLE);
    hyb_kernels_t tried = {.blas = times * 50e9};

    tried.rate[XH_ISA_PORTABLE] = 50e9;
    set_kernel(assignment);
    return hyb_resources_by_blas(&tried, portable);
}

TEST(a_setting_that_names_who_multiplies_is_followed)
{
    assert_true(multiplies("kernel=blas", 0.5));
    assert_false(multiplies("kernel=portable", 2.0));
    assert_false(multiplies("kernel=avx512", 2.0));
    assert_true(multiplies("kernel=auto", 2.0));
    assert_false(multiplies("kernel=auto", 0.5));
}

TEST(a_blas_of_several_threads_a_call_is_not_tried)
{
    hyb_kernels_t kernels = {.set = 1u << XH_ISA_PORTABLE};

    if (xh_blas_library_set_threads(2) != 2)
        skip();
    hyb_kernels_measure(&kernels);
    assert_true(kernels.blas == 0.0);
    xh_blas_library_set_threads(1);
}
