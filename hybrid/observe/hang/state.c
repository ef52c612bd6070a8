/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/state.h"

#include <stdio.h>
#include <string.h>

void hyb_state_add_wait(hyb_state_t *state, const hpl_wait_t *wait)
{
    hyb_state_wait_t *w = &state->waits[state->wait_count];

    if (state->wait_count == HPL_WAITS_MOST)
        return;
    *w = (hyb_state_wait_t){.iteration = wait->iteration,
                            .first = wait->whom.first,
                            .stride = wait->whom.apart,
                            .count = wait->whom.count,
                            .bytes = wait->bytes};
    snprintf(w->what, sizeof(w->what), "%s", wait->what);
    state->kind = HYB_STATE_WAITING;
    state->wait_count++;
}

/* Append the notes about `what` (NULL: about anything) and of `iteration`
 * (negative: of any). */
static void add_matching(hyb_state_t *state, const hpl_wait_t *notes, int count,
                         const char *what, int iteration)
{
    for (int i = 0; i < count; i++)
        if ((what == NULL || strcmp(notes[i].what, what) == 0) &&
            (iteration < 0 || notes[i].iteration == iteration))
            hyb_state_add_wait(state, &notes[i]);
}

void hyb_state_add_notes(hyb_state_t *state, const hpl_wait_t *notes, int count,
                         bool in_loop, int panel)
{
    static const char *const preference[] = {"rows", "all", "its column", NULL};
    enum { PANEL_TAGS = 32768 };

    add_matching(state, notes, count, "pivot", -1);
    if (state->wait_count > 0 || !in_loop)
        return;
    if (panel >= 0)
        add_matching(state, notes, count, "panel", panel % PANEL_TAGS);
    for (size_t i = 0; state->wait_count == 0 && i < 4; i++)
        add_matching(state, notes, count, preference[i], -1);
}

void hyb_state_wait_text(const hyb_state_wait_t *wait, char *text, size_t size)
{
    bool is_numbered = wait->iteration >= 0 && strcmp(wait->what, "rows") != 0;
    int length = snprintf(text, size, "%.*s", HYB_WHAT_SIZE, wait->what);

    if (is_numbered)
        length += snprintf(text + length, size - (size_t)length,
                           " of iteration %d", wait->iteration);
    if (wait->bytes > 0.0)
        snprintf(text + length, size - (size_t)length, ", %.0f bytes",
                 wait->bytes);
}
