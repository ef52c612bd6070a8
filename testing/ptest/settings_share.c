/* SPDX-License-Identifier: BSD-3-Clause */
#include "testing/ptest/settings_share.h"

#include <mpi.h>
#include <stdio.h>
#include "base/settings.h"
#include "hpl/pauxil/abort.h"

enum { ASSIGNMENT_SIZE = 2048 }; /* more than the longest name and value */

void xhpl_settings_share(void)
{
    char assignment[ASSIGNMENT_SIZE];
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < xh_settings_count(); i++) {
        const char *name = xh_settings_row(i)->name;

        snprintf(assignment, sizeof(assignment), "%s=%s", name,
                 xh_settings_text(name));
        MPI_Bcast(assignment, ASSIGNMENT_SIZE, MPI_CHAR, 0, MPI_COMM_WORLD);
        if (rank != 0 && xh_settings_assign(assignment) != XH_OK)
            hpl_abort_job();
    }
}
