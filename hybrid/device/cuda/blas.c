/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/device/cuda/blas.h"

#include <pthread.h>
#include <stddef.h>
#include "hybrid/device/cuda/library.h"

#define TEXT_OF(x) #x
#define FILE_OF(major) "libcublas.so." TEXT_OF(major)
/* function may be a macro: the name is that of what it stands for */
#define SYMBOL(member, function)                                               \
    {                                                                          \
        TEXT_OF(function), offsetof(hyb_cuda_blas_t, member)                   \
    }

static const hyb_cuda_symbol_t symbols[] = {
    SYMBOL(create, cublasCreate),
    SYMBOL(destroy, cublasDestroy),
    SYMBOL(set_stream, cublasSetStream),
    SYMBOL(set_workspace, cublasSetWorkspace),
    SYMBOL(dgemm, cublasDgemm_64),
    SYMBOL(dtrsm, cublasDtrsm_64),
    SYMBOL(dgemv, cublasDgemv_64),
    SYMBOL(status_text, cublasGetStatusString),
};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hyb_cuda_blas_t functions;
static bool loaded;
static char reason[HYB_CUDA_WHY];

static void load(void)
{
    loaded = hyb_cuda_library_open(FILE_OF(CUBLAS_VER_MAJOR), symbols,
                                   sizeof(symbols) / sizeof(symbols[0]),
                                   &functions, reason);
}

const hyb_cuda_blas_t *hyb_cuda_blas(const char **why_p)
{
    pthread_once(&once, load);
    if (loaded)
        return &functions;
    *why_p = reason;
    return NULL;
}
