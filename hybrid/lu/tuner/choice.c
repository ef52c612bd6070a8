/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/lu/tuner/choice.h"

void hyb_choice_begin(hyb_choice_t *choice, hyb_lookahead_request_t request,
                      hyb_lookahead_t first, MPI_Comm comm)
{
    *choice = (hyb_choice_t){.learns = request == HYB_MIXED,
                             .comm = comm,
                             .request = MPI_REQUEST_NULL};
    hyb_lookahead_init(&choice->chooser, request, first);
}

void hyb_choice_give(hyb_choice_t *choice, const hyb_lookahead_facts_t *facts,
                     hyb_lookahead_t mode, const hyb_lookahead_times_t *times)
{
    if (!choice->learns)
        return;
    choice->facts = *facts;
    choice->mode = mode;
    choice->times = *times;
    MPI_Iallreduce(MPI_IN_PLACE, &choice->times,
                   (int)(sizeof(choice->times) / sizeof(double)), MPI_DOUBLE,
                   MPI_MAX, choice->comm, &choice->request);
}

bool hyb_choice_ready(hyb_choice_t *choice)
{
    int done;

    if (choice->request == MPI_REQUEST_NULL)
        return true;
    MPI_Test(&choice->request, &done, MPI_STATUS_IGNORE);
    if (!done)
        return false;
    hyb_lookahead_learn(&choice->chooser, &choice->facts, choice->mode,
                        &choice->times);
    return true;
}

hyb_lookahead_t hyb_choice_make(const hyb_choice_t *choice,
                                const hyb_lookahead_facts_t *facts,
                                const char **reason_p)
{
    return hyb_lookahead_choose(&choice->chooser, facts, reason_p);
}
