/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* for accept4 */
#include "hybrid/observe/hang/connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>
#include "base/keyed_hash.h"

/* ---- sockets ------------------------------------------------------------- */

static void set_option(int fd, int level, int option, int value)
{
    setsockopt(fd, level, option, &value, sizeof(value));
}

/* Let the system probe after 3 s of silence, three times, 2 s apart. Sent data
 * must be acknowledged within the same time. */
static void set_timeouts(int fd)
{
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 3);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 2);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 9000);
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
}

static const int socket_type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                         : sizeof(struct sockaddr_in6);
}

/* Return a socket that listens at *at, and store its port there; negative:
 * none. */
static int listen_at(struct sockaddr_storage *at)
{
    socklen_t length = length_of(at);
    int fd = socket(at->ss_family, socket_type, 0);

    if (fd < 0)
        return -1;
    if (at->ss_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(fd, (struct sockaddr *)at, length) == 0 &&
        listen(fd, SOMAXCONN) == 0 &&
        getsockname(fd, (struct sockaddr *)at, &length) == 0)
        return fd;
    close(fd);
    return -1;
}

/* Listen on loopback only, IPv4 before IPv6; or on all addresses, IPv6 before
 * IPv4, because an IPv6 socket on all addresses accepts both. */
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

static bool draw_random(uint64_t number_p[2])
{
    return getrandom(number_p, 2 * sizeof(*number_p), 0) ==
           (ssize_t)(2 * sizeof(*number_p));
}

int hyb_connection_listen(bool only_loopback, hyb_rendezvous_t *rendezvous_p)
{
    hyb_rendezvous_t rendezvous = {.addresses.count = 0};
    struct sockaddr_storage at;
    int fd = open_listener(only_loopback, &at);

    if (fd < 0)
        return -1;
    if (only_loopback)
        rendezvous.addresses = (hyb_addresses_t){.count = 1, .at = {at}};
    else
        hyb_addresses_of_host((in_port_t)hyb_endpoint_of(&at).port,
                              &rendezvous.addresses);
    if (rendezvous.addresses.count == 0 || !draw_random(rendezvous.secret)) {
        close(fd);
        return -1;
    }
    *rendezvous_p = rendezvous;
    return fd;
}

/* Note both ends' addresses. Returns false if the client called an address that
 * is not listed. */
static bool note_addresses(hyb_connection_t *c,
                           const hyb_rendezvous_t *rendezvous)
{
    struct sockaddr_storage from, at;
    socklen_t from_length = sizeof(from), length = sizeof(at);

    if (getpeername(c->fd, (struct sockaddr *)&from, &from_length) != 0 ||
        getsockname(c->fd, (struct sockaddr *)&at, &length) != 0)
        return false;
    c->client = hyb_endpoint_of(&from);
    c->client.port = 0;
    c->session.server = hyb_endpoint_of(&at);
    return hyb_addresses_contain(&rendezvous->addresses, &c->session.server);
}

hyb_connection_t hyb_connection_accept(int listener,
                                       const hyb_rendezvous_t *rendezvous,
                                       bool *any_p)
{
    hyb_connection_t c = {
        .fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC),
        .is_server = true,
        .secret = {rendezvous->secret[0], rendezvous->secret[1]}};

    *any_p = c.fd >= 0;
    if (c.fd < 0)
        return c;
    set_timeouts(c.fd);
    if (!note_addresses(&c, rendezvous) || !draw_random(c.session.nonce[0]))
        hyb_connection_close(&c);
    return c;
}

hyb_connection_t hyb_connection_connect(const hyb_rendezvous_t *rendezvous,
                                        int address, int rank)
{
    const struct sockaddr_storage *at = &rendezvous->addresses.at[address];
    hyb_connection_t c = {
        .fd = socket(at->ss_family, socket_type, 0),
        .secret = {rendezvous->secret[0], rendezvous->secret[1]},
        .session = {.rank = (uint64_t)rank, .server = hyb_endpoint_of(at)}};

    if (c.fd < 0)
        return c;
    set_timeouts(c.fd);
    if (!draw_random(c.session.nonce[1]) ||
        (connect(c.fd, (const struct sockaddr *)at, length_of(at)) != 0 &&
         errno != EINPROGRESS))
        hyb_connection_close(&c);
    return c;
}

/* ---- authentication ------------------------------------------------------ */

static uint64_t mac_of(const hyb_connection_t *c, bool server_sends,
                       const hyb_frame_t *frame)
{
    struct {
        hyb_session_t session;
        uint64_t sender;
        hyb_frame_t frame;
    } hashed;

    _Static_assert(sizeof(hashed) == sizeof(hashed.session) + 8 + 32 +
                                         sizeof(hyb_state_t) + 8,
                   "the hashed structure has no padding");
    hashed.session = c->session;
    hashed.sender = server_sends ? 0 : 1;
    hashed.frame = *frame;
    hashed.frame.mac = 0;
    return xh_keyed_hash(c->secret, &hashed, sizeof(hashed));
}

static bool has_valid_mac(const hyb_connection_t *c)
{
    return c->frame.number == c->frames_received &&
           c->frame.mac == mac_of(c, !c->is_server, &c->frame);
}

/* ---- frames -------------------------------------------------------------- */

/* Send a frame. A partial frame would garble all later ones, so the connection
 * is then shut down. */
static bool send_whole(const hyb_connection_t *c, const hyb_frame_t *frame)
{
    ssize_t sent = -1;

    if (c->fd >= 0)
        sent = send(c->fd, frame, sizeof(*frame), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0 && sent < (ssize_t)sizeof(*frame))
        shutdown(c->fd, SHUT_RDWR);
    return sent == (ssize_t)sizeof(*frame);
}

static bool send_with_mac(hyb_connection_t *c, const hyb_frame_t *frame)
{
    hyb_frame_t out = *frame;
    bool is_sent;

    out.number = c->frames_sent;
    out.mac = mac_of(c, c->is_server, &out);
    is_sent = send_whole(c, &out);
    c->frames_sent += is_sent;
    return is_sent;
}

bool hyb_connection_send_hello(hyb_connection_t *c)
{
    hyb_frame_t hello = {.kind = HYB_FRAME_HELLO,
                         .rank = (int32_t)c->session.rank};

    memcpy(hello.nonce, c->session.nonce[1], sizeof(hello.nonce));
    return send_whole(c, &hello);
}

bool hyb_connection_send(hyb_connection_t *c, const hyb_frame_t *frame)
{
    return c->is_authenticated && send_with_mac(c, frame);
}

static hyb_received_t end_of_data(hyb_connection_t *c, ssize_t got)
{
    bool is_lost = got < 0 && errno != ECONNRESET && errno != EPIPE;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return HYB_RECEIVED_NOTHING;
    hyb_connection_close(c);
    return is_lost ? HYB_RECEIVED_LOSS : HYB_RECEIVED_CLOSE;
}

/* Answer a hello. The server authenticates itself first, to anyone, which
 * reveals nothing about the secret. */
static bool answer_hello(hyb_connection_t *c)
{
    hyb_frame_t hello = {.kind = HYB_FRAME_HELLO};

    memcpy(c->session.nonce[1], c->frame.nonce, sizeof(c->frame.nonce));
    memcpy(hello.nonce, c->session.nonce[0], sizeof(hello.nonce));
    c->session.rank = (uint64_t)c->frame.rank;
    c->has_nonces = true;
    return c->frame.kind == HYB_FRAME_HELLO && send_with_mac(c, &hello);
}

/* Handle a complete frame. */
static hyb_received_t handle_frame(hyb_connection_t *c)
{
    bool is_hello = c->is_server && !c->has_nonces;

    if (!c->is_server && !c->has_nonces)
        memcpy(c->session.nonce[0], c->frame.nonce, sizeof(c->frame.nonce));
    if (is_hello ? !answer_hello(c) : !has_valid_mac(c)) {
        hyb_connection_close(c);
        return HYB_RECEIVED_FORGERY;
    }
    if (is_hello)
        return HYB_RECEIVED_NOTHING;
    c->frames_received++;
    c->has_nonces = c->is_authenticated = true;
    return HYB_RECEIVED_FRAME;
}

hyb_received_t hyb_connection_receive(hyb_connection_t *c)
{
    ssize_t got;

    if (c->fd < 0)
        return HYB_RECEIVED_NOTHING;
    got = recv(c->fd, (char *)&c->frame + c->bytes_received,
               sizeof(c->frame) - c->bytes_received, MSG_DONTWAIT);
    if (got <= 0)
        return end_of_data(c, got);
    c->bytes_received += (size_t)got;
    if (c->bytes_received < sizeof(c->frame))
        return HYB_RECEIVED_NOTHING;
    c->bytes_received = 0;
    return handle_frame(c);
}

bool hyb_connection_is_acknowledged(const hyb_connection_t *c)
{
    struct tcp_info info = {.tcpi_unacked = 0};
    socklen_t length = sizeof(info);

    return c->fd >= 0 &&
           getsockopt(c->fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 &&
           info.tcpi_unacked == 0;
}

void hyb_connection_close(hyb_connection_t *c)
{
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
    c->bytes_received = 0;
    c->has_nonces = c->is_authenticated = false;
}
