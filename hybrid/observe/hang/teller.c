/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/log.h"
#include "base/status.h"
#include "hybrid/observe/hang/party.h"

static const double to_connect = 2.0;    /* s to one address */
static const double to_answer = 60.0;    /* s that process 0 has for all */
static const double between = 10.0;      /* s, once all were tried */
static const double most_between = 60.0; /* s from telling to telling again */

static struct {
    hyb_line_t line;
    int tried;     /* addresses, before it was connected first */
    int at;        /* the address of this line, or of the one before */
    double due;    /* when it will connect, if it is not met by then */
    bool called;   /* process 0's host has taken this line */
    bool is_met;   /* process 0 has proven itself on this line */
    bool has_met;  /* or on one before */
    bool parted;   /* it has said good-bye */
    double closed; /* when it ended without that; 0: it has not */
    double told;   /* when it was told first of what it has not answered */
    double next_tell, pause; /* when it will be told that nothing moves */
    double last_end;         /* when this process will end; 0: not */
    char why[HYB_WHERE];     /* as process 0 says */
    bool is_said;            /* that nothing moves, by this process itself */
    double still;            /* s for which it did not, when it was alone */
} me;

void hyb_teller_open(void)
{
    memset(&me, 0, sizeof(me));
    me.line.fd = -1;
}

int hyb_teller_fds(struct pollfd *fds_p)
{
    fds_p[0].fd = me.line.fd;
    fds_p[0].events = me.called ? POLLIN : POLLIN | POLLOUT;
    return me.line.fd >= 0;
}

/* ---- the line ------------------------------------------------------------ */

/* Which address comes next; below 0: a round is over. The one behind which
 * process 0 has answered stays. On this host it is behind a loopback address,
 * which come last. */
static int next_address(const hyb_party_t *party)
{
    const hyb_addresses_t *list = &party->meeting.addresses;
    bool beside = party->is_beside;
    int i;

    if (me.has_met)
        return me.at;
    while (me.tried < list->count) {
        i = beside ? list->count - 1 - me.tried : me.tried;
        me.tried++;
        if (beside || !hyb_address_is_loopback(&list->at[i]))
            return i;
    }
    me.tried = 0;
    return -1;
}

/* Process 0 lived, if it ended without a word, as long as its host took calls.
 */
static void end_line(double now)
{
    hyb_line_close(&me.line);
    if (me.called && me.closed > 0.0)
        me.closed = now;
    me.called = me.is_met = false;
}

static void connect_to_first(const hyb_party_t *party, double now)
{
    int i;

    if (party->meeting.addresses.count == 0 || now < me.due)
        return;
    end_line(now);
    i = next_address(party);
    me.due = now + (i < 0 ? between : to_connect);
    if (i < 0)
        return;
    me.at = i;
    me.line = hyb_wire_connect(&party->meeting, i, party->rank);
}

static void tell(const hyb_party_t *party, hyb_word_t word, double now)
{
    hyb_frame_t frame = hyb_party_frame(party, word);

    hyb_line_send(&me.line, &frame);
    if (me.told == 0.0)
        me.told = now;
}

static void call(double now)
{
    me.called = hyb_line_call(&me.line);
    if (me.called)
        me.due = now + to_answer;
    if (me.told == 0.0)
        me.told = now;
}

/* What follows the first answer tells process 0 that it has arrived. */
static void hear(const hyb_party_t *party, double now)
{
    hyb_word_t word = (hyb_word_t)me.line.in.word;
    bool is_first = !me.is_met;

    me.is_met = me.has_met = true;
    me.told = me.closed = 0.0;
    if (word == HYB_ASK || is_first)
        tell(party, HYB_STATE, now);
    if (word == HYB_BYE)
        me.parted = true;
    if (word == HYB_ABORT && me.last_end == 0.0) {
        me.last_end = now + HYB_GRACE_SECONDS;
        snprintf(me.why, sizeof(me.why), "%.*s", HYB_WHERE - 1,
                 me.line.in.state.where);
    }
}

static void listen_to_first(const hyb_party_t *party, double now)
{
    hyb_heard_t heard;

    while ((heard = hyb_line_receive(&me.line)) == HYB_FRAME)
        hear(party, now);
    if (heard == HYB_NOTHING)
        return;
    if (heard == HYB_FORGED && me.is_met)
        xh_log_warning("the connection to rank 0 on %s carried data that rank "
                       "0 did not send, and was closed",
                       party->host[0]);
    if (heard == HYB_CLOSED && me.is_met && !me.parted && me.last_end == 0.0)
        me.closed = now;
    me.due = me.is_met ? now : fmin(me.due, now + to_connect);
    end_line(now);
}

/* ---- alone --------------------------------------------------------------- */

/* Has process 0 not answered for so long? */
static bool is_alone(double now)
{
    return !me.is_met || (me.told > 0.0 && now > me.told + HYB_ANSWER_SECONDS);
}

static void describe_first(const hyb_party_t *party, double now, char *text,
                           size_t size)
{
    const char *how = "does not answer while its host does: it is stopped";

    text[0] = '\0';
    if (!me.has_met || !is_alone(now))
        return;
    if (!me.is_met || !hyb_line_is_heard(&me.line))
        how = "does not answer, nor does its host: one of the two is cut off";
    snprintf(text, size, "; rank 0 on %s %s", party->host[0], how);
}

/* Nobody collects what this process says. Between phases it does not know
 * whether it waits, unless process 0 is stopped. */
static void speak(const hyb_party_t *party, double now)
{
    char state[512], first[256], text[800];
    hyb_frame_t last;
    bool ends = party->limit > 0.0 && party->mine.still >= party->limit;

    if (party->mine.doing == HYB_BETWEEN && !me.has_met)
        return;
    hyb_words_of_state(party, &party->mine, state, sizeof(state));
    describe_first(party, now, first, sizeof(first));
    snprintf(text, sizeof(text), "no progress for %.0f s, %s%s",
             party->mine.still, state, first);
    if (ends) {
        last = hyb_party_last_frame(party, first[0] ? first + 2 : text);
        hyb_line_send(&me.line, &last);
        strncat(text, "; the job ends", sizeof(text) - strlen(text) - 1);
        hyb_hang_end_job(text);
    }
    if (!me.is_said)
        xh_log_warning("%s", text);
    me.is_said = true;
    me.still = party->mine.still;
}

static void look(const hyb_party_t *party, double now)
{
    if (party->mine.still < party->patience) {
        if (me.is_said)
            xh_log_warning("it goes on, after %.0f s", me.still);
        me.is_said = false;
        me.next_tell = me.pause = 0.0;
        return;
    }
    if (me.is_met && now > me.next_tell) {
        tell(party, HYB_STALL, now);
        me.pause = fmin(fmax(1.0, 2.0 * me.pause), most_between);
        me.next_tell = now + me.pause;
    }
    if (is_alone(now))
        speak(party, now);
}

/* Process 0 has ended, or ends the job: that, and the launcher, come first. Not
 * all others say so at the same time. If its system only took the connection
 * for lost, as one does after a pause of seconds, it answers on another. */
static void look_for_end(const hyb_party_t *party, double now)
{
    double turn = fmin(0.05 * party->rank, 2.0);
    char text[256];

    if (me.last_end > 0.0 && now > me.last_end) {
        xh_log_error("ends, as rank 0 on %s has ended the job: %s",
                     party->host[0], me.why);
        _exit(XH_EXIT_RUNTIME);
    }
    if (me.closed == 0.0 || me.called ||
        now < me.closed + HYB_GRACE_SECONDS + turn)
        return;
    snprintf(text, sizeof(text),
             "rank 0 on %s has ended without a word; the job ends",
             party->host[0]);
    hyb_hang_end_job(text);
}

void hyb_teller_turn(const hyb_party_t *party, double now)
{
    listen_to_first(party, now);
    if (!me.is_met) {
        connect_to_first(party, now);
        if (!me.called)
            call(now);
    }
    if (me.last_end == 0.0 && (me.closed == 0.0 || me.called))
        look(party, now);
    look_for_end(party, now);
}

void hyb_teller_close(const hyb_party_t *party)
{
    tell(party, HYB_BYE, 0.0);
    hyb_line_close(&me.line);
}
