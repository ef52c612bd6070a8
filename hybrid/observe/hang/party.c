/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/party.h"

#include "base/log.h"
#include "hpl/pauxil/abort.h"

hyb_frame_t hyb_party_frame(const hyb_party_t *of, hyb_word_t word)
{
    return (hyb_frame_t){.word = word, .rank = of->rank, .state = of->mine};
}

void hyb_hang_end_job(const char *text)
{
    xh_log_error("%s", text);
    hpl_abort_job();
}
