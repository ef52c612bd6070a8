/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/blas_library.h"
#include "base/memory.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WEAK __attribute__((weak))

WEAK char *openblas_get_config(void);
WEAK char *openblas_get_corename(void);
WEAK int openblas_get_parallel(void);
WEAK int openblas_get_num_threads(void);
WEAK void openblas_set_num_threads(int threads);

/* BLIS has 64-bit integers unless it was built otherwise. */
WEAK const char *bli_info_get_version_str(void);
WEAK int64_t bli_info_get_blas_int_type_size(void);
WEAK int bli_arch_query_id(void);
WEAK const char *bli_arch_string(int id);
WEAK int64_t bli_thread_get_num_threads(void);
WEAK void bli_thread_set_num_threads(int64_t threads);

/* Fortran uses these names in lower case. */
WEAK void MKL_Get_Version_String(char *text, int length);
WEAK int MKL_Get_Max_Threads(void);
WEAK void MKL_Set_Num_Threads(int threads);

WEAK double dasum_(const void *n, const double *x, const void *incx);

static void copy_word(char *to_p, const char *from)
{
    snprintf(to_p, XH_BLAS_LIBRARY_TEXT, "%.*s", (int)strcspn(from, " "), from);
}

/*
 * On little-endian machines n is 1 if read as 32 bits, and negative as 64 bits,
 * so the sum of x is x(1) or 0.
 */
static bool takes_64_bits(void)
{
    const int32_t n[2] = {1, -1};
    const int32_t incx[2] = {1, 0};
    const double x[1] = {1.0};

    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && dasum_ != NULL &&
           dasum_(n, x, incx) == 0.0;
}

/* Describe OpenBLAS; false if it is not linked. Its configuration is like
 * "OpenBLAS 0.3.21 USE64BITINT DYNAMIC_ARCH Zen ...". */
static bool openblas_describe(xh_blas_library_t *library_p)
{
    const char *config =
        openblas_get_config != NULL ? openblas_get_config() : "";
    const char *digits = config + strcspn(config, "0123456789");

    if (openblas_get_config == NULL && openblas_set_num_threads == NULL &&
        openblas_get_corename == NULL)
        return false;
    library_p->name = "OpenBLAS";
    copy_word(library_p->version, digits);
    library_p->ilp64 |= strstr(config, "USE64BITINT") != NULL;
    if (openblas_get_corename != NULL)
        copy_word(library_p->kernel, openblas_get_corename());
    if (openblas_get_parallel != NULL && openblas_get_parallel() == 0)
        library_p->threads = 1;
    else if (openblas_get_num_threads != NULL)
        library_p->threads = openblas_get_num_threads();
    return true;
}

static bool blis_describe(xh_blas_library_t *library_p)
{
    if (bli_info_get_version_str == NULL)
        return false;
    library_p->name = "BLIS";
    copy_word(library_p->version, bli_info_get_version_str());
    if (bli_info_get_blas_int_type_size != NULL)
        library_p->ilp64 |= (int)bli_info_get_blas_int_type_size() == 64;
    if (bli_arch_query_id != NULL && bli_arch_string != NULL)
        copy_word(library_p->kernel, bli_arch_string(bli_arch_query_id()));
    if (bli_thread_get_num_threads != NULL)
        library_p->threads = (int)bli_thread_get_num_threads();
    return true;
}

/* Describe MKL, from "Intel(R) ... Math Kernel Library Version 2023.1-Product
 * Build ...". */
static bool mkl_describe(xh_blas_library_t *library_p)
{
    static const char before[] = "Version ";
    char text[256] = "";
    const char *version;

    if (MKL_Get_Version_String == NULL)
        return false;
    MKL_Get_Version_String(text, (int)sizeof(text) - 1);
    version = strstr(text, before);
    library_p->name = "MKL";
    if (version != NULL)
        copy_word(library_p->version, version + strlen(before));
    if (MKL_Get_Max_Threads != NULL)
        library_p->threads = MKL_Get_Max_Threads();
    return true;
}

xh_blas_library_t xh_blas_library_identify(void)
{
    xh_blas_library_t library = {.name = "unknown", .ilp64 = takes_64_bits()};

    if (!openblas_describe(&library) && !blis_describe(&library))
        mkl_describe(&library);
    if (library.threads < 0)
        library.threads = 0;
    return library;
}

int xh_blas_library_set_threads(int threads)
{
    threads = threads > 0 ? threads : 1;
    if (openblas_set_num_threads != NULL)
        openblas_set_num_threads(threads);
    if (bli_thread_set_num_threads != NULL)
        bli_thread_set_num_threads(threads);
    if (MKL_Set_Num_Threads != NULL)
        MKL_Set_Num_Threads(threads);
    return xh_blas_library_identify().threads;
}

xh_status_t xh_blas_library_try_room(void)
{
    /* OpenBLAS takes 128 MiB per calling thread; the rest is for threads that
     * start before. */
    static const size_t room = (size_t)320 << 20;

    return xh_memory_try(room, "the BLAS library needs about as much");
}
