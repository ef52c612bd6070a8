/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE /* accept4 */
#include "hybrid/observe/hang/wire.h"

#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* ---- addresses ----------------------------------------------------------- */

bool hyb_wire_is_loopback(const struct sockaddr_storage *address)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)address;

    if (address->ss_family == AF_INET)
        return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
    return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

static socklen_t length_of(const struct sockaddr_storage *address)
{
    return address->ss_family == AF_INET ? sizeof(struct sockaddr_in)
                                         : sizeof(struct sockaddr_in6);
}

/* One that others can use; those of a single link need its name. */
static bool is_useful(const struct ifaddrs *at)
{
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)at->ifa_addr;

    if (at->ifa_addr == NULL || (at->ifa_flags & IFF_UP) == 0)
        return false;
    if (at->ifa_addr->sa_family == AF_INET)
        return true;
    return at->ifa_addr->sa_family == AF_INET6 &&
           !IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr);
}

static void add(hyb_meeting_t *meeting, const struct sockaddr *address,
                in_port_t port)
{
    struct sockaddr_storage *to = &meeting->address[meeting->count];

    if (meeting->count == HYB_ADDRESSES_MOST)
        return;
    if (address->sa_family == AF_INET) {
        memcpy(to, address, sizeof(struct sockaddr_in));
        ((struct sockaddr_in *)to)->sin_port = port;
    } else {
        memcpy(to, address, sizeof(struct sockaddr_in6));
        ((struct sockaddr_in6 *)to)->sin6_port = port;
    }
    meeting->count++;
}

/* Those for others first. */
static void list_addresses(hyb_meeting_t *meeting, in_port_t port)
{
    struct ifaddrs *all, *at;

    meeting->count = 0;
    if (getifaddrs(&all) != 0)
        return;
    for (int loopback = 0; loopback < 2; loopback++)
        for (at = all; at != NULL; at = at->ifa_next)
            if (is_useful(at) &&
                ((at->ifa_flags & IFF_LOOPBACK) != 0) == (loopback != 0))
                add(meeting, at->ifa_addr, port);
    freeifaddrs(all);
}

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

/* On all addresses of either family, or of the first one. */
static int open_listener(in_port_t *port_p)
{
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr *at = (struct sockaddr *)&v6;
    socklen_t length = sizeof(v6);
    int fd = socket(AF_INET6, kind, 0);

    if (fd >= 0)
        set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (fd < 0 || bind(fd, at, length) != 0) {
        if (fd >= 0)
            close(fd);
        at = (struct sockaddr *)&v4;
        length = sizeof(v4);
        fd = socket(AF_INET, kind, 0);
        if (fd < 0 || bind(fd, at, length) != 0)
            return fd < 0 ? -1 : (close(fd), -1);
    }
    if (listen(fd, SOMAXCONN) != 0 || getsockname(fd, at, &length) != 0)
        return close(fd), -1;
    *port_p = at->sa_family == AF_INET ? v4.sin_port : v6.sin6_port;
    return fd;
}

int hyb_wire_listen(hyb_meeting_t *meeting_p)
{
    hyb_meeting_t meeting = {.count = 0};
    in_port_t port;
    int fd = open_listener(&port);

    if (fd < 0)
        return -1;
    list_addresses(&meeting, port);
    if (meeting.count == 0 || getrandom(meeting.secret, sizeof(meeting.secret),
                                        0) != (ssize_t)sizeof(meeting.secret)) {
        close(fd);
        return -1;
    }
    *meeting_p = meeting;
    return fd;
}

hyb_line_t hyb_wire_accept(int listener)
{
    hyb_line_t line = {
        .fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC)};

    if (line.fd >= 0)
        watch(line.fd);
    return line;
}

hyb_line_t hyb_wire_connect(const struct sockaddr_storage *address)
{
    hyb_line_t line = {.fd = socket(address->ss_family, kind, 0)};

    if (line.fd < 0)
        return line;
    watch(line.fd);
    if (connect(line.fd, (const struct sockaddr *)address,
                length_of(address)) != 0 &&
        errno != EINPROGRESS)
        hyb_line_close(&line);
    return line;
}

/* ---- frames -------------------------------------------------------------- */

/* A part of a frame would spoil all that follow. */
bool hyb_line_send(const hyb_line_t *line, const hyb_frame_t *frame)
{
    ssize_t sent = -1;

    if (line->fd >= 0)
        sent =
            send(line->fd, frame, sizeof(*frame), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0 && sent < (ssize_t)sizeof(*frame))
        shutdown(line->fd, SHUT_RDWR);
    return sent == (ssize_t)sizeof(*frame);
}

static hyb_heard_t ending(hyb_line_t *line, ssize_t got)
{
    bool is_lost = got < 0 && errno != ECONNRESET && errno != EPIPE;

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return HYB_NOTHING;
    hyb_line_close(line);
    return is_lost ? HYB_LOST : HYB_CLOSED;
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
    return HYB_FRAME;
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
}
