/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include "hybrid/observe/hang/party.h"

static const char *host_of(const hyb_party_t *party, int rank)
{
    return rank >= 0 && rank < party->count ? party->host[rank]
                                            : "an unknown host";
}

/* "rank 1 on n02", "some of ranks 0 to 3" */
static void name_awaited(const hyb_party_t *party, const hyb_awaited_t *a,
                         char *text, size_t size)
{
    int last = a->first + (a->count - 1) * a->apart;

    if (a->count == 1)
        snprintf(text, size, "rank %d on %s", a->first,
                 host_of(party, a->first));
    else if (a->count == 0)
        snprintf(text, size, "another process");
    else if (a->apart == 1)
        snprintf(text, size, "others of ranks %d to %d", a->first, last);
    else
        snprintf(text, size, "others of ranks %d, %d, ... %d", a->first,
                 a->first + a->apart, last);
}

void hyb_words_of_state(const hyb_party_t *party, const hyb_state_t *state,
                        char *text, size_t size)
{
    char whom[128], what[128];

    if (state->count == 0) {
        snprintf(text, size, "%.*s", HYB_WHERE, state->where);
        return;
    }
    name_awaited(party, &state->awaited[0], whom, sizeof(whom));
    hyb_awaited_text(&state->awaited[0], what, sizeof(what));
    snprintf(text, size, "%.*s: it waits for %s: %s", HYB_WHERE, state->where,
             whom, what);
}

static const char *const faults[] = {
    [HYB_NOBODY] = "",
    [HYB_EACH_OTHER] = ("waits as well: a message between them is lost, or "
                        "their connection"),
    [HYB_UNKNOWN] = "cannot be asked",
    [HYB_STANDS] = "waits for nobody and finishes nothing",
    [HYB_STOPPED] = "does not answer while its host does: it is stopped",
    [HYB_HOST_GONE] =
        "does not answer, nor does its host: that is down or cut off",
    [HYB_ENDED] = "has ended, as its connection says",
};

/* What one of those that wait says, or the one itself. */
static void add_witness(const hyb_party_t *party, const hyb_witness_t *witness,
                        const hyb_blame_t *blame, char *text, size_t size)
{
    char what[128];
    const hyb_state_t *state;

    if (blame->fault == HYB_STANDS) {
        snprintf(text, size, "; it is %.*s", HYB_WHERE,
                 witness[blame->rank].state.where);
    } else if (blame->by >= 0) {
        state = &witness[blame->by].state;
        hyb_awaited_text(&state->awaited[blame->awaited], what, sizeof(what));
        snprintf(text, size, "; rank %d on %s waits for it: %s, %.*s",
                 blame->by, host_of(party, blame->by), what, HYB_WHERE,
                 state->where);
    }
}

void hyb_words_of_blame(const hyb_party_t *party, const hyb_witness_t *witness,
                        const hyb_blame_t *blame, char *text, size_t size)
{
    char who[128] = "others of a group", by[384] = "", alike[64] = "";

    if (blame->rank >= 0)
        snprintf(who, sizeof(who), "rank %d on %s", blame->rank,
                 host_of(party, blame->rank));
    if (blame->alike > 0 && blame->fault != HYB_EACH_OTHER)
        snprintf(alike, sizeof(alike), " (and %d more like it)", blame->alike);
    add_witness(party, witness, blame, by, sizeof(by));
    snprintf(text, size,
             "no progress for %.0f s: all wait for %s, which %s%s%s",
             blame->still, who, faults[blame->fault], alike, by);
}
