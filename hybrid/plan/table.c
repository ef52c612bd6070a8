/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/plan/table.h"

static const double gib = 0x1p30;

void xhpl_plan_table_head(FILE *out)
{
    fprintf(out, "%10s %5s %5s %5s %5s %5s %12s %12s %12s\n", "N", "NB", "P",
            "Q", "DEPTH", "BCAST", "seconds", "Gflop/s", "GiB/process");
}

void xhpl_plan_table_row(FILE *out, const xhpl_choice_t *choice)
{
    const xhpl_case_t *test = &choice->test;

    fprintf(out, "%10d %5d %5d %5d %5d %5d %12.3g %12.4g %12.3g\n", test->n,
            test->nb, test->nprow, test->npcol, test->depth, test->bcast,
            choice->predicted.seconds, choice->gflops, choice->bytes / gib);
}
