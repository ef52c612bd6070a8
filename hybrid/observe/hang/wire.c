/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* accept4 */
#include "hybrid/observe/hang/wire.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/keyed_hash.h"

/* ---- sockets ------------------------------------------------------------- */

static void set(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

/* The system asks after 3 s of silence, three times, 2 s apart; what was sent
 * has as long to arrive. */
static void watch(int fd)
{
    set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 3);
    set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 9000);
    set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

static const int kind = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                         : sizeof(struct sockaddr_in6);
}

/* A listening socket at that address, whose port it takes; below 0: none. */
static int listen_at(struct sockaddr_storage *at)
{
    socklen_t length = length_of(at);
    int fd = socket(at->ss_family, kind, 0);

    if (fd < 0)
        return -1;
    if (at->ss_family == AF_INET6)
        set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(fd, (struct sockaddr *)at, length) == 0 &&
        listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr *)at, &length) == 0)
        return fd;
    close(fd);
    return -1;
}

/* On all addresses of either family, or of the first one; or on loopback. */
static int open_listener(bool only_loopback, struct sockaddr_storage *at_p)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    int fd = -1;

    if (only_loopback) {
        v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        v6.sin6_addr = in6addr_loopback;
    }
    for (int i = 0; i < 2 && fd < 0; i++) {
        memset(at_p, 0, sizeof(*at_p));
        if ((i == 0) == only_loopback)
            memcpy(at_p, &v4, sizeof(v4));
        else
            memcpy(at_p, &v6, sizeof(v6));
        fd = listen_at(at_p);
    }
    return fd;
}

static bool draw(uint64_t number_p[2])
{
    return getrandom(number_p, 2 * sizeof(*number_p), 0) ==
           (ssize_t)(2 * sizeof(*number_p));
}

int hyb_wire_listen(bool only_loopback, hyb_meeting_t *meeting_p)
{
    hyb_meeting_t meeting = {.addresses.count = 0};
    struct sockaddr_storage at;
    int fd = open_listener(only_loopback, &at);

    if (fd < 0)
        return -1;
    if (only_loopback)
        meeting.addresses = (hyb_addresses_t){.count = 1, .at = {at}};
    else
        hyb_addresses_list((in_port_t)hyb_place_of(&at).port,
                           &meeting.addresses);
    if (meeting.addresses.count == 0 || !draw(meeting.secret)) {
        close(fd);
        return -1;
    }
    *meeting_p = meeting;
    return fd;
}

/* Who called, and where; false: at an address that is not listed. */
static bool know_call(hyb_line_t *line, const hyb_meeting_t *meeting)
{
    struct sockaddr_storage from, at;
    socklen_t from_length = sizeof(from), length = sizeof(at);

    if (getpeername(line->fd, (struct sockaddr *)&from, &from_length) != 0 ||
        getsockname(line->fd, (struct sockaddr *)&at, &length) != 0)
        return false;
    line->from = hyb_place_of(&from);
    line->from.port = 0;
    line->call.called = hyb_place_of(&at);
    return hyb_addresses_have(&meeting->addresses, &line->call.called);
}

hyb_line_t hyb_wire_accept(int listener, const hyb_meeting_t *meeting,
                           bool *any_p)
{
    hyb_line_t line = {
        .fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
        .is_first = true,
        .secret = {meeting->secret[0], meeting->secret[1]}};

    *any_p = line.fd >= 0;
    if (line.fd < 0)
        return line;
    watch(line.fd);
    if (!know_call(&line, meeting) || !draw(line.call.nonce[0]))
        hyb_line_close(&line);
    return line;
}

hyb_line_t hyb_wire_connect(const hyb_meeting_t *meeting, int address, int rank)
{
    const struct sockaddr_storage *at = &meeting->addresses.at[address];
    hyb_line_t line = {
        .fd = socket(at->ss_family, kind, 0),
        .secret = {meeting->secret[0], meeting->secret[1]},
        .call = {.rank = (uint64_t)rank, .called = hyb_place_of(at)}};

    if (line.fd < 0)
        return line;
    watch(line.fd);
    if (!draw(line.call.nonce[1]) ||
        (connect(line.fd, (const struct sockaddr *)at, length_of(at)) != 0 &&
         errno != EINPROGRESS))
        hyb_line_close(&line);
    return line;
}

/* ---- proofs -------------------------------------------------------------- */

static uint64_t proof_of(const hyb_line_t *line, bool first_sends,
                         const hyb_frame_t *frame)
{
    struct {
        hyb_call_t call;
        uint64_t sender;
        hyb_frame_t frame;
    } all;

    _Static_assert(sizeof(all) ==
                       sizeof(all.call) + 8 + 32 + sizeof(hyb_state_t) + 8,
                   "there are no bytes without a value");
    all.call = line->call;
    all.sender = first_sends ? 0 : 1;
    all.frame = *frame;
    all.frame.proof = 0;
    return xh_keyed_hash(line->secret, &all, sizeof(all));
}

static bool is_proof(const hyb_line_t *line)
{
    return line->in.number == line->heard &&
           line->in.proof == proof_of(line, !line->is_first, &line->in);
}

/* ---- frames -------------------------------------------------------------- */

/* A part of a frame would spoil all that follow. */
static bool send_whole(const hyb_line_t *line, const hyb_frame_t *frame)
{
    ssize_t sent = -1;

    if (line->fd >= 0)
        sent =
            send(line->fd, frame, sizeof(*frame), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0 && sent < (ssize_t)sizeof(*frame))
        shutdown(line->fd, SHUT_RDWR);
    return sent == (ssize_t)sizeof(*frame);
}

static bool send_with_proof(hyb_line_t *line, const hyb_frame_t *frame)
{
    hyb_frame_t out = *frame;
    bool left;

    out.number = line->sent;
    out.proof = proof_of(line, line->is_first, &out);
    left = send_whole(line, &out);
    line->sent += left;
    return left;
}

bool hyb_line_call(hyb_line_t *line)
{
    hyb_frame_t hello = {.word = HYB_HELLO, .rank = (int32_t)line->call.rank};

    memcpy(hello.nonce, line->call.nonce[1], sizeof(hello.nonce));
    return send_whole(line, &hello);
}

bool hyb_line_send(hyb_line_t *line, const hyb_frame_t *frame)
{
    return line->is_proven && send_with_proof(line, frame);
}

static hyb_heard_t ending(hyb_line_t *line, ssize_t got)
{
    bool is_lost = got < 0 && errno != ECONNRESET && errno != EPIPE;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return HYB_NOTHING;
    hyb_line_close(line);
    return is_lost ? HYB_LOST : HYB_CLOSED;
}

/* Process 0 proves itself first, to anyone: that tells nothing of the secret.
 */
static bool answer_call(hyb_line_t *line)
{
    hyb_frame_t hello = {.word = HYB_HELLO};

    memcpy(line->call.nonce[1], line->in.nonce, sizeof(line->in.nonce));
    memcpy(hello.nonce, line->call.nonce[0], sizeof(hello.nonce));
    line->call.rank = (uint64_t)line->in.rank;
    line->is_called = true;
    return line->in.word == HYB_HELLO && send_with_proof(line, &hello);
}

/* What a whole frame means. */
static hyb_heard_t judge(hyb_line_t *line)
{
    bool is_call = line->is_first && !line->is_called;

    if (!line->is_first && !line->is_called)
        memcpy(line->call.nonce[0], line->in.nonce, sizeof(line->in.nonce));
    if (is_call ? !answer_call(line) : !is_proof(line)) {
        hyb_line_close(line);
        return HYB_FORGED;
    }
    if (is_call)
        return HYB_NOTHING;
    line->heard++;
    line->is_called = line->is_proven = true;
    return HYB_FRAME;
}

hyb_heard_t hyb_line_receive(hyb_line_t *line)
{
    ssize_t got;

    if (line->fd < 0)
        return HYB_NOTHING;
    got = recv(line->fd, (char *)&line->in + line->have,
               sizeof(line->in) - line->have, MSG_DONTWAIT);
    if (got <= 0)
        return ending(line, got);
    line->have += (size_t)got;
    if (line->have < sizeof(line->in))
        return HYB_NOTHING;
    line->have = 0;
    return judge(line);
}

bool hyb_line_is_heard(const hyb_line_t *line)
{
    struct tcp_info info = {.tcpi_unacked = 0};
    socklen_t length = sizeof(info);

    return line->fd >= 0 &&
           getsockopt(line->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           info.tcpi_unacked == 0;
}

void hyb_line_close(hyb_line_t *line)
{
    if (line->fd >= 0)
        close(line->fd);
    line->fd = -1;
    line->have = 0;
    line->is_called = line->is_proven = false;
}
