/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "hybrid/cpu/gemm_alone.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include "hybrid/cpu/blas.h"
#include "hybrid/cpu/gemm.h"
#include "hybrid/cpu/kernel.h"

/* What a thread keeps: a team of itself. */
typedef struct {
    hyb_team_t *team;
    hyb_host_gemm_t *gemm;
} alone_t;

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int key_error;

static void end(void *memory)
{
    alone_t *alone = memory;

    hyb_host_gemm_destroy(alone->gemm);
    hyb_team_destroy(alone->team);
    free(alone);
}

static void create_key(void)
{
    key_error = pthread_key_create(&key, end);
}

static xh_status_t begin(alone_t **alone_p)
{
    const hyb_kernel_t *kernel = hyb_kernel_of_setting();
    alone_t *alone = calloc(1, sizeof(*alone));
    const int cpu = sched_getcpu();
    xh_status_t status;

    if (alone == NULL)
        return XH_ERR_MEMORY;
    if (kernel == NULL && !hyb_blas_present())
        kernel = hyb_kernel_best();
    status = hyb_team_create(&cpu, 1, 1, &alone->team);
    if (status == XH_OK)
        status = hyb_host_gemm_create(alone->team, kernel, &alone->gemm);
    if (status == XH_OK && pthread_setspecific(key, alone) != 0)
        status = XH_ERR_MEMORY;
    if (status != XH_OK)
        end(alone);
    else
        *alone_p = alone;
    return status;
}

xh_status_t hyb_gemm_alone(const xh_gemm_t *product)
{
    xh_status_t status = XH_OK;
    alone_t *alone;

    pthread_once(&once, create_key);
    if (key_error != 0)
        return XH_ERR_MEMORY;
    alone = pthread_getspecific(key);
    if (alone == NULL)
        status = begin(&alone);
    return status == XH_OK ? hyb_host_gemm(alone->gemm, product) : status;
}
