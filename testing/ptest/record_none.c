/* SPDX-License-Identifier: BSD-3-Clause */
#pragma GCC diagnostic ignored "-Wunused-parameter"
/* The record of a program that was built without a JSON library. */
#include "testing/ptest/record.h"

#include "base/log.h"
#include "testing/ptest/processes.h"

bool xhpl_record_is_built(void)
{
    return false;
}

void xhpl_record_listen(void)
{
}

xh_status_t xhpl_record_open(const xhpl_command_t *command,
                             xhpl_record_t **record_p)
{
    *record_p = NULL;
    if (command->json == NULL)
        return XH_OK;
    if (xhpl_rank(MPI_COMM_WORLD) == 0)
        xh_log_error("--json: this program was built without jansson, which "
                     "writes JSON");
    return XH_ERR_INPUT;
}

void xhpl_record_note(xhpl_record_t *record, xhpl_moment_t moment,
                      const xhpl_trial_t *trial)
{
}

void xhpl_record_trust(xhpl_record_t *record, const xhpl_trust_t *trust)
{
}

double xhpl_record_ceiling(const xhpl_record_t *record)
{
    return 0;
}

void xhpl_record_terminated(xhpl_record_t *record, int signal)
{
}

xh_status_t xhpl_record_close(xhpl_record_t *record, int exit_status)
{
    return XH_OK;
}
