/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/log.h"
#include "hybrid/observe/hang/party.h"

enum {
    NEWCOMERS = 256, /* places of those that have proven nothing */
    LINES = 8        /* what so many say is said */
};

static const double introduction = 10.0; /* s that they have for it */
static const double undisturbed = 0.25;  /* s before one makes place */
static const double least_pause = 0.2;   /* s between questions */

typedef struct {
    hyb_line_t line;
    double asked;      /* when first, since it answered last; 0: it has */
    double closed;     /* when the connection ended; 0: it has not */
    bool parted;       /* in words */
    bool answered;     /* this time */
    bool is_said_lost; /* that its host does not answer */
} member_t;

static struct {
    member_t *member; /* by rank */
    hyb_witness_t *witness;
    struct {
        hyb_line_t line;
        double since;
        bool is_known; /* some process came from that host before */
    } newcomer[NEWCOMERS];
    bool is_full;   /* for now: more have to wait */
    double crowded; /* when one had to wait or to make place last; 0: never */
    bool asks;      /* some have not answered yet */
    double asked;   /* when it asked, or has heard all */
    bool is_due;    /* somebody says that nothing moves */
    bool is_long; /* somebody in a phase has waited for half of the patience */
    hyb_blame_t said;
    double longest; /* s for which those of whom it is said waited */
} all;

bool hyb_collector_open(const hyb_party_t *party)
{
    size_t count = (size_t)party->count;

    memset(&all, 0, sizeof(all));
    all.member = calloc(count, sizeof(*all.member));
    all.witness = calloc(count, sizeof(*all.witness));
    for (int i = 0; i < NEWCOMERS; i++)
        all.newcomer[i].line.fd = -1;
    if (all.member == NULL || all.witness == NULL) {
        free(all.member);
        free(all.witness);
        return false;
    }
    for (int rank = 0; rank < party->count; rank++) {
        all.member[rank].line.fd = -1;
        all.witness[rank].contact = rank == 0 ? HYB_ANSWERS : HYB_UNHEARD;
    }
    return true;
}

int hyb_collector_fds_most(const hyb_party_t *party)
{
    return party->count + NEWCOMERS;
}

/* The members by rank, but for the listener in place of process 0, then
 * newcomers. Those that are not there are below 0, and passed over. */
int hyb_collector_fds(const hyb_party_t *party, struct pollfd *fds_p)
{
    fds_p[0] = (struct pollfd){.fd = all.is_full ? -1 : party->listener,
                               .events = POLLIN};
    for (int rank = 1; rank < party->count; rank++)
        fds_p[rank] =
            (struct pollfd){.fd = all.member[rank].line.fd, .events = POLLIN};
    for (int i = 0; i < NEWCOMERS; i++)
        fds_p[party->count + i] =
            (struct pollfd){.fd = all.newcomer[i].line.fd, .events = POLLIN};
    return hyb_collector_fds_most(party);
}

/* ---- who comes ----------------------------------------------------------- */

static bool is_known(const hyb_party_t *party, const hyb_line_t *line)
{
    for (int rank = 1; rank < party->count; rank++)
        if (hyb_place_is(&all.member[rank].line.from, &line->from))
            return true;
    return false;
}

/* Who makes place sooner: none is there, a stranger, who came earlier. */
static bool goes_before(int a, int b)
{
    bool empty = all.newcomer[a].line.fd < 0;

    if (empty || all.newcomer[b].line.fd < 0)
        return empty;
    if (all.newcomer[a].is_known != all.newcomer[b].is_known)
        return all.newcomer[b].is_known;
    return all.newcomer[a].since < all.newcomer[b].since;
}

/* The place for one more; below 0: nobody has to make place yet. */
static int find_place(double now)
{
    int to = 0;

    for (int i = 1; i < NEWCOMERS; i++)
        if (goes_before(i, to))
            to = i;
    return all.newcomer[to].line.fd < 0 ||
                   now > all.newcomer[to].since + undisturbed
               ? to
               : -1;
}

/* Strangers do not take the place of a known host. */
static void seat(int to, hyb_line_t *line, bool known, double now)
{
    if (all.newcomer[to].line.fd >= 0) {
        all.crowded = now;
        if (all.newcomer[to].is_known && !known) {
            hyb_line_close(line);
            return;
        }
    }
    hyb_line_close(&all.newcomer[to].line);
    all.newcomer[to].line = *line;
    all.newcomer[to].since = now;
    all.newcomer[to].is_known = known;
}

static void admit(const hyb_party_t *party, double now)
{
    hyb_line_t line;
    bool any = true;
    int to;

    while (any && (to = find_place(now)) >= 0) {
        line = hyb_wire_accept(party->listener, &party->meeting, &any);
        if (line.fd >= 0)
            seat(to, &line, is_known(party, &line), now);
    }
    all.is_full = any;
    if (any)
        all.crowded = now;
}

static bool is_member(const hyb_party_t *party, int rank)
{
    return rank > 0 && rank < party->count;
}

/* What others sent is a number of entries, and ends where it should. */
static void keep_state(const hyb_frame_t *frame)
{
    hyb_state_t *state = &all.witness[frame->rank].state;

    *state = frame->state;
    if (state->count < 0 || state->count > HPL_WAITS_MOST)
        state->count = 0;
    state->where[HYB_WHERE - 1] = '\0';
    for (int i = 0; i < state->count; i++)
        state->awaited[i].what[HYB_WHAT - 1] = '\0';
}

/* This process was stopped, and another one has ended the job for that. */
static void end_as_told(const hyb_party_t *party, const hyb_frame_t *frame)
{
    hpl_hang_t hang = {.rank = 0, .seconds = frame->state.still, .ended = true};

    memcpy(hang.host, party->host[0], HYB_HOST);
    snprintf(hang.text, sizeof(hang.text),
             "rank %d on %s has ended the job: %.*s", frame->rank,
             party->host[frame->rank], HYB_WHERE - 1, frame->state.where);
    hpl_hang_note(&hang);
    hyb_hang_end_job(hang.text);
}

static void hear(const hyb_party_t *party, const hyb_frame_t *frame)
{
    member_t *m = &all.member[frame->rank];
    hyb_frame_t answer = hyb_party_frame(party, HYB_HELLO);

    keep_state(frame);
    if (frame->word == HYB_ABORT)
        end_as_told(party, frame);
    if (frame->word == HYB_BYE) {
        m->parted = true;
        all.witness[frame->rank].state.still = 0.0;
    }
    all.witness[frame->rank].contact = HYB_ANSWERS;
    all.witness[frame->rank].silent = m->asked = 0.0;
    if (m->is_said_lost)
        xh_log_warning_of(frame->rank, party->host[frame->rank],
                          "it answers again");
    m->is_said_lost = false;
    m->answered = true;
    all.is_due = all.is_due || frame->word == HYB_STALL;
    hyb_line_send(&m->line, &answer);
}

/* A newcomer has proven who it is: its line takes the place of the one before.
 */
static void welcome(const hyb_party_t *party, hyb_line_t *line)
{
    member_t *m = &all.member[line->in.rank];

    hyb_line_close(&m->line);
    m->line = *line;
    m->closed = 0.0;
    line->fd = -1;
    hear(party, &m->line.in);
}

static void hear_newcomers(const hyb_party_t *party, double now)
{
    for (int i = 0; i < NEWCOMERS; i++) {
        hyb_line_t *line = &all.newcomer[i].line;
        hyb_heard_t heard = hyb_line_receive(line);

        if (heard == HYB_FRAME && is_member(party, line->in.rank))
            welcome(party, line);
        else if (heard == HYB_FRAME ||
                 now > all.newcomer[i].since + introduction)
            hyb_line_close(line);
    }
}

/* ---- members ------------------------------------------------------------- */

static void say_lost(const hyb_party_t *party, int rank)
{
    member_t *m = &all.member[rank];

    all.witness[rank].contact = HYB_CUT_OFF;
    if (!m->is_said_lost)
        xh_log_warning_of(rank, party->host[rank],
                          "its host does not answer: it is down, or cut off");
    m->is_said_lost = true;
}

static void say_forged(const hyb_party_t *party, int rank)
{
    all.witness[rank].contact = HYB_UNHEARD;
    xh_log_warning_of(
        rank, party->host[rank],
        "its connection carried data that it did not send, and was closed");
}

static void hear_member(const hyb_party_t *party, int rank, double now)
{
    member_t *m = &all.member[rank];
    hyb_heard_t heard;

    while ((heard = hyb_line_receive(&m->line)) == HYB_FRAME)
        if (m->line.in.rank == rank)
            hear(party, &m->line.in);
    if (m->parted || heard == HYB_NOTHING)
        return;
    if (heard == HYB_LOST)
        say_lost(party, rank);
    else if (heard == HYB_CLOSED)
        m->closed = now;
    else
        say_forged(party, rank);
    if (m->asked == 0.0)
        m->asked = now;
}

static void tell_all(const hyb_party_t *party, hyb_frame_t frame)
{
    for (int rank = 1; rank < party->count; rank++)
        hyb_line_send(&all.member[rank].line, &frame);
}

/* Tell all why, and end the job. */
static void end_job(const hyb_party_t *party, const char *text)
{
    tell_all(party, hyb_party_last_frame(party, text));
    hyb_hang_end_job(text);
}

/* Has somebody called as this process, and not proven it yet? */
static bool is_coming(int rank)
{
    for (int i = 0; i < NEWCOMERS; i++)
        if (all.newcomer[i].line.is_called &&
            all.newcomer[i].line.call.rank == (uint64_t)rank)
            return true;
    return false;
}

/* When nothing hindered it any more to come again; 0: it is here. */
static double gone_since(int rank, double now)
{
    const member_t *m = &all.member[rank];

    if (m->closed == 0.0 || m->parted)
        return 0.0;
    return is_coming(rank) ? now : fmax(m->closed, all.crowded);
}

/* The launcher had time to end the job: say who ended, and end it. */
static void end_for(const hyb_party_t *party, int rank)
{
    const hyb_state_t *state = &all.witness[rank].state;
    hpl_hang_t hang = {.rank = rank, .ended = true};

    memcpy(hang.host, party->host[rank], HYB_HOST);
    snprintf(hang.text, sizeof(hang.text),
             "rank %d on %s has ended without a word, last seen %.*s; the job "
             "ends",
             rank, party->host[rank], HYB_WHERE, state->where);
    hpl_hang_note(&hang);
    end_job(party, hang.text);
}

static void look_for_dead(const hyb_party_t *party, double now)
{
    for (int rank = 1; rank < party->count; rank++) {
        double since = gone_since(rank, now);

        if (since > 0.0)
            all.witness[rank].contact = HYB_DEAD;
        if (since > 0.0 && now > since + HYB_GRACE_SECONDS)
            end_for(party, rank);
    }
}

/* ---- asking -------------------------------------------------------------- */

static void ask(const hyb_party_t *party, double now)
{
    for (int rank = 1; rank < party->count; rank++) {
        member_t *m = &all.member[rank];

        m->answered = m->line.fd < 0;
        if (m->asked == 0.0)
            m->asked = now;
    }
    tell_all(party, hyb_party_frame(party, HYB_ASK));
    all.asks = true;
    all.asked = now;
    all.is_due = false;
}

/* Whoever was silent before is not waited for. */
static bool all_have_answered(const hyb_party_t *party)
{
    for (int rank = 1; rank < party->count; rank++)
        if (!all.member[rank].answered &&
            all.witness[rank].contact == HYB_ANSWERS)
            return false;
    return true;
}

static void note_silence(const hyb_party_t *party, double now)
{
    for (int rank = 1; rank < party->count; rank++) {
        const member_t *m = &all.member[rank];
        hyb_witness_t *w = &all.witness[rank];

        if (m->answered && m->line.fd >= 0)
            continue;
        w->silent = m->asked > 0.0 ? now - m->asked : 0.0;
        if (m->line.fd >= 0)
            w->contact = hyb_line_is_heard(&m->line) ? HYB_SILENT : HYB_CUT_OFF;
    }
}

/* ---- judging ------------------------------------------------------------- */

static void say_states(const hyb_party_t *party)
{
    char text[512];
    int said = 0;

    for (int rank = 0; rank < party->count && said < LINES; rank++) {
        const hyb_witness_t *w = &all.witness[rank];

        if (w->contact != HYB_ANSWERS || w->state.still < party->patience ||
            w->state.doing == HYB_BETWEEN)
            continue;
        hyb_words_of_state(party, &w->state, text, sizeof(text));
        xh_log_warning_of(rank, party->host[rank], "no progress for %.0f s, %s",
                          w->state.still, text);
        said++;
    }
}

static void note(const hyb_party_t *party, const hyb_blame_t *blame,
                 const char *text, bool ends)
{
    hpl_hang_t hang = {
        .rank = blame->rank, .seconds = blame->still, .ended = ends};

    if (blame->rank >= 0)
        memcpy(hang.host, party->host[blame->rank], HYB_HOST);
    snprintf(hang.text, sizeof(hang.text), "%s", text);
    hpl_hang_note(&hang);
}

static void say(const hyb_party_t *party, const hyb_blame_t *blame)
{
    char text[512];
    bool ends = party->limit > 0.0 && blame->still >= party->limit;

    if (!ends && all.said.fault == blame->fault && all.said.rank == blame->rank)
        return;
    hyb_words_of_blame(party, all.witness, blame, text, sizeof(text));
    if (all.said.fault == HYB_NOBODY)
        say_states(party);
    all.said = *blame;
    note(party, blame, text, ends);
    if (!ends) {
        xh_log_warning_of(-1, "", "%s", text);
        return;
    }
    strncat(text, "; the job ends", sizeof(text) - strlen(text) - 1);
    end_job(party, text);
}

static void look_for_long(const hyb_party_t *party)
{
    all.is_long = false;
    for (int rank = 0; rank < party->count; rank++) {
        const hyb_witness_t *w = &all.witness[rank];

        if (w->contact == HYB_ANSWERS && w->state.doing != HYB_BETWEEN &&
            w->state.still >= party->patience / 2.0)
            all.is_long = true;
    }
}

static void judge(const hyb_party_t *party)
{
    hyb_blame_t blame = hyb_blame(all.witness, party->count, party->patience);

    look_for_long(party);
    if (blame.fault != HYB_NOBODY) {
        say(party, &blame);
        all.longest = blame.still;
    } else if (all.said.fault != HYB_NOBODY) {
        xh_log_warning_of(-1, "", "it goes on, after %.0f s", all.longest);
        all.said.fault = HYB_NOBODY;
    }
}

/* s between two rounds of questions */
static double pause_of(const hyb_party_t *party)
{
    double most = all.is_long || all.said.fault != HYB_NOBODY ? 2.0 : 60.0;

    return fmax(0.2, fmin(party->patience / 4.0, most));
}

void hyb_collector_turn(const hyb_party_t *party, const struct pollfd *fds,
                        double now)
{
    admit(party, now);
    hear_newcomers(party, now);
    for (int rank = 1; rank < party->count; rank++)
        if (fds[rank].revents != 0)
            hear_member(party, rank, now);
    all.witness[0].state = party->mine;
    look_for_dead(party, now);
    if (!all.asks && ((all.is_due && now > all.asked + least_pause) ||
                      now > all.asked + pause_of(party)))
        ask(party, now);
    if (!all.asks ||
        (!all_have_answered(party) && now < all.asked + HYB_ANSWER_SECONDS))
        return;
    note_silence(party, now);
    all.asks = false;
    all.asked = now;
    judge(party);
}

void hyb_collector_close(const hyb_party_t *party)
{
    tell_all(party, hyb_party_frame(party, HYB_BYE));
    for (int rank = 1; rank < party->count; rank++)
        hyb_line_close(&all.member[rank].line);
    for (int i = 0; i < NEWCOMERS; i++)
        hyb_line_close(&all.newcomer[i].line);
    free(all.member);
    free(all.witness);
}
