/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/party.h"

#include <stdio.h>
#include "base/log.h"
#include "hpl/pauxil/abort.h"

hyb_frame_t hyb_party_frame(const hyb_party_t *of, hyb_word_t word)
{
    return (hyb_frame_t){.word = word, .rank = of->rank, .state = of->mine};
}

hyb_frame_t hyb_party_last_frame(const hyb_party_t *of, const char *why)
{
    hyb_frame_t frame = hyb_party_frame(of, HYB_ABORT);

    snprintf(frame.state.where, HYB_WHERE, "%.*s", HYB_WHERE - 1, why);
    return frame;
}

void hyb_hang_end_job(const char *text)
{
    xh_log_error("%s", text);
    hpl_abort_job();
}
