/* SPDX-License-Identifier: BSD-3-Clause */
#include "hybrid/observe/hang/wire.h"

#include <arpa/inet.h>
#include <unistd.h>
#include "testing/unit/observe/wire_fixture.h"

/* Process 0, and the one that calls it. */
typedef struct {
    hyb_meeting_t meeting;
    int listener;
    hyb_line_t first, other;
} pair_t;

/* What has arrived is a whole frame, and stays. */
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
    p->other = call(&p->meeting);
    p->first = accept_one(p->listener, &p->meeting);
}

static void say(hyb_line_t *line, hyb_word_t word)
{
    hyb_frame_t frame = {.word = word, .rank = 1};

    assert_true(hyb_line_send(line, &frame));
}

static void listen_on_loopback(pair_t *p)
{
    p->listener = hyb_wire_listen(true, &p->meeting);
    assert_true(p->listener >= 0);
}

static void meet(pair_t *p)
{
    listen_on_loopback(p);
    connect_both(p);
    assert_int_equal(receive_next(&p->first), HYB_NOTHING);
    assert_int_equal(receive_next(&p->other), HYB_FRAME);
    say(&p->other, HYB_STATE);
    assert_int_equal(receive_next(&p->first), HYB_FRAME);
}

static void end(pair_t *p)
{
    hyb_line_close(&p->first);
    hyb_line_close(&p->other);
    close(p->listener);
}

TEST(both_prove_themselves_and_hear_each_other)
{
    pair_t p;

    meet(&p);
    assert_true(p.first.is_proven && p.other.is_proven);
    say(&p.first, HYB_ASK);
    assert_int_equal(receive_next(&p.other), HYB_FRAME);
    assert_int_equal(p.other.in.word, HYB_ASK);
    say(&p.other, HYB_BYE);
    assert_int_equal(receive_next(&p.first), HYB_FRAME);
    assert_int_equal(p.first.in.word, HYB_BYE);
    end(&p);
}

static bool has(const hyb_frame_t *frame, uint64_t word)
{
    for (size_t at = 0; at + sizeof(word) <= sizeof(*frame); at++)
        if (memcmp((const char *)frame + at, &word, sizeof(word)) == 0)
            return true;
    return false;
}

static void assert_keeps_the_secret(const pair_t *p, int fd)
{
    hyb_frame_t frame = peek(fd);

    for (int i = 0; i < 2; i++)
        assert_false(has(&frame, p->meeting.secret[i]));
}

TEST(no_message_has_the_secret)
{
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    assert_keeps_the_secret(&p, p.first.fd);
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    assert_keeps_the_secret(&p, p.other.fd);
    assert_int_equal(receive_next(&p.other), HYB_FRAME);
    say(&p.other, HYB_STATE);
    assert_keeps_the_secret(&p, p.first.fd);
    end(&p);
}

TEST(nothing_is_said_to_who_has_not_proven_himself)
{
    hyb_frame_t frame = {.word = HYB_ABORT};
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    assert_false(hyb_line_send(&p.other, &frame));
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    assert_false(hyb_line_send(&p.first, &frame));
    end(&p);
}

/* ---- what others can do -------------------------------------------------- */

TEST(who_has_another_secret_proves_nothing)
{
    hyb_meeting_t ours;
    pair_t p;

    listen_on_loopback(&p);
    ours = p.meeting;
    p.meeting.secret[1] ^= 1;
    connect_both(&p); /* its process 0 is a stranger */
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    p.other.secret[1] = ours.secret[1];
    assert_int_equal(receive_next(&p.other), HYB_FORGED);
    assert_true(p.other.fd < 0);
    end(&p);
}

/* Ends with one frame that process 0 takes, and one that it has to refuse. */
static void alter(size_t byte)
{
    hyb_frame_t frame;
    pair_t p;

    meet(&p);
    say(&p.other, HYB_STATE);
    frame = peek(p.first.fd);
    ((char *)&frame)[byte] ^= 1;
    assert_int_equal(recv(p.first.fd, &p.first.in, sizeof(frame), 0),
                     sizeof(frame));
    inject(p.other.fd, &frame);
    assert_int_equal(receive_next(&p.first), HYB_FORGED);
    end(&p);
}

TEST(a_frame_of_which_one_bit_was_altered_is_refused)
{
    alter(offsetof(hyb_frame_t, word));
    alter(offsetof(hyb_frame_t, rank));
    alter(offsetof(hyb_frame_t, number));
    alter(offsetof(hyb_frame_t, state.where) + 7);
    alter(offsetof(hyb_frame_t, proof) + 7);
}

TEST(a_frame_that_comes_twice_is_refused)
{
    hyb_frame_t frame;
    pair_t p;

    meet(&p);
    say(&p.other, HYB_STALL);
    frame = peek(p.first.fd);
    assert_int_equal(receive_next(&p.first), HYB_FRAME);
    inject(p.other.fd, &frame);
    assert_int_equal(receive_next(&p.first), HYB_FORGED);
    end(&p);
}

TEST(a_frame_that_comes_back_is_refused_by_either)
{
    hyb_frame_t frame;
    pair_t p;

    meet(&p);
    say(&p.first, HYB_ABORT);
    frame = peek(p.other.fd);
    inject(p.other.fd, &frame);
    assert_int_equal(receive_next(&p.first), HYB_FORGED);
    end(&p);
    meet(&p);
    say(&p.other, HYB_ABORT);
    frame = peek(p.first.fd);
    inject(p.first.fd, &frame);
    assert_int_equal(receive_next(&p.other), HYB_FORGED);
    end(&p);
}

/* What one connection brought, in the next one. */
TEST(a_recorded_connection_proves_nothing)
{
    hyb_frame_t spoken[2];
    pair_t p;

    listen_on_loopback(&p);
    connect_both(&p);
    spoken[0] = peek(p.first.fd);
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    assert_int_equal(receive_next(&p.other), HYB_FRAME);
    say(&p.other, HYB_STATE);
    spoken[1] = peek(p.first.fd);
    hyb_line_close(&p.first);
    hyb_line_close(&p.other);
    p.other = hyb_wire_connect(&p.meeting, 0, 1);
    p.first = accept_one(p.listener, &p.meeting);
    inject(p.other.fd, &spoken[0]);
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    inject(p.other.fd, &spoken[1]);
    assert_int_equal(receive_next(&p.first), HYB_FORGED);
    end(&p);
}

/* Who listens at another address and passes on what both say. */
TEST(who_stands_between_at_another_address_is_found_out)
{
    struct sockaddr_in at = {.sin_family = AF_INET};
    socklen_t length = sizeof(at);
    hyb_meeting_t elsewhere;
    hyb_line_t in, out;
    hyb_frame_t frame;
    pair_t p;
    int fd;

    listen_on_loopback(&p);
    fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    elsewhere = p.meeting;
    memcpy(&elsewhere.addresses.at[0], &at, sizeof(at));
    p.other = hyb_wire_connect(&elsewhere, 0, 1);
    in = (hyb_line_t){.fd = accept(fd, NULL, NULL)};
    assert_true(hyb_line_call(&p.other));
    out = hyb_wire_connect(&p.meeting, 0, 1);
    p.first = accept_one(p.listener, &p.meeting);
    frame = peek(in.fd);
    inject(out.fd, &frame);
    assert_int_equal(receive_next(&p.first), HYB_NOTHING);
    frame = peek(out.fd);
    inject(in.fd, &frame);
    assert_int_equal(receive_next(&p.other), HYB_FORGED);
    hyb_line_close(&in);
    hyb_line_close(&out);
    close(fd);
    end(&p);
}

TEST(a_first_frame_that_is_no_call_is_refused)
{
    hyb_frame_t frame = {.word = HYB_ABORT, .rank = 1};
    pair_t p;

    listen_on_loopback(&p);
    p.other = hyb_wire_connect(&p.meeting, 0, 1);
    p.first = accept_one(p.listener, &p.meeting);
    inject(p.other.fd, &frame);
    assert_int_equal(receive_next(&p.first), HYB_FORGED);
    end(&p);
}

/* ---- addresses ----------------------------------------------------------- */

static struct sockaddr_storage address(const char *text)
{
    struct sockaddr_storage one = {.ss_family = AF_INET};

    inet_pton(AF_INET, text, &((struct sockaddr_in *)&one)->sin_addr);
    return one;
}

TEST(on_loopback_only_that_is_listed)
{
    pair_t p;

    listen_on_loopback(&p);
    assert_int_equal(p.meeting.addresses.count, 1);
    assert_true(hyb_address_is_loopback(&p.meeting.addresses.at[0]));
    close(p.listener);
}

TEST(who_comes_at_an_address_that_is_not_listed_is_sent_away)
{
    hyb_meeting_t all;
    bool any = false;
    hyb_line_t line;
    pair_t p;

    p.listener = hyb_wire_listen(false, &p.meeting);
    assert_true(p.listener >= 0);
    all = p.meeting;
    hyb_addresses_leave_out(&p.meeting.addresses, ~0u);
    p.other = hyb_wire_connect(&all, all.addresses.count - 1, 1);
    wait_for(p.listener, POLLIN);
    line = hyb_wire_accept(p.listener, &p.meeting, &any);
    assert_true(any && line.fd < 0);
    hyb_line_close(&p.other);
    close(p.listener);
}

/* A host has those of its own list: as another one sees bridges of both. */
TEST(addresses_that_another_host_has_too_are_left_out)
{
    hyb_addresses_t list;
    int count;

    hyb_addresses_list(htons(4711), &list);
    for (count = 0; count < list.count; count++)
        if (hyb_address_is_loopback(&list.at[count]))
            break;
    assert_int_equal(hyb_addresses_here(&list), (1u << count) - 1);
    list = (hyb_addresses_t){
        .count = 2, .at = {address("198.51.100.7"), address("127.0.0.1")}};
    assert_int_equal(hyb_addresses_here(&list), 0);
    hyb_addresses_leave_out(&list, 1);
    assert_int_equal(list.count, 1);
    assert_true(hyb_address_is_loopback(&list.at[0]));
}

TEST(loopback_is_the_same_network_for_processes_of_one_host)
{
    assert_true(hyb_network_of_loopback("a") != 0);
    assert_true(hyb_network_of_loopback("a") == hyb_network_of_loopback("a"));
}
