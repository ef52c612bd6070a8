/* SPDX-License-Identifier: BSD-3-Clause */
/* needs: blas */
#include "base/blas_library.h"
#include "testing/unit/unit.h"

/*
 * A library that answers what a case wants to hear. Defined in the program,
 * these functions stand before those of any library it is linked with.
 */
static char config[256], corename[128];
static int threads_now, parallel;
static bool reads_64_bits;

char *openblas_get_config(void);
char *openblas_get_corename(void);
int openblas_get_parallel(void);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int threads);
double dasum_(const void *n, const double *x, const void *incx);

char *openblas_get_config(void)
{
    return config;
}

char *openblas_get_corename(void)
{
    return corename;
}

int openblas_get_parallel(void)
{
    return parallel;
}

int openblas_get_num_threads(void)
{
    return threads_now;
}

void openblas_set_num_threads(int threads)
{
    threads_now = threads;
}

static int64_t integer(const void *p)
{
    int32_t narrow;
    int64_t wide;

    memcpy(&wide, p, sizeof(wide));
    memcpy(&narrow, p, sizeof(narrow));
    return reads_64_bits ? wide : narrow;
}

double dasum_(const void *n, const double *x, const void *incx)
{
    double sum = 0.0;

    for (int64_t i = 0; i < integer(n); i++)
        sum += x[i * integer(incx)];
    return sum;
}

UNIT_STEP(install)
{
    strcpy(config,
           "OpenBLAS 0.3.21 DYNAMIC_ARCH NO_AFFINITY Zen MAX_THREADS=64");
    strcpy(corename, "Zen");
    threads_now = 8;
    parallel = 1;
    reads_64_bits = false;
}

#define TEST_SET_UP(name) TEST_WITH(name, install, NULL)

TEST_SET_UP(openblas_is_told_with_version_kernel_and_threads)
{
    static const char *const of[][2] = {{"OpenBLAS 0.3.28.dev", "0.3.28.dev"},
                                        {"OpenBLAS", ""}};
    xh_blas_library_t library = xh_blas_library_identify();

    assert_string_equal(library.name, "OpenBLAS");
    assert_string_equal(library.version, "0.3.21");
    assert_string_equal(library.kernel, "Zen");
    assert_int_equal(library.threads, 8);
    assert_false(library.ilp64);
    for (size_t i = 0; i < COUNT_OF(of); i++) {
        strcpy(config, of[i][0]);
        assert_string_equal(xh_blas_library_identify().version, of[i][1]);
    }
    memset(corename, 'k', sizeof(corename) - 1); /* a long name is cut */
    assert_int_equal(strlen(xh_blas_library_identify().kernel),
                     XH_BLAS_LIBRARY_TEXT - 1);
}

/* At least one; a sequential build stays at one. */
TEST_SET_UP(threads_are_set_and_read_back)
{
    assert_int_equal(xh_blas_library_set_threads(3), 3);
    assert_int_equal(threads_now, 3);
    assert_int_equal(xh_blas_library_identify().threads, 3);
    assert_int_equal(xh_blas_library_set_threads(0), 1);
    assert_int_equal(xh_blas_library_set_threads(-2), 1);
    parallel = 0;
    assert_int_equal(xh_blas_library_identify().threads, 1);
    assert_int_equal(xh_blas_library_set_threads(4), 1);
}

TEST_SET_UP(the_configuration_or_a_call_tells_64_bit_integers)
{
    reads_64_bits = true;
    assert_int_equal(xh_blas_library_identify().ilp64,
                     __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    reads_64_bits = false;
    strcpy(config, "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH Zen");
    assert_true(xh_blas_library_identify().ilp64);
}
