/* SPDX-License-Identifier: BSD-3-Clause */
/* The record of a program that was built without a JSON library. */
#include "testing/ptest/record.h"

#include "base/log.h"

void xhpl_record_listen(void)
{
}

xh_status_t xhpl_record_open(const xhpl_order_t *order,
                             xhpl_record_t **record_p)
{
    int rank;

    *record_p = NULL;
    if (order->json == NULL)
        return XH_OK;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        xh_log_error("--json: this program was built without jansson, which "
                     "writes JSON");
    return XH_ERR_INPUT;
}

void xhpl_record_begin(xhpl_record_t *record)
{
    (void)record;
}

void xhpl_record_ready(xhpl_record_t *record, const xhpl_test_t *test)
{
    (void)record;
    (void)test;
}

void xhpl_record_start(xhpl_record_t *record)
{
    (void)record;
}

void xhpl_record_stop(xhpl_record_t *record, MPI_Comm comm,
                      const hpl_system_t *system)
{
    (void)record;
    (void)comm;
    (void)system;
}

void xhpl_record_solved(xhpl_record_t *record, const xhpl_test_t *test,
                        double seconds, double predicted, double ceiling)
{
    (void)record;
    (void)test;
    (void)seconds;
    (void)predicted;
    (void)ceiling;
}

void xhpl_record_checked(xhpl_record_t *record, double residual,
                         const hpl_norms_t *norms, bool passed)
{
    (void)record;
    (void)residual;
    (void)norms;
    (void)passed;
}

void xhpl_record_skipped(xhpl_record_t *record, const xhpl_test_t *test)
{
    (void)record;
    (void)test;
}

void xhpl_record_end(xhpl_record_t *record)
{
    (void)record;
}

xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status)
{
    (void)record;
    (void)exit_status;
    return XH_OK;
}
