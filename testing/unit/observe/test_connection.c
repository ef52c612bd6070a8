/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/connection.h"

#include <arpa/inet.h>
#include <unistd.h>
#include "testing/unit/observe/connection_fixture.h"

/* Process 0, and a client. */
typedef struct {
    hyb_rendezvous_t rendezvous;
    int listener;
    hyb_connection_t server, client;
} pair_t;

/* Read a whole frame that has arrived, and leave it there. */
static hyb_frame_t peek(int fd)
{
    hyb_frame_t frame;

    wait_for(fd, POLLIN);
    assert_int_equal(recv(fd, &frame, sizeof(frame), MSG_PEEK | MSG_WAITALL),
                     sizeof(frame));
    return frame;
}

static void inject(int fd, const hyb_frame_t *frame)
{
    assert_int_equal(send(fd, frame, sizeof(*frame), MSG_NOSIGNAL),
                     sizeof(*frame));
}

static void connect_both(pair_t *p)
{
    p->client = connect_client(&p->rendezvous);
    p->server = accept_one(p->listener, &p->rendezvous);
}

static void send_frame(hyb_connection_t *connection, hyb_frame_kind_t kind)
{
    hyb_frame_t frame = {.kind = kind, .rank = 1};

    assert_true(hyb_connection_send(connection, &frame));
}

static void listen_on_loopback(pair_t *p)
{
    p->listener = hyb_connection_listen(true, &p->rendezvous);
    assert_true(p->listener >= 0);
}

static void authenticate_both(pair_t *p)
{
    listen_on_loopback(p);
    connect_both(p);
    assert_int_equal(receive(&p->server), HYB_RECEIVED_NOTHING);
    assert_int_equal(receive(&p->client), HYB_RECEIVED_FRAME);
    send_frame(&p->client, HYB_FRAME_STATE);
    assert_int_equal(receive(&p->server), HYB_RECEIVED_FRAME);
}

static void end(pair_t *p)
{
    hyb_connection_close(&p->server);
    hyb_connection_close(&p->client);
    close(p->listener);
}

TEST(both_ends_authenticate_and_receive_frames)
{
    pair_t p;

    authenticate_both(&p);
    assert_true(p.server.is_authenticated && p.client.is_authenticated);
    send_frame(&p.server, HYB_FRAME_ASK);
    assert_int_equal(receive(&p.client), HYB_RECEIVED_FRAME);
    assert_int_equal(p.client.frame.kind, HYB_FRAME_ASK);
    send_frame(&p.client, HYB_FRAME_BYE);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_FRAME);
    assert_int_equal(p.server.frame.kind, HYB_FRAME_BYE);
    end(&p);
}

static bool contains(const hyb_frame_t *frame, uint64_t number)
{
    for (size_t at = 0; at + sizeof(number) <= sizeof(*frame); at++)
        if (memcmp((const char *)frame + at, &number, sizeof(number)) == 0)
            return true;
    return false;
}

static void assert_has_no_secret(const pair_t *p, int fd)
{
    hyb_frame_t frame = peek(fd);

    for (int i = 0; i < 2; i++)
        assert_false(contains(&frame, p->rendezvous.secret[i]));
}

TEST(no_frame_contains_the_secret)
{
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    assert_has_no_secret(&p, p.server.fd);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    assert_has_no_secret(&p, p.client.fd);
    assert_int_equal(receive(&p.client), HYB_RECEIVED_FRAME);
    send_frame(&p.client, HYB_FRAME_STATE);
    assert_has_no_secret(&p, p.server.fd);
    end(&p);
}

TEST(no_frame_is_sent_to_a_peer_that_is_not_authenticated)
{
    hyb_frame_t frame = {.kind = HYB_FRAME_ABORT};
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    assert_false(hyb_connection_send(&p.client, &frame));
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    assert_false(hyb_connection_send(&p.server, &frame));
    end(&p);
}

/* ---- attacks ------------------------------------------------------------- */

TEST(a_peer_with_another_secret_is_not_authenticated)
{
    hyb_rendezvous_t ours;
    pair_t p;

    listen_on_loopback(&p);
    ours = p.rendezvous;
    p.rendezvous.secret[1] ^= 1;
    connect_both(&p); /* p->server has another secret */
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    p.client.secret[1] = ours.secret[1];
    assert_int_equal(receive(&p.client), HYB_RECEIVED_FORGERY);
    assert_true(p.client.fd < 0);
    end(&p);
}

/* Replace a frame on its way by one with an altered bit. */
static void alter(size_t byte)
{
    hyb_frame_t frame;
    pair_t p;

    authenticate_both(&p);
    send_frame(&p.client, HYB_FRAME_STATE);
    frame = peek(p.server.fd);
    ((char *)&frame)[byte] ^= 1;
    assert_int_equal(recv(p.server.fd, &p.server.frame, sizeof(frame), 0),
                     sizeof(frame));
    inject(p.client.fd, &frame);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_FORGERY);
    end(&p);
}

TEST(a_frame_with_an_altered_bit_is_refused)
{
    alter(offsetof(hyb_frame_t, kind));
    alter(offsetof(hyb_frame_t, rank));
    alter(offsetof(hyb_frame_t, number));
    alter(offsetof(hyb_frame_t, state.position) + 7);
    alter(offsetof(hyb_frame_t, mac) + 7);
}

/* A frame of one end is sent again, by the same end or by the other one. */
static void resend(bool from_server, bool by_server)
{
    hyb_connection_t *from, *to;
    hyb_frame_t frame;
    pair_t p;

    authenticate_both(&p);
    from = from_server ? &p.server : &p.client;
    to = from_server ? &p.client : &p.server;
    send_frame(from, HYB_FRAME_ABORT);
    frame = peek(to->fd);
    if (by_server == from_server)
        assert_int_equal(receive(to), HYB_RECEIVED_FRAME);
    inject(by_server ? p.server.fd : p.client.fd, &frame);
    assert_int_equal(receive(by_server ? &p.client : &p.server),
                     HYB_RECEIVED_FORGERY);
    end(&p);
}

TEST(a_replayed_or_reflected_frame_is_refused_by_both_ends)
{
    for (int i = 0; i < 4; i++)
        resend(i % 2, i / 2);
}

/* The frames of one connection are sent in another. */
TEST(a_recorded_connection_is_refused)
{
    hyb_frame_t recorded[2];
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    recorded[0] = peek(p.server.fd);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    assert_int_equal(receive(&p.client), HYB_RECEIVED_FRAME);
    send_frame(&p.client, HYB_FRAME_STATE);
    recorded[1] = peek(p.server.fd);
    hyb_connection_close(&p.server);
    hyb_connection_close(&p.client);
    p.client = hyb_connection_connect(&p.rendezvous, 0, 1);
    p.server = accept_one(p.listener, &p.rendezvous);
    inject(p.client.fd, &recorded[0]);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    inject(p.client.fd, &recorded[1]);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_FORGERY);
    end(&p);
}

/* A relay listens at another address and forwards the frames of both. */
TEST(a_relay_at_another_address_is_refused)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof(at);
    hyb_rendezvous_t elsewhere;
    hyb_connection_t in, out;
    hyb_frame_t frame;
    pair_t p;
    int fd;

    listen_on_loopback(&p);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    elsewhere = p.rendezvous;
    memcpy(&elsewhere.addresses.at[0], &at, sizeof(at));
    p.client = hyb_connection_connect(&elsewhere, 0, 1);
    in = (hyb_connection_t){.fd = accept(fd, NULL, NULL)};
    assert_true(hyb_connection_send_hello(&p.client));
    out = hyb_connection_connect(&p.rendezvous, 0, 1);
    p.server = accept_one(p.listener, &p.rendezvous);
    frame = peek(in.fd);
    inject(out.fd, &frame);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_NOTHING);
    frame = peek(out.fd);
    inject(in.fd, &frame);
    assert_int_equal(receive(&p.client), HYB_RECEIVED_FORGERY);
    hyb_connection_close(&in);
    hyb_connection_close(&out);
    close(fd);
    end(&p);
}

TEST(a_first_frame_other_than_hello_is_refused)
{
    hyb_frame_t frame = {.kind = HYB_FRAME_ABORT, .rank = 1};
    pair_t p;

    listen_on_loopback(&p);
    p.client = hyb_connection_connect(&p.rendezvous, 0, 1);
    p.server = accept_one(p.listener, &p.rendezvous);
    inject(p.client.fd, &frame);
    assert_int_equal(receive(&p.server), HYB_RECEIVED_FORGERY);
    end(&p);
}

/* ---- addresses ----------------------------------------------------------- */

static struct sockaddr_storage address(const char *text)
{
    struct sockaddr_storage one = {.ss_family = AF_INET};

    inet_pton(AF_INET, text, &((struct sockaddr_in *)&one)->sin_addr);
    return one;
}

TEST(only_the_loopback_address_is_listed)
{
    pair_t p;

    listen_on_loopback(&p);
    assert_int_equal(p.rendezvous.addresses.count, 1);
    assert_true(hyb_address_is_loopback(&p.rendezvous.addresses.at[0]));
    close(p.listener);
}

TEST(a_client_at_an_address_that_is_not_listed_is_refused)
{
    hyb_rendezvous_t all;
    bool any = false;
    hyb_connection_t connection;
    pair_t p;

    p.listener = hyb_connection_listen(false, &p.rendezvous);
    assert_true(p.listener >= 0);
    all = p.rendezvous;
    hyb_addresses_remove(&p.rendezvous.addresses, ~0u);
    p.client = hyb_connection_connect(&all, all.addresses.count - 1, 1);
    wait_for(p.listener, POLLIN);
    connection = hyb_connection_accept(p.listener, &p.rendezvous, &any);
    assert_true(any && connection.fd < 0);
    hyb_connection_close(&p.client);
    close(p.listener);
}

/* All addresses of this host are also its own, like bridges on two hosts. */
TEST(addresses_that_another_host_has_too_are_removed)
{
    hyb_addresses_t list;
    int count;

    hyb_addresses_of_host(htons(4711), &list);
    for (count = 0; count < list.count; count++)
        if (hyb_address_is_loopback(&list.at[count]))
            break;
    assert_int_equal(hyb_addresses_also_mine(&list), (1u << count) - 1);
    list = (hyb_addresses_t){
        .count = 2, .at = {address("198.51.100.7"), address("127.0.0.1")}};
    assert_int_equal(hyb_addresses_also_mine(&list), 0);
    hyb_addresses_remove(&list, 1);
    assert_int_equal(list.count, 1);
    assert_true(hyb_address_is_loopback(&list.at[0]));
}

TEST(loopback_is_the_same_network_for_processes_of_one_host)
{
    assert_true(hyb_loopback_network("a") != 0);
    assert_true(hyb_loopback_network("a") == hyb_loopback_network("a"));
}
