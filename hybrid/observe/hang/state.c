/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/state.h"

#include <stdio.h>
#include <string.h>

void hyb_state_await(hyb_state_t *state, const hpl_wait_t *wait)
{
    hyb_awaited_t *a = &state->awaited[state->count];

    if (state->count == HPL_WAITS_MOST)
        return;
    *a = (hyb_awaited_t){.iteration = wait->iteration,
                         .first = wait->whom.first,
                         .apart = wait->whom.apart,
                         .count = wait->whom.count,
                         .bytes = wait->bytes};
    snprintf(a->what, sizeof(a->what), "%s", wait->what);
    state->doing = HYB_WAITS;
    state->count++;
}

/* The notes of what, and of that iteration if it is not below 0. */
static void await_all(hyb_state_t *state, const hpl_wait_t *notes, int count,
                      const char *what, int iteration)
{
    for (int i = 0; i < count; i++)
        if ((what == NULL || strcmp(notes[i].what, what) == 0) &&
            (iteration < 0 || notes[i].iteration == iteration))
            hyb_state_await(state, &notes[i]);
}

void hyb_state_choose(hyb_state_t *state, const hpl_wait_t *notes, int count,
                      bool in_loop, int panel)
{
    static const char *const in_turn[] = {"rows", "all", "its column", NULL};
    enum { TAGS = 32768 }; /* of panels */

    await_all(state, notes, count, "pivot", -1);
    if (state->count > 0 || !in_loop)
        return;
    if (panel >= 0)
        await_all(state, notes, count, "panel", panel % TAGS);
    for (size_t i = 0; state->count == 0 && i < 4; i++)
        await_all(state, notes, count, in_turn[i], -1);
}

void hyb_awaited_text(const hyb_awaited_t *awaited, char *text, size_t size)
{
    bool is_numbered =
        awaited->iteration >= 0 && strcmp(awaited->what, "rows") != 0;
    int length = snprintf(text, size, "%.*s", HYB_WHAT, awaited->what);

    if (is_numbered)
        length += snprintf(text + length, size - (size_t)length,
                           " of iteration %d", awaited->iteration);
    if (awaited->bytes > 0.0)
        snprintf(text + length, size - (size_t)length, ", %.0f bytes",
                 awaited->bytes);
}
